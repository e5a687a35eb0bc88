"""Wrappers of node extraction patterns: trees with wildcards (Reis et al.)."""
