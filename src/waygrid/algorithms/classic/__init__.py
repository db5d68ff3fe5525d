"""Searches without an index: breadth, depth and best first, A*, IDA*, step."""
