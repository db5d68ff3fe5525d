"""Parses the risky parts of Tiled files: untrusted XML, and tile data in four encodings."""

import base64
import binascii
import warnings
import zlib
from typing import NoReturn
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError

# The four highest bits of a tile number say how the tile is turned.
_TILE_MASK = 0x0FFFFFFF
_COMPRESSIONS = {"": 0, "zlib": 15, "gzip": 31}  # window bits as zlib wants them


class _NoDoctype(ElementTree.TreeBuilder):
    """Builds a tree but refuses a DOCTYPE, because only there can entities be declared that grow or read files."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> NoReturn:
        raise WaygridError("a DOCTYPE is not allowed")


def parse_xml(data: bytes, name: str, root: str) -> ElementTree.Element:
    """The tree of an XML file whose outermost element must be ``root``.

    >>> parse_xml(b"<map width='3'/>", "a.tmx", "map").get("width")
    '3'
    """
    parser = ElementTree.XMLParser(target=_NoDoctype())
    try:
        parser.feed(data)
        tree: ElementTree.Element = parser.close()
    except WaygridError as error:
        raise WaygridError(f"{name}: {error}") from error
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = str(error).split(":")[0]
        raise WaygridError(f"{name}, line {line}, column {column + 1}: not valid XML ({reason})") from error
    except (ValueError, LookupError) as error:  # an encoding Python does not know, or one expat cannot use
        raise WaygridError(f"{name}: not XML that can be read ({error})") from error
    if tree.tag != root:
        raise WaygridError(f"{name}: the outermost element is <{tree.tag[:40]}>, not <{root}>")
    return tree


def number(element: ElementTree.Element, key: str, name: str, low: int, high: int) -> int:
    """A whole number in an attribute, with its allowed range."""
    text = element.get(key)
    if text is None:
        raise WaygridError(f"{name}: <{element.tag}> has no {key!r}")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10 and low <= int(text) <= high):
        raise WaygridError(f"{name}: {key} {text[:40]!r} of <{element.tag}>; allowed are {low} to {high}")
    return int(text)


def _from_elements(element: ElementTree.Element, name: str) -> NDArray[np.int64]:
    return np.array([number(t, "gid", name, 0, 2**32 - 1) if "gid" in t.attrib else 0 for t in element.iter("tile")])


def _from_csv(text: str, name: str) -> NDArray[np.int64]:
    if not text.strip():
        return np.empty(0, np.int64)
    if text.isascii() and not text.encode().translate(None, b"0123456789, \t\r\n"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                tiles = np.fromstring(text, np.int64, sep=",")
        except (ValueError, DeprecationWarning):
            pass
        else:
            if len(tiles) == text.count(",") + 1:
                return tiles
    raise WaygridError(f"{name}: the CSV data must be whole numbers between commas")


def _from_base64(text: str, compression: str, count: int, name: str) -> NDArray[np.int64]:
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
        if compression:
            unpacker = zlib.decompressobj(_COMPRESSIONS[compression])
            # One byte more than needed is asked for: enough to see that there is too much, whatever it grows to.
            data = unpacker.decompress(data, 4 * count + 1)
            if len(data) == 4 * count and not unpacker.eof:
                raise WaygridError(f"{name}: the {compression} data is cut off")
    except (binascii.Error, zlib.error, ValueError) as error:
        if isinstance(error, WaygridError):
            raise
        raise WaygridError(f"{name}: the base64 data cannot be decoded ({error})") from error
    if len(data) != 4 * count:
        more = "more than " if len(data) > 4 * count and compression else ""
        shown = min(len(data), 4 * count) if more else len(data)
        raise WaygridError(f"{name}: the data has {more}{shown} bytes; {count} tiles need {4 * count}")
    return np.frombuffer(data, "<u4").astype(np.int64)


def tiles(
    element: ElementTree.Element, encoding: str, compression: str, width: int, height: int, name: str
) -> NDArray[np.int64]:
    """The (height, width) tile numbers of a <data> or <chunk> element, without the bits that turn tiles.

    >>> tiles(ElementTree.fromstring("<data>1,0,2147483650,3</data>"), "csv", "", 2, 2, "a.tmx")
    array([[1, 0],
           [2, 3]])
    """
    text = element.text or ""
    if encoding == "":
        found = _from_elements(element, name)
    elif encoding == "csv":
        found = _from_csv(text, name)
    elif encoding == "base64":
        if compression not in _COMPRESSIONS:
            allowed = "none, zlib and gzip"
            raise WaygridError(f"{name}: compression {compression[:40]!r} is not supported; allowed are {allowed}")
        found = _from_base64(text, compression, width * height, name)
    else:
        raise WaygridError(f"{name}: encoding {encoding[:40]!r} is not supported; allowed are csv, base64 and none")
    if len(found) != width * height:
        raise WaygridError(f"{name}: the data has {len(found)} tiles; {width} x {height} need {width * height}")
    if len(found) and int(found.max()) >= 2**32:
        raise WaygridError(f"{name}: tile number {found.max()}; allowed is up to {2**32 - 1}")
    return (found & _TILE_MASK).reshape(height, width)
