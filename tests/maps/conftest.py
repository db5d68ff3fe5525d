"""The server, and patience without waiting."""

import pytest
from map_server import dao, server

from waygrid.maps.download import Patience

__all__ = ["dao", "server"]


@pytest.fixture
def waits():
    """How long was waited, instead of waiting."""
    return []


@pytest.fixture
def patience(waits):
    return Patience(timeout=5.0, tries=3, sleep=waits.append)
