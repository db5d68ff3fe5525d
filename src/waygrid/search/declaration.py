"""What an algorithm declares about itself, in its family's `declare.py`; everybody else reads it from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from waygrid.options import Bytes, Choice, Function, Integer, Option, Text

ALL_GRIDS = ("tile", "octile", "hex", "tex")
ALL_CORNERS = ("never", "one", "always")
MODELS = {  # where the paths of an algorithm may bend, and so what they cost
    "cells": "from cell to neighbouring cell; costs are those of the grid's moves",
    "centres": "straight legs between cell centres; costs are Euclidean lengths",
    "corners": "straight legs that bend at corners of walls, which they may touch; costs are Euclidean lengths",
}


@dataclass(frozen=True)
class Overlay:
    """A picture of what an algorithm made of the map, which the studio lays over it."""

    title: str
    summary: str
    place: str  # module:function of what draws it, below `waygrid.algorithms`
    options: tuple[str, ...] = ()  # those of the algorithm's options that change the picture
    cursor: bool = False  # it shows something of the cell under the mouse


@dataclass(frozen=True)
class Detail:
    """What an algorithm looks at when an event of its search happens, which the studio lays over the map."""

    title: str
    summary: str
    place: str = (
        ""  # module:function of what draws it, below `waygrid.algorithms`; empty: the page does, from the trace
    )


class CodeLine(NamedTuple):
    """One line of pseudo-code, and the kinds of events in a trace that belong to it.

    A kind with a star stands for events whose cell has no parent, such as the start.
    """

    text: str
    events: tuple[str, ...]


def read_code(text: str) -> tuple[CodeLine, ...]:
    """Return pseudo-code that is written one step a line, with the kinds of its events behind a bar.

    >>> read_code("while cells wait:\\n  take the first | expanding")
    (CodeLine(text='while cells wait:', events=()), CodeLine(text='  take the first', events=('expanding',)))
    """
    lines = [line.partition("|") for line in text.strip("\n").splitlines()]
    return tuple(CodeLine(step.rstrip(), tuple(events.split())) for step, _, events in lines)


@dataclass(frozen=True)
class AlgorithmInfo:
    """What an algorithm is and what it supports; anything else is refused."""

    name: str
    summary: str
    paper: str
    optimal: bool = False  #: the cheapest path, with the default options
    index: bool = False  #: preprocesses the map
    real_time: bool = False
    topologies: tuple[str, ...] = ALL_GRIDS
    corners: tuple[str, ...] = ALL_CORNERS
    weights: bool = True  #: accepts terrain weights
    mean: bool = False  #: accepts the rule "mean", by which both cells weigh a move
    one_way: bool = True  #: accepts one-way tiles
    blocked: bool = True  #: honours cells that are walls for one query
    model: str = "cells"  #: where its paths may bend: one of MODELS
    gpu: bool = False  #: the index can be built on a GPU
    options: Mapping[str, Option] = field(default_factory=dict)
    place: str = ""  #: module:class of its finder, below `waygrid.algorithms`
    aliases: tuple[str, ...] = ()  #: other names that people give it; an error suggests the right one
    large: bool = False  #: searches maps of millions of cells in 4 or 8 bytes per touched cell
    page: str = ""  #: of the documentation
    memory: str = ""  #: of a search and of the index, per cell of the map, in words
    follows: str = "at once"  #: how it answers after edits of the map, see FOLLOWS
    falls_back: tuple[str, ...] = ()  #: what searches on an edited map: the first of them that supports it
    agents_fall_back: tuple[str, ...] = ()  #: what agents become whose next move an edit has made illegal
    # For the advisor. The first of the settings of every algorithm is tried before the second of any.
    settings: tuple[Mapping[str, Any], ...] = ({},)  #: options worth trying, the likeliest first
    find_walks: bool = False  #: `find` walks an agent to its end: only agents are worth measuring
    agents_ignore: tuple[str, ...] = ()  #: options whose values in `settings` make no difference to agents
    exponential: bool = False  #: one query may take years: measurements cut it off
    # For the studio.
    pseudo_code: tuple[CodeLine, ...] = ()  #: each kind of its events belongs to a line, see `read_code`
    open_list: str = ""  #: how the entry is chosen that is taken next: one of OPEN_LISTS; empty: none is kept
    overlays: Mapping[str, Overlay] = field(default_factory=dict)
    details: Mapping[str, Detail] = field(default_factory=dict)
    build_estimate: str = ""  #: module:function that predicts the time of a build that cannot be stopped midway

    @property
    def metric(self) -> str:
        """What its paths are measured by: "grid", the grid's own metric, or "euclidean", the length of their legs."""
        return "grid" if self.model == "cells" else "euclidean"


FOLLOWS = {  # what algorithms do after an edit
    "at once": "has no index; the next query searches the map as it is",
    "repaired": "the index is repaired around the edit",
    "proved": "an answer of the index is kept where it is proved optimal on the map as it is; else it is searched for",
    "checked": "a path of the index is kept where it is still legal; where it is not, short searches mend it",
    "searched": "the index guides the search while cells were only closed; else it searches without",
}

OPEN_LISTS = {  # the order in which searches take entries
    "f": "the least f = g + h first; of equals the newest",
    "h": "the least h first; of equals the newest",
    "ranges": "the lowest range of f first; within a range the newest",
    "jumps": "the lowest range of f first; within a range the newest",
    "turns": "the lowest range of f first; within a range the newest; the best successor counts as newest",
    "lines": "the lowest range of f first; within a range the newest; a cheaper line takes off what it passes",
    "legs": "the lowest range of f first; within a range the newest; a cell whose leg is blocked waits again",
    "gates": "entries whose f fell below the current one first, by g; then the least f; of equals the newest",
    "queue": "first in, first out",
    "queues": "a layer of one side after the other, the smaller side first; within it first in, first out",
    "stack": "last in, first out",
    "hidden": "there is one, but the trace does not tell its order",
}

BUILD_OPTIONS: dict[str, Option] = {  # of every algorithm with an index; they change nothing in the index
    "device": Choice("cpu", "where the index is built", choices=("cpu", "gpu")),
    "threads": Integer(None, "threads that build; default: all cores", least=1),
    "progress": Function(None, "show or report how far the build is", extra=(True, False)),
    "memory": Bytes(None, "most memory that the build takes", unit="bytes"),
    "edits": Choice(
        "follow",
        "after edits of the map: follow them; also rebuild on a thread when the index helps little; or refuse",
        choices=("follow", "rebuild", "refuse"),
    ),
    "cluster": Text(None, "build there, in ranges of cells that become tasks", what="the address of a Dask scheduler"),
}
