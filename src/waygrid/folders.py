"""The two folders that waygrid writes to: caches and downloaded maps."""

import os
import sys
from pathlib import Path


def cache_home() -> Path:
    """Return the folder that holds waygrid's caches: WAYGRID_CACHE, else the platform's place for such things."""
    if os.environ.get("WAYGRID_CACHE"):
        return Path(os.environ["WAYGRID_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "waygrid" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "waygrid"


def maps_home() -> Path:
    """Return the folder of MovingAI sets: WAYGRID_MAPS, else `maps` in the folder of caches."""
    return Path(os.environ["WAYGRID_MAPS"]) if os.environ.get("WAYGRID_MAPS") else cache_home() / "maps"
