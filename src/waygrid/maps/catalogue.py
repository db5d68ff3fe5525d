"""The sets that MovingAI offers for download.

Names and addresses follow the pattern of https://www.movingai.com/benchmarks/grids.html. The numbers of maps are those
commonly given; a set with another number is accepted, with a note. The set ``weighted`` is not supported: its terrains
A to Z have no costs.
There are no checksums here, because MovingAI publishes none: see :mod:`waygrid.maps.fetch` for the checks of archives.
"""

import os
from typing import NamedTuple
from urllib.parse import urlsplit

from waygrid.errors import WaygridError

ADDRESS = "https://www.movingai.com/benchmarks"
KINDS = ("map", "scen")  # the two archives of a set


class MapSet(NamedTuple):
    """A set: its name at MovingAI, its contents, its number of maps, and its folder."""

    name: str
    what: str
    maps: int
    folder: str

    def archive(self, kind: str) -> str:
        """Return the file name of an archive.

        >>> find_set("dao").archive("scen")
        'dao-scen.zip'
        """
        return f"{self.name}-{kind}.zip"

    def address(self, kind: str, base: str) -> str:
        """Return the address of an archive, below the address of all sets.

        >>> find_set("rooms").address("map", ADDRESS)
        'https://www.movingai.com/benchmarks/room/room-map.zip'
        """
        return f"{base.rstrip('/')}/{self.name}/{self.archive(kind)}"


def _listed(*rows: tuple[str, str, int] | tuple[str, str, int, str]) -> dict[str, MapSet]:
    return {row[0]: MapSet(row[0], row[1], row[2], row[3] if len(row) == 4 else row[0]) for row in rows}


SETS = _listed(
    ("dao", "Dragon Age: Origins", 156),
    ("da2", "Dragon Age 2", 67),
    ("bgmaps", "Baldur's Gate II, original sizes", 120),
    ("bg512", "Baldur's Gate II, scaled to 512 x 512", 75),
    ("wc3maps512", "Warcraft III, scaled to 512 x 512", 36),
    ("sc1", "StarCraft", 75),
    ("street", "streets of cities", 90, "cities"),
    ("maze", "mazes with corridors of 1 to 32 cells", 60, "mazes"),
    ("random", "10 to 40 % of cells blocked at random", 70),
    ("room", "square rooms with random doors", 40, "rooms"),
)


def find_set(name: str) -> MapSet:
    """Return a set by its name at MovingAI or by its folder.

    >>> find_set("maze").folder, find_set("mazes").name
    ('mazes', 'maze')
    >>> find_set("quake")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: there is no set 'quake'; allowed are dao da2 bgmaps bg512 wc3maps512 sc1 street maze \
random room
    """
    for known in SETS.values():
        if name in (known.name, known.folder):
            return known
    raise WaygridError(f"there is no set {name!r}; allowed are {' '.join(SETS)}")


def base_address(given: str | None) -> str:
    """Return the base address of the sets: the given one, else WAYGRID_MAPS_URL, else MovingAI's.

    >>> base_address("ftp://example.org")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: address 'ftp://example.org'; it must begin with https:// or http:// and name a host
    """
    base = given or os.environ.get("WAYGRID_MAPS_URL") or ADDRESS
    try:
        parts = urlsplit(base)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        fits = False
    if not fits or any(sign.isspace() or not sign.isascii() or not sign.isprintable() for sign in base):
        raise WaygridError(f"address {base!r}; it must begin with https:// or http:// and name a host")
    return base
