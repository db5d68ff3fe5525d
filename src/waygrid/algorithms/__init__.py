"""One folder per family of algorithms, with everything of an algorithm in it."""
