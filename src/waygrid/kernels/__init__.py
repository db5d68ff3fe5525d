"""Compiled loops only: arrays in, arrays and status codes out. No classes, no files, no messages."""
