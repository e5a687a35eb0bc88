"""Sinks: files with the tables of pages; folders and databases with the tables of a site."""
