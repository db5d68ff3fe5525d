"""Straight paths: legs of any angle."""
