"""`python -m waygrid` is the command line."""

import sys

from waygrid.cli import main

if __name__ == "__main__":
    sys.exit(main())
