"""Quality against real pages with truth, and speed as ratios measured in one run."""
