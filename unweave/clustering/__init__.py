"""Clusters of pages by template."""
