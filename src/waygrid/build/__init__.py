"""The Python side of an index: plans, work, workers, files."""
