"""Fast Grid-based Path Finding for Video Games (Lee and Lawrence)."""
