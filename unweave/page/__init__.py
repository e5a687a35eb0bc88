"""Pages: parsing, encodings, limits, rendering, HTML tables and metadata."""
