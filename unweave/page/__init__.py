"""From bytes to a Page: the tree of a document with its text and attributes."""
