"""Wrappers: learned from pages of one template, and applied to others."""
