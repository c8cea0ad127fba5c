"""Planted errors: how many of them verification finds."""
