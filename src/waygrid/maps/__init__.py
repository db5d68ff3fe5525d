"""MovingAI's sets of maps: which there are, fetching one, checking it, finding its files.

Nothing here knows of grids: a set is a folder of ``.map`` and ``.scen`` files with a list of their checksums.
"""

from waygrid.maps.catalogue import SETS, MapSet, find_set
from waygrid.maps.fetch import Fetched, fetch
from waygrid.maps.there import check, map_files, state

__all__ = ["SETS", "Fetched", "MapSet", "check", "fetch", "find_set", "map_files", "state"]
