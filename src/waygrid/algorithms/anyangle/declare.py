"""Straight paths: any-angle search."""

from waygrid.algorithms.anyangle.taut_declare import AT_CORNERS

ALGORITHMS = (*AT_CORNERS,)
