"""Two tables of one wrapper compared: what was added, removed and changed."""
