"""From the pages of sites to tables: templates told apart, learned from a sample, and applied to all pages."""
