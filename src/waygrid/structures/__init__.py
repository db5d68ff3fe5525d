"""What several finders are built from."""
