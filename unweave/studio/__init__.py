"""The studio: a local web page over the same api. Needs the extra ``studio``."""
