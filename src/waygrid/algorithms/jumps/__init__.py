"""Jump point search: jps, jps+ and the graph of turns."""
