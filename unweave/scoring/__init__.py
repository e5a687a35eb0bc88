"""Judgement: which of several candidates is the right one, by features and models that are data."""
