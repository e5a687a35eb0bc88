"""Pages sorted by the template that they were generated from."""
