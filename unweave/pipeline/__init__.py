"""Pages of whole sites to tables: templates are learned from a sample and applied to all pages."""
