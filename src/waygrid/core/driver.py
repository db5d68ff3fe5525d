"""The one loop over queries and the one over real-time agents. They know no algorithm: an algorithm brings functions.

A function names what it wants by its parameters, in any order, and gets that. A query offers

    moves weights geo labels    the tables of the grid
    policy                      what the finder's options mean, see `layout`
    nodes queue bits keys ctl   the search memory: records, open list, its bits, its keys, and the state
    extra                       what `finder._extra_for` returns: an index, for instance
    events                      where a traced search records, None if it is not traced
    queries i rows cells ask    the queries, the number of the current one, and where its answer goes

and whatever the algorithm names itself, as an expression of those: `jumps="extra.jumps"`.

The loop is written out for each algorithm, from the template below, and compiled: what it costs is one call of each
function. Numba has two other ways. A function passed as an argument is never found in the disk cache. Overloads on a
named tuple of all arrays are, but each function then counts references of every array it takes out: jps+gb took 1.14 to
1.25 of the time, cpd 1.15 to 1.19, a move of 10,000 dba agents 1.7 to 1.9 (brc202d, both trees in turns).
"""

import linecache
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.jit import jit
from waygrid.core.query import close_query, is_resumed, open_query

Plug = Callable[..., Any]

_QUERIES = """
def run(tables, policy, memory, extra, events, batch):
    moves, weights, geo, labels = tables
    nodes, queue, bits, keys, ctl = memory
    queries, rows, cells, ask = batch
    {own}
    ctl[at.BUDGET] = ask[at.ASK_BUDGET]
    for i in range(ask[at.ASK_FIRST], ask[at.ASK_LAST]):
        if not is_resumed(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            if ctl[at.STATUS] == at.RUNNING:
                {begin}
                if ctl[at.PAUSE] == at.PAUSE_DAMAGED:
                    return i
        if ctl[at.STATUS] == at.RUNNING:
            {advance}
            if ctl[at.STATUS] == at.RUNNING:
                return i
            {finish}
        if not {close}:
            return i
    return int(ask[at.ASK_LAST])
"""

_AGENTS = """
def step(tables, policy, store, ctl, extra, pool):
    moves, weights, geo, _ = tables
    agents, positions, ask = pool
    allowed = ask[agent.ALLOWED]
    {own}
    skipped = False
    began = now(ctl)
    for i in range(ask[agent.FIRST], ask[agent.LAST]):
        if agents[i, agent.STATE] != at.RUNNING:
            skipped = True
            continue
        if skipped:  # passing by others is not this agent's time
            began, skipped = now(ctl), False
        outcome = {move}
        if outcome == agent.NO_ROOM:
            agent.pause_step(ctl, agents, i, began)
            return i
        if outcome == agent.ASTRAY:
            return agent.give_up(agents, i)
        began = agent.end_step(geo, store, ctl, agents, positions, i, ask[agent.CAP], began)
    return int(ask[agent.LAST])
"""


def make_query_loop(
    module: str,
    begin: Plug,
    advance: Plug,
    finish: Plug | None = None,
    close: Plug = close_query,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Callable[..., int]:
    """Return the kernel that answers queries by these functions; `module` is the algorithm's own `__name__`.

    begin: puts the start on the open list; called where the answer is not known without a search.
    advance: searches until STATUS is no longer RUNNING, or PAUSE says why it stops; then it is called again.
    finish: clears what the search leaves behind.
    close: writes the path and the row of results; returns False, with PAUSE set, where there is no room for the path.
    names: further names for parameters, each with the expression that it stands for; evaluated once per call.

    The kernel takes (tables, policy, memory, extra, events, batch) and returns the number of the current query. When
    all are answered that is one more than the last; otherwise PAUSE says why it comes back early. Asked to resume, it
    continues where it stopped.
    """
    plugs = {"begin": begin, "advance": advance, "finish": finish, "close": close}
    return _build(_QUERIES, "run", module, plugs, names)


def make_agent_loop(module: str, move: Plug, names: Mapping[str, str] = MappingProxyType({})) -> Callable[..., int]:
    """Return the kernel that lets every agent of a pool make at most one move; see `agents`.

    move: one agent's step; returns MOVED, NO_ROOM where `store` is too small, or ASTRAY where the index is damaged.
    """
    return _build(_AGENTS, "step", module, {"move": move}, names)


def _build(
    template: str, name: str, module: str, plugs: dict[str, Plug | None], names: Mapping[str, str]
) -> Callable[..., int]:
    """Write the loop of an algorithm and compile it, as a function of the algorithm's module."""
    offered = {*re.findall(r"\w+", template), *names}
    calls = {role: _call(role, plug, offered) for role, plug in plugs.items()}
    own = "\n    ".join(f"{local} = {expression}" for local, expression in names.items())
    source = template.format(own=own, **calls)
    place = f"<{name} of {module}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)  # for tracebacks
    shared = {"agent": agent, "at": at, "is_resumed": is_resumed, "now": now, "np": np, "open_query": open_query}
    scope: dict[str, Any] = {**vars(sys.modules[module]), **shared, **plugs}
    exec(compile(source, place, "exec"), scope)
    return jit(scope[name], sources=[Path(__file__), *(_file_of(plug) for plug in plugs.values() if plug is not None)])


def _call(role: str, plug: Plug | None, offered: set[str]) -> str:
    """Write a call of a function with what its parameters name."""
    if plug is None:
        return ""
    code = getattr(plug, "py_func", plug).__code__
    wanted = code.co_varnames[: code.co_argcount]
    if missing := [name for name in wanted if name not in offered]:
        raise TypeError(f"{plug.__module__}.{plug.__name__} wants {', '.join(missing)}, which no driver offers")
    return f"{role}({', '.join(wanted)})"


def _file_of(plug: Plug) -> Path:
    return Path(str(sys.modules[plug.__module__].__file__))
