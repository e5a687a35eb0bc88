"""Wrappers as what other tools run: selectors, and spiders."""
