"""Wrappers for list pages: the seed tree of partial tree alignment (DEPTA)."""
