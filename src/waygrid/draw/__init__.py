"""Pictures of maps, searches and paths."""
