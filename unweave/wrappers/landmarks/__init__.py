"""The grammar of landmarks that leaves the fewest tokens to extract: the smallest extraction problem (Cetorelli et al.)."""
