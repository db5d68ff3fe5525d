"""Graphs whose nodes have coordinates: waypoints, navigation meshes, quadtrees, networkx graphs."""
