"""Grid-Based Path-Finding (Yap)."""
