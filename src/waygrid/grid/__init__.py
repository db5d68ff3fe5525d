"""What a map is: grids, topologies, metrics, edits, generators."""
