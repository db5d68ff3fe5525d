"""The algorithms, one folder per family; `declare.py` in each says what there is."""

FAMILIES = ("classic", "jumps", "bounds", "pathdb", "contraction", "zones", "regions", "realtime", "anyangle")
"""In the order in which algorithms are listed."""
