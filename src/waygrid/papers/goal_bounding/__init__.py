"""Faster A* with Goal Bounding (Rabin and Sturtevant)."""
