"""What the parts of an app do is tried by commands, too."""

from tests.cli.conftest import refused as refused  # noqa: PLC0414 - a fixture
from tests.cli.conftest import run_here as run_here  # noqa: PLC0414 - a fixture
