"""`python -m waygrid.cli`."""

import sys

from waygrid.cli import main

if __name__ == "__main__":
    sys.exit(main())
