"""Path databases: cpd."""
