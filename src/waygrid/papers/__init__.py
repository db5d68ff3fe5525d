"""One module per paper: its tables and figures, repeated."""
