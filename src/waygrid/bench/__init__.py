"""Measuring: scenarios, runner, tables."""
