"""Goal bounding: astar-gb, dijkstra-gb, jps+gb."""
