"""Crowds: many agents on one map that never collide, step by step or as a whole plan."""
