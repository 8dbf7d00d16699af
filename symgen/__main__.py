"""`python -m symgen`."""

from __future__ import annotations

import sys

from symgen.cli import main

if __name__ == "__main__":
    sys.exit(main())
