"""The learn side of wrappers."""
