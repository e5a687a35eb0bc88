"""Landmark grammars and the Smallest Extraction Problem (Cetorelli et al., PVLDB 2021)."""
