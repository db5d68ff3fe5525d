"""Map decomposition: dead-end and gateway."""
