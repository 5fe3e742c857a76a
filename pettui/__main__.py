"""``python -m pettui`` is ``pettui``."""

import sys

from pettui.cli import main

if __name__ == "__main__":
    sys.exit(main())
