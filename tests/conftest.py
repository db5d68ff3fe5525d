"""Settings of all tests: reproducible hypothesis runs, the folder of real maps."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "waygrid", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("waygrid")

ROOT = Path(__file__).parent.parent

# A shell that starts the suite in the background makes it ignore Ctrl-C, and so all processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def maps():
    """The folder of MovingAI maps, or a skip with the reason."""
    folder = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))
    if not folder.is_dir():
        pytest.skip(f"no real maps: {folder} is not a folder (set WAYGRID_MAPS)")
    return folder
