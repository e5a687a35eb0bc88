"""A shop with a magazine, of any number of pages: made by make.py, served by serve.py, described in ../README.md."""
