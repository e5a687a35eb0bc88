"""Fetch one address over HTTP: bounded in bytes and time, and nothing private unless it is asked for."""
