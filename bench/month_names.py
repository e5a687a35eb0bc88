"""Write ``unweave/values/month_names.json``: names of months and weekdays from dateparser.

Run it after an upgrade of dateparser (a development dependency): ``python -m bench.month_names``.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

MONTHS = (
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MAX_LANGUAGES = 60  # those with the most pages come first

TARGET = Path(__file__).parent.parent / "unweave" / "values" / "month_names.json"


def collect_names() -> dict[str, dict[str, list[list[str]]]]:
    """Return for each language the names of the 12 months and of the 7 weekdays, several each."""
    from dateparser.data.languages_info import language_order

    names: dict[str, dict[str, list[list[str]]]] = {}
    for language in language_order[:MAX_LANGUAGES]:
        module = importlib.import_module(f"dateparser.data.date_translation_data.{language}")
        names[language] = {
            "months": [sorted(set(module.info.get(month, ()))) for month in MONTHS],
            "weekdays": [sorted(set(module.info.get(day, ()))) for day in WEEKDAYS],
        }
    return names


def main() -> None:
    """Write the file."""
    lines = [
        f"{json.dumps(language)}: {json.dumps(names, ensure_ascii=False)}"
        for language, names in collect_names().items()
    ]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
