"""Fields: what a text says, by its type; how alike two texts are. Knows no pages."""
