"""``python -m unweave`` is the same as ``unweave``."""

from unweave.cli import main

if __name__ == "__main__":
    main()
