"""The Python side of a query."""
