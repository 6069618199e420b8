"""``python -m gossamer``: the command line."""

import sys

from gossamer.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
