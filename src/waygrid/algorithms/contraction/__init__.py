"""Contraction hierarchies: ch."""
