"""Many pages at once: sorted by template, learned from, and tried."""
