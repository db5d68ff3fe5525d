"""The advisor: which algorithm suits a map and the limits of a game."""
