"""`python -m gossamer.app.reference DOCS_FOLDER`."""

import sys
from pathlib import Path

from gossamer.app.reference import write

write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
