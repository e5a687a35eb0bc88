"""Wrappers for list pages: records found by the records that were learned from."""
