"""Compiled parts that every search shares."""
