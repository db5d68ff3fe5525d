"""Searches whose paths are straight legs at any angle."""
