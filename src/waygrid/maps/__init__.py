"""MovingAI's map sets: list them, download one, check it, find its files.

This package does not use grids: a set is a folder of ``.map`` and ``.scen`` files with a list of their checksums.
"""

from waygrid.maps.catalogue import SETS, MapSet, find_set
from waygrid.maps.fetch import Fetched, fetch
from waygrid.maps.inventory import check, map_files, state

__all__ = ["SETS", "Fetched", "MapSet", "check", "fetch", "find_set", "map_files", "state"]
