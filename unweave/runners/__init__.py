"""Runners: this process, several processes on this machine, or a Ray cluster."""
