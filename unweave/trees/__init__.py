"""Trees of labels and the algorithms on them. Pure: knows no HTML."""
