"""Wrappers for detail pages: fields found by template path, label or table header."""
