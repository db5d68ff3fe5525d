"""Improved Heuristics for Optimal Pathfinding on Game Maps (Björnsson and Halldórsson)."""
