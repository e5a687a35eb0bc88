"""The studio: a local web page over the same API. Needs the extra ``studio``."""
