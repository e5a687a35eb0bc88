"""Write ``unweave/values/currencies.json``: symbols and codes of currencies of price-parser.

Run it after an upgrade of price-parser (a development dependency): ``python -m bench.currencies``.
"""

from __future__ import annotations

import json
from pathlib import Path

TARGET = Path(__file__).parent.parent / "unweave" / "values" / "currencies.json"


def collect_currencies() -> list[str]:
    """Return the symbols and codes, sorted."""
    from price_parser._currencies import CURRENCY_CODES
    from price_parser.parser import SAFE_CURRENCY_SYMBOLS

    return sorted(set(map(str.strip, [*CURRENCY_CODES, *SAFE_CURRENCY_SYMBOLS])))


def main() -> None:
    """Write the file."""
    TARGET.write_text(
        json.dumps(collect_currencies(), ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
