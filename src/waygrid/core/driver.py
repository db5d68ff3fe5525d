"""The one loop over queries and the one over real-time agents. They know no algorithm: an algorithm brings functions.

A function names what it wants by its parameters, in any order, and gets that. A query offers

    moves weights geo labels    the tables of the grid
    policy                      what the finder's options mean, see `layout`
    nodes queue bits ctl        the search memory: records, open list, its bits, and the state
    spare                       more memory, for what `finder._shape` asks: a heap's keys, waypoints, an agent's store
    index                       what `finder._index_arrays_for` returns: the arrays of an index, for instance
    events                      where a traced search records, None if it is not traced
    queries i rows cells        the queries, the number of the current one, and where its answer goes
    request                     what is asked of this call, see `layout`

and whatever the algorithm names itself, as an expression of those: `jumps="index.jumps"`.

The loop is written out for each algorithm, from the template below, and compiled: what it costs is one call of each
function. Numba has two other ways. A function passed as an argument is never found in the disk cache. Overloads on a
named tuple of all arrays are, but each function then counts references of every array it takes out: jps+gb took 1.14 to
1.25 of the time, cpd 1.15 to 1.19, a move of 10,000 dba agents 1.7 to 1.9 (brc202d, both trees in turns).
"""

import ast
import inspect
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
Plugs = Plug | tuple[Plug, ...] | None

_QUERIES = """
def run(tables, policy, memory, index, events, batch):
    moves, weights, geo, labels = tables
    nodes, queue, bits, spare, ctl = memory
    queries, rows, cells, request = batch
    {own}
    ctl[at.BUDGET] = request[at.ASK_BUDGET]
    for i in range(request[at.ASK_FIRST], request[at.ASK_LAST]):
        if not is_resumed(request, i):
            {open}
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
    return int(request[at.ASK_LAST])
"""

_AGENTS = """
def step(tables, policy, store, ctl, index, pool):
    moves, weights, geo, _ = tables
    agents, positions, request = pool
    allowed = request[agent.ALLOWED]
    {own}
    skipped = False
    began = now(ctl)
    for i in range(request[agent.FIRST], request[agent.LAST]):
        if agents[i, agent.STATE] != at.RUNNING:
            skipped = True
            continue
        if skipped:  # passing by others is not this agent's time
            began, skipped = now(ctl), False
        worked, planned = agents[i, agent.WORK], -1
        until = worked + allowed
        if {is_due}:
            planned = {plan}
        {move}
        if outcome == agent.NO_ROOM:
            agent.pause_step(ctl, agents, i, began)
            return i
        if outcome == agent.ASTRAY:
            return agent.give_up(agents, i)
        began = agent.end_step(geo, store, ctl, agents, positions, i, request[agent.CAP], began)
    return int(request[agent.LAST])
"""

_SHARED = {"agent": agent, "at": at, "is_resumed": is_resumed, "now": now, "np": np}


def make_query_loop(
    module: str,
    begin: Plugs,
    advance: Plug,
    finish: Plugs = None,
    close: Plug = close_query,
    names: Mapping[str, str] = MappingProxyType({}),
    open: Plug = open_query,
) -> Callable[..., int]:
    """Return the kernel that answers queries by these functions; `module` is the algorithm's own `__name__`.

    begin: puts the start on the open list; called where the answer is not known without a search.
    advance: searches until STATUS is no longer RUNNING, or PAUSE says why it stops; then it is called again.
    finish: clears what the search leaves behind.
    close: writes the path and the row of results; returns False, with PAUSE set, where there is no room for the path.
    names: further names for parameters, each with the expression that it stands for; evaluated once per call.
    open: checks the query and resets the state of the search; sets STATUS where the answer is known.

    The kernel takes (tables, policy, memory, index, events, batch) and returns the number of the current query. When
    all are answered that is one more than the last; otherwise PAUSE says why it comes back early. Asked to resume, it
    continues where it stopped.
    """
    plugs = {"open": open, "begin": begin, "advance": advance, "finish": finish, "close": close}
    return _build(_QUERIES, "run", module, plugs, names)


def make_agent_loop(
    module: str,
    move: Plug,
    plan: Plug | None = None,
    is_due: Plug | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Callable[..., int]:
    """Return the kernel that lets every agent of a pool make at most one move; see `agents`.

    plan: where `is_due` says so, decides where the agent heads for; what it returns is `planned`, otherwise -1.
    move: makes the move; returns MOVED, NO_ROOM where `store` is too small, or ASTRAY where the index is damaged.

    Most moves follow a plan, and take 0.4 us: the references that a call counts would be felt. So what only planning
    reads is not passed to `move`, and a `move` whose only return is its last line is written out in the loop. With one
    call for both, a move of 10,000 dba agents took 1.29 of the time, with two 1.07 to 1.10.
    """
    return _build(_AGENTS, "step", module, {"move": move, "plan": plan, "is_due": is_due}, names)


def _build(
    template: str, name: str, module: str, plugs: dict[str, Plugs], names: Mapping[str, str]
) -> Callable[..., int]:
    """Write the loop of an algorithm and compile it, as a function of the algorithm's module."""
    offered = {*re.findall(r"\w+", template), *names}
    scope: dict[str, Any] = {**vars(sys.modules[module]), **_SHARED}
    calls, files = {}, [Path(__file__)]
    for role, some in plugs.items():
        each = some if isinstance(some, tuple) else () if some is None else (some,)
        scope.update({f"{role}{number}": plug for number, plug in enumerate(each)})
        calls[role] = "; ".join(_call(f"{role}{number}", plug, offered) for number, plug in enumerate(each))
        files += [Path(str(sys.modules[plug.__module__].__file__)) for plug in each]
    if "move" in calls:
        calls["move"] = _write_out(scope["move0"], scope) or f"outcome = {calls['move']}"
    own = "\n    ".join(f"{local} = {expression}" for local, expression in names.items())
    without = {"finish": "", "is_due": "False", "plan": "-1"}
    source = template.format(own=own, **{role: call or without[role] for role, call in calls.items()})
    place = f"<{name} of {module}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)  # for tracebacks
    exec(compile(source, place, "exec"), scope)
    return jit(scope[name], sources=files)


def _call(role: str, plug: Plug, offered: set[str]) -> str:
    """Write a call of a function with what its parameters name."""
    code = getattr(plug, "py_func", plug).__code__
    wanted = code.co_varnames[: code.co_argcount]
    if missing := [name for name in wanted if name not in offered]:
        raise TypeError(f"{plug.__module__}.{plug.__name__} wants {', '.join(missing)}, which no driver offers")
    return f"{role}({', '.join(wanted)})"


def _write_out(plug: Plug, scope: dict[str, Any]) -> str:
    """Return the lines of a function, with `outcome` for what it returns; none where it returns in other places too."""
    function = getattr(plug, "py_func", plug)
    (definition,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(definition, ast.FunctionDef)
    *lines, last = definition.body
    returns = [node for node in ast.walk(definition) if isinstance(node, ast.Return)]
    if returns != [last] or returns[0].value is None:
        return ""
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if value is not None and scope.setdefault(name, value) is not value:
            raise TypeError(f"{plug.__module__} and the loop's module have two things called {name}")
    lines.append(ast.Assign([ast.Name("outcome", ast.Store())], returns[0].value))
    module = ast.fix_missing_locations(ast.Module(lines[ast.get_docstring(definition) is not None :], []))
    return ast.unparse(module).replace("\n", "\n        ")
