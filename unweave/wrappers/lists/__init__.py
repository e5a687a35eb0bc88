"""Wrappers for list pages: records that are similar to the learned ones."""
