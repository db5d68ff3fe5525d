"""Efficient Path Finding for 2D Games (Kumar et al.)."""
