"""Batches in which each query has the walls of its team."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import clock, layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.table import cell_numbers
from waygrid.search.batch import answer_groups
from waygrid.search.cells import count_threads, pairs_of
from waygrid.search.path import Batch
from waygrid.search.request import refuse_blocked

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

OPEN = -1  # the team without walls of its own
_SETS = (set, frozenset)


def find_for_teams(
    finder: Finder, starts: Any, goals: Any, threads: int | None, teams: Any, blocked: Any, **options: Any
) -> Batch:
    """Answer every query with the walls of its team, for `Finder.find_many`."""
    if blocked is None:
        raise WaygridError(
            "teams= needs blocked=: a (teams, height, width) mask, or a list with the cells of each team"
        )
    if teams is None:
        teams, blocked = _group(blocked, starts)
    walls = list(blocked)
    ends = pairs_of("starts", starts), pairs_of("goals", goals)
    if len(ends[0]) != len(ends[1]):
        raise WaygridError(f"there are {len(ends[0])} starts and {len(ends[1])} goals; each query needs one of each")
    members = _check_teams(teams, len(ends[0]), len(walls))
    if len(members) and _is_plain(finder, options):
        return _answer_at_once(finder, *ends, threads, members, walls, options)
    numbers: list[npt.NDArray[np.int64]] = []
    batches: list[Batch] = []
    for team in np.unique(members).tolist():
        chosen = np.flatnonzero(members == team)
        own = None if team == OPEN else walls[team]
        numbers.append(chosen)
        batches.append(finder.find_many(ends[0][chosen], ends[1][chosen], threads, blocked=own, **options))
    if not batches:
        return finder.find_many(*ends, threads, **options)
    return _merge(batches, np.concatenate(numbers))


def _is_plain(finder: Finder, options: dict[str, Any]) -> bool:
    """Return whether the finder's own kernel answers alone, and keeps cells."""
    finder._check_version()
    plain = options["prefer"] is None and not (options["partial"] or options["waypoints"])
    return finder._stand_in is None and plain


def _answer_at_once(
    finder: Finder,
    starts: Array,
    goals: Array,
    threads: int | None,
    members: npt.NDArray[np.int64],
    walls: list[Any],
    options: dict[str, Any],
) -> Batch:
    """Answer all queries in one batch whose walls change from team to team."""
    request = finder._request(False, options["max_expansions"], options["max_time"], None)
    if options["timed"]:
        clock.ns_per_tick()  # measured now, and not while queries run
        request = request._replace(flags=request.flags | layout.TIMED)
    order = np.argsort(members, kind="stable")
    ends = np.flatnonzero(np.diff(members[order])) + 1
    groups: list[tuple[Array, Array | None]] = []
    for chosen in np.split(order, ends):
        team = int(members[chosen[0]])
        groups.append((chosen, None if team == OPEN else _read_walls(finder, walls[team], int(chosen[0]))))
    batch = answer_groups(finder, starts, goals, request, groups, count_threads(threads), options["paths"])
    return _merge([batch], order)


def _read_walls(finder: Finder, walls: Any, query: int) -> Array:
    """Return the numbers of the cells that are walls of a query."""
    refuse_blocked(finder)
    try:
        return cell_numbers(walls, finder.grid)
    except WaygridError as error:
        raise WaygridError(f"query {query}: {error}") from None


def is_per_query(blocked: Any) -> bool:
    """Return whether blocked is a list with a set of cells for each query.

    >>> is_per_query([{(1, 0)}, set()]), is_per_query({(1, 0)}), is_per_query([(1, 0)]), is_per_query([])
    (True, False, False, False)
    """
    return isinstance(blocked, (list, tuple)) and bool(blocked) and all(isinstance(own, _SETS) for own in blocked)


def _group(blocked: Any, starts: Any) -> tuple[list[int], list[Any]]:
    """Return teams of queries with the same walls, and the walls of each team."""
    count = len(pairs_of("starts", starts))
    if len(blocked) != count:
        raise WaygridError(f"blocked has {len(blocked)} sets of cells for {count} queries; each query needs one")
    places: dict[frozenset[Any], int] = {}
    teams = [places.setdefault(frozenset(own), len(places)) if own else OPEN for own in blocked]
    return teams, list(places)


def _check_teams(teams: Any, count: int, most: int) -> npt.NDArray[np.int64]:
    try:
        members = np.asarray(teams)
    except ValueError:
        members = np.zeros(0)
    if members.shape != (count,) or (count and members.dtype.kind not in "iu"):
        raise WaygridError(f"teams is {show(teams)}; allowed is one integer for each of {count} queries")
    wrong = (members < OPEN) | (members >= most)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise WaygridError(
            f"query {k}: team {members[k]}; allowed are 0 to {most - 1}, as blocked= has them, and {OPEN} for no walls"
        )
    return members.astype(np.int64)


def _merge(batches: list[Batch], numbers: npt.NDArray[np.int64]) -> Batch:
    """Return one batch of all queries in their order; numbers: of the queries, batch after batch."""
    places = np.argsort(numbers)
    rows = np.concatenate([batch.rows for batch in batches])
    lengths = np.concatenate([batch.lengths for batch in batches])
    first = np.concatenate(([0], np.cumsum(lengths)))[:-1][places]
    sizes, kind = batches[0]._sizes._replace(exact=False), type(batches[0])
    if not batches[0].has_paths:
        return kind(np.ascontiguousarray(rows[places]), None, sizes)
    cells: Array = np.concatenate([batch._require_stored() for batch in batches])
    own = lengths[places]
    offsets = np.concatenate(([0], np.cumsum(own)))[:-1]
    order = np.repeat(first - offsets, own) + np.arange(int(own.sum()))
    return kind(np.ascontiguousarray(rows[places]), cells[order], sizes)
