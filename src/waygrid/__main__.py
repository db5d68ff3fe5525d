"""`python -m waygrid` is the command line."""

from waygrid.cli import main

main()
