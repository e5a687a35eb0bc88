"""The version, below everything that needs to name it."""

__version__ = "0.2.0"
