"""Fetching what strangers' pages name, and nothing private."""
