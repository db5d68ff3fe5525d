"""Grids: maps, topologies, metrics, edits, generators."""
