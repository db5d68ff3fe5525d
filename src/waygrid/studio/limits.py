"""Limits on sizes and times, so that no request blocks the others."""

from __future__ import annotations

from typing import NamedTuple


class StudioLimits(NamedTuple):
    """The limits of one request.

    >>> StudioLimits().cells
    4000000
    """

    cells: int = 4_000_000  # of a map
    upload_bytes: int = 40_000_000
    json_bytes: int = 1_000_000  # of a request that is not a file or a map
    uploads: int = 2  # files and maps that are read at a time
    queued_uploads: int = 200  # and those that wait, of which nothing has been read; more are refused
    upload_s: float = 60.0  # until all of it has come
    events: int = 4_000_000  # of a trace; later ones are dropped
    agents: int = 2_000
    crowd: int = 1_000  # units that never collide
    crowd_cells: int = 2_000_000_000  # units times cells of the map
    crowd_fields: int = 400_000_000  # bytes of the distances to the goals of a crowd; without them it follows routes
    plan_s: float = 10.0  # of a whole plan for a crowd
    positions: int = 8_000_000  # of all agents together: agents times steps
    edits: int = 1_000  # of the map while agents walk
    edited_cells: int = 20_000  # of all edits of a walk together
    step_expansions: int = 10_000_000  # of all agents in one step, which cannot be cancelled
    agent_bytes: int = 500_000_000  # of all agents together
    search_s: float = 20.0
    flood_s: float = 3.0  # of a search although no path exists; iterative deepening would never end
    build_s: float = 120.0
    sectors: int = 100_000  # that an overlay shows
    kept_bytes: int = 500_000_000  # maps and indexes that are remembered, each
    kept: int = 256  # of each
    running: int = 3  # jobs at a time
    waiting: int = 12  # and in the queue; more are refused
    frames: int = 200  # of a GIF
    problems: int = 20_000  # rows of a scenario that are shown
