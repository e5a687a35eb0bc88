"""Methods of the literature for finding and aligning records, each in the form of its paper."""
