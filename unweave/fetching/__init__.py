"""Fetch one URL over HTTP: limited in bytes and time, and no private addresses by default."""
