"""The frames of a film of a search, as numbers of at most 255 colours per pixel.

Each frame changes only the cells that events touched since the one before. So a film takes time for its events and for
the pixels of its frames, whatever the size of the map.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waygrid.core.layout import E_BOUND, E_EXPANDING, E_GENERATING, E_MOVE
from waygrid.draw.canvas import (
    BACKGROUND,
    PALETTES,
    Bytes,
    Floats,
    Ints,
    check_scale,
    darken,
    find_lines,
    make_layout,
)
from waygrid.draw.maps import GRID_LINES_FROM, cell_colours, draw_dot, draw_path
from waygrid.draw.notebook import MOST_SIDE, choose_scale
from waygrid.grid.topology import choose

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 2**24  # of a frame
COLOURS = 255  # the last number stays free, for pixels that do not change
_SHADES = 8  # of weights
# Marks of a cell. A trail stays, its last cell is where the agent is. From the last mark on: the order of expansion.
_OPENED, _TRAIL, _HERE, _CLOSED = 1, 2, 3, 4
_ROOM = 96  # colours of cells


@dataclass(frozen=True)
class Film:
    """What a film shows: a map, the events of a search on it, its ends and the path."""

    passable: NDArray[np.bool_]
    events: NDArray[Any]
    weights: NDArray[np.uint16] | None
    topology: str
    ends: tuple[tuple[int, int], tuple[int, int]]
    track: NDArray[np.int32]
    colours: str = "standard"


class Frames:
    """Draws the frames of a film, at most `most`; `palette` has their colours, (255, 3)."""

    def __init__(self, film: Film, most: int, scale: int | None) -> None:
        self._film = film
        self._palette = PALETTES[choose("colours", film.colours, tuple(PALETTES))]
        height, width = film.passable.shape
        # Of a huge map a pixel is several cells, of which the last event counts.
        self._every = 1 if scale is not None else math.ceil(max(width, height) / MOST_SIDE)
        self._ground = film.passable[:: self._every, :: self._every]
        height, width = self._ground.shape
        topology = film.topology if self._every == 1 else "tile"
        pixels = choose_scale(topology, width, height) if scale is None else 1
        if scale is not None:
            pixels = check_scale(scale, width, height, MOST_PIXELS)
        self._layout = make_layout(topology, width, height, pixels)
        cells = self._layout.cells()
        line = find_lines(cells) if pixels >= GRID_LINES_FROM else np.zeros(cells.shape, np.bool_)
        self._where = np.where(cells < 0, height * width, cells) + line * (height * width + 1)
        self._nodes, self._marks = self._visible()
        self.count = max(1, min(len(self._nodes), most))  # without the last one, which shows the path
        self._base, cell_palette = self._base_colours()
        self.palette: Bytes = np.full((COLOURS, 3), 255, np.uint8)
        self._used = 2 * len(cell_palette)
        self.palette[: self._used] = np.concatenate([cell_palette, darken(cell_palette)])

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of every frame."""
        return self._layout.size

    def __iter__(self) -> Iterator[Bytes]:
        """Yield the frames: after each share of the events, and one more with the path."""
        dots, path = self._overlays()
        self._begin()
        bounds = np.linspace(0, len(self._nodes), self.count + 1).astype(np.int64).tolist()
        for first, last in pairwise(bounds):
            self._apply(first, last)
            yield self._paint(dots)
        yield self._paint(path)

    # --- Events ------------------------------------------------------------------------------------------------------

    def _visible(self) -> tuple[NDArray[np.int32], Bytes]:
        """Return the cells of the events that change a picture, and their marks; mark 0: all marks are removed."""
        kind = self._film.events["kind"]
        shown = np.isin(kind, (E_GENERATING, E_EXPANDING, E_MOVE, E_BOUND))
        kind, nodes = kind[shown], self._film.events["node"][shown]
        if self._every > 1:
            y, x = np.divmod(nodes, self._film.passable.shape[1])
            nodes = y // self._every * self._ground.shape[1] + x // self._every
        expanded = kind == E_EXPANDING
        order = np.arange(np.count_nonzero(expanded))
        marks = np.zeros(len(kind), np.uint8)
        marks[kind == E_GENERATING], marks[kind == E_MOVE] = _OPENED, _TRAIL
        marks[expanded] = _CLOSED + order * self._levels // max(1, len(order))
        return nodes, marks

    def _begin(self) -> None:
        self._state = self._base.copy()
        self._trail, self._here = np.zeros(self._ground.size, np.bool_), 0

    def _apply(self, first: int, last: int) -> None:
        """Let the cells change as these events say; of several events of a cell the last one counts."""
        rounds = np.flatnonzero(self._marks[first:last] == 0)
        if rounds.size:  # iterative deepening begins again
            self._state[:] = self._base
            first += int(rounds[-1])
        nodes, marks = self._nodes[first:last], self._marks[first:last]
        self._state[nodes] = self._base[nodes] + marks
        if (walked := nodes[marks == _TRAIL]).size:
            self._trail[walked] = True
            self._here = int(walked[-1])
        if self._trail.any():
            self._state[:-1][self._trail] = self._base[:-1][self._trail] + _TRAIL
            self._state[self._here] = self._base[self._here] + _HERE

    # --- Colours -----------------------------------------------------------------------------------------------------

    @property
    def _shades(self) -> Ints:
        """The weights that have a colour of their own: all, or a few at even ratios."""
        weights = self._film.weights
        if weights is None:
            return np.ones(1, np.int64)
        present = np.unique(weights[self._film.passable]).astype(np.int64)
        if len(present) <= _SHADES:
            return present if present.size else np.ones(1, np.int64)
        return np.unique(np.rint(np.geomspace(present[0], present[-1], _SHADES)).astype(np.int64))

    @property
    def _levels(self) -> int:
        """The colours that show the order of expansion."""
        return min(32, _ROOM // len(self._shades) - _CLOSED)

    def _base_colours(self) -> tuple[Bytes, Bytes]:
        """Return the colour of each cell before the search, as a number, and the colours.

        The marks of a cell are the numbers that follow it. The colours are those of `draw_map`: it colours a strip
        that has every weight with every mark.
        """
        shades, marks = self._shades, _CLOSED + self._levels
        strip = np.tile(np.arange(marks), len(shades))[None]
        weights = None if self._film.weights is None else np.repeat(shades, marks)[None]
        order = np.where(strip >= _CLOSED, strip - _CLOSED, -1)
        colours = cell_colours(
            np.ones(strip.shape, np.bool_), self._palette, weights=weights, opened=strip == _OPENED, expanded=order
        )[0]
        colours[strip[0] == _TRAIL] = np.add(self._palette.path, self._palette.ground) // 2
        colours[strip[0] == _HERE] = np.add(self._palette.path, self._palette.outline) // 2
        colours = np.concatenate([colours, np.array([self._palette.wall, BACKGROUND], np.uint8)])
        base = np.zeros(self._ground.size, np.int64)
        if self._film.weights is not None:
            between = np.sqrt(shades[:-1] * shades[1:])
            base = np.searchsorted(between, self._film.weights[:: self._every, :: self._every].ravel()) * marks
        base[~self._ground.ravel()] = len(colours) - 2
        return np.append(base, len(colours) - 1).astype(np.uint8), colours

    # --- Pixels ------------------------------------------------------------------------------------------------------

    def _paint(self, overlay: tuple[NDArray[np.bool_], Bytes]) -> Bytes:
        inside, numbers = overlay
        both = np.concatenate(
            [self._state, self._state + np.uint8(self._used // 2)]
        )  # the same colours, darker for lines
        frame: Bytes = both[self._where]
        frame[inside] = numbers
        return frame

    def _overlays(self) -> tuple[tuple[NDArray[np.bool_], Bytes], ...]:
        """Return where start and goal lie and their colours, and the same with the path.

        They are drawn over the last frame, with smooth edges, and add their colours to the palette.
        """
        from PIL import Image

        self._begin()
        self._apply(0, len(self._nodes))
        nothing = np.zeros(self._where.shape, np.bool_), np.zeros(0, np.uint8)
        plain = self.palette[self._paint(nothing)]
        pictures = []
        for track in (self._film.track[:0], self._film.track):
            image = Image.fromarray(plain)
            self._draw(image, track)
            pictures.append(np.asarray(image))
        inside = [(picture != plain).any(axis=2) for picture in pictures]
        drawn = [picture[where] for picture, where in zip(pictures, inside, strict=True)]
        self._add_colours(np.concatenate(drawn))
        return tuple((where, self._nearest(colours)) for where, colours in zip(inside, drawn, strict=True))

    def _draw(self, image: "Image", track: Ints | NDArray[np.int32]) -> None:
        def centres(cells: Any) -> Floats:
            return self._layout.centres(np.asarray(cells, np.int64).reshape(-1, 2) // self._every)

        pixels, palette = self._layout.scale, self._palette
        if len(track):
            draw_path(image, centres(track), pixels, palette)
        for end, colour in zip(self._film.ends, (palette.start, palette.goal), strict=True):
            draw_dot(image, centres(end)[0], pixels, colour, palette.outline)

    def _add_colours(self, colours: Bytes) -> None:
        """Add the most frequent colours to the palette, as many as it has room for."""
        different, counts = np.unique(colours, axis=0, return_counts=True)
        chosen = different[np.argsort(-counts, kind="stable")][: COLOURS - self._used]
        self.palette[self._used : self._used + len(chosen)] = chosen
        self.palette[self._used + len(chosen) :] = self.palette[0]

    def _nearest(self, colours: Bytes) -> Bytes:
        different, which = np.unique(colours, axis=0, return_inverse=True)
        away = different[:, None].astype(np.int32) - self.palette
        nearest: Bytes = (away**2).sum(axis=2).argmin(axis=1).astype(np.uint8)
        return nearest[which.ravel()]
