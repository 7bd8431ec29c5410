"""Measured comparisons, run by hand and by name; see README.md."""
