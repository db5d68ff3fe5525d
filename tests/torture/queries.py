"""Random maps, rules, algorithms, options, limits and threads: all answers compared with the oracle's Dijkstra.

    python tests/torture/queries.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]
    WAYGRID_BOUNDSCHECK=1 python tests/torture/queries.py --out out/torture/bounds

A seed is a map and some finders with random options; each answers a batch of queries, some of them with limits, blocked
cells, other threads or a preference. The oracle floods from each start once, in plain Python. A path that is found must
be legal, cost what it says, and the optimum where the finder promises it; there must be one where there is one, unless
a limit ended the search. With bounds checks every index of the compiled code is checked as well; those kernels are
compiled first, which takes minutes.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cases import grid_of
from torture import frame
from torture.edits import make_case

import waygrid as wg
from waygrid import options as kinds

STARTS, GOALS = 10, 40  # of a batch: 400 queries
FINDERS = 4  # of a map
PLAIN = 0.5  # so many batches are asked without limits
REFUSALS = ("support", "allowed", "cannot", "needs", "takes", "only", "does not")  # words of errors that are right
MAY_GIVE_UP = {"ida", "iddfs", "step"}
SLOW = {"sglrta", "hcdps", "knn-lrta", "dlrta"}  # their builds take long even on small maps


def choose_options(chance, info):
    """Return random options of an algorithm, each of them seldom given."""
    chosen = {}
    for name, option in info.options.items():
        if chance.random() < 0.7:
            continue
        if isinstance(option, kinds.Flag):
            chosen[name] = bool(chance.integers(2))
        elif option.choices:
            chosen[name] = option.choices[chance.integers(len(option.choices))]
        elif isinstance(option, kinds.Integer):
            least = 1 if option.least is None else option.least
            chosen[name] = int(chance.integers(least, min(option.greatest or 2**31 - 1, least + 40) + 1))
        elif isinstance(option, kinds.Number):
            low = 1.0 if option.least is None else option.least
            high = low + 2 if option.greatest is None else option.greatest
            chosen[name] = float(chance.choice((low, high, low + (high - low) * chance.random())))
    if chosen.get("pruning") == "paper":  # as printed it misses paths, which its description says
        del chosen["pruning"]
    return chosen


def choose_case(chance):
    """Return a map with rules: one for edits, or with weights up to the largest and the rule `mean`."""
    case = make_case(chance)
    if case.weights is not None and chance.random() < 0.3:
        case.weights = chance.choice((1, 2, 65535), case.passable.shape)
    if case.weights is not None and chance.random() < 0.3:
        case.rule = "mean"
    return case


def choose_limits(chance, case):
    """Return random limits of queries; blocked cells are walls for the oracle, too."""
    case.blocked = set()
    if chance.random() < PLAIN:
        return {}
    limits = {}
    kind = chance.integers(6)
    if kind == 0:
        limits["max_expansions"] = int(chance.choice((1, 2, 5, 20, 100, 10**9)))
    elif kind == 1:
        limits["max_time"] = float(chance.choice((1e-9, 1e-6, 1e-5, 3600)))
    elif kind == 2:
        limits["partial"] = True
    elif kind == 3:
        limits["waypoints"] = True
    elif kind == 4:
        limits["prefer"] = "straight"
    else:
        cells = case.cells()
        picks = chance.integers(0, len(cells), int(chance.integers(1, 6))) if cells else []
        case.blocked = {cells[k] for k in picks}
        limits["blocked"] = sorted(case.blocked)
    return limits


class Truth:
    """What the oracle knows of a map: legal moves with their prices, and floods, each made once."""

    def __init__(self, case):
        self.case, self._floods = case, {}
        self.moves = {cell: {(x, y): price for x, y, price in case.neighbours(*cell)} for cell in case.cells()}

    def flood(self, start):
        if start not in self._floods:
            self._floods[start] = self.case.dijkstra(start)
        return self._floods[start]

    def cost_of(self, cells):
        """Return the cost of a path; None if a move is illegal."""
        total = 0.0
        for here, there in pairwise(cells):
            price = self.moves.get(here, {}).get(there)
            if price is None:
                return None
            total += price
        return total


def judge(truth, path, query, limits, promised):
    """Return what is wrong with one answer, or None."""
    start, goal = query
    best = truth.flood(start).get(goal)
    status, cells = path.status, [tuple(cell) for cell in path.cells.tolist()]
    if status == wg.Status.FOUND:
        if best is None:
            return "a path where there is none"
        if not cells or cells[0] != start or cells[-1] != goal:
            return f"other ends: {cells[:1]} {cells[-1:]}"
    elif status == wg.Status.UNREACHABLE:
        if best is not None:
            return f"unreachable, but the cost is {best}"
        if cells and not limits.get("partial"):
            return "unreachable, but a path"
    elif status == wg.Status.PARTIAL:
        if best is not None or not limits.get("partial"):
            return f"a partial path, but the cost is {best}"
        if not cells or cells[0] != start or cells[-1] not in truth.flood(start):
            return f"a partial path with other ends: {cells[:1]} {cells[-1:]}"
    elif not limits.keys() & {"max_expansions", "max_time"} and promised != "maybe":
        return f"status {status.name} without a limit"
    if not cells or path.model != "cells":
        return None
    paid = truth.cost_of(cells)
    if paid is None or cells[0] != start:
        return f"an illegal path {cells}"
    if abs(path.cost - paid) > 1e-9 * max(1, paid):
        return f"a cost of {path.cost}, not {paid}"
    if status == wg.Status.FOUND and paid < best * (1 - 1e-9):
        return f"a cost of {paid} below the optimum {best}"
    if status == wg.Status.FOUND and promised == "optimal" and paid > best * (1 + 1e-7):
        return f"a cost of {paid}, not the optimum {best}"
    return None


def ask(chance, case, finder, tally, about):
    """Ask one batch and judge all answers."""
    limits, info = choose_limits(chance, case), finder.info
    if info.name in MAY_GIVE_UP and "max_expansions" not in limits:
        case.blocked, limits = set(), {"max_expansions": 3000}
    truth = Truth(case)
    cells = list(truth.moves)
    if not cells:
        return
    starts = [cells[k] for k in chance.integers(0, len(cells), STARTS)]
    pairs = [(start, cells[k]) for start in starts for k in chance.integers(0, len(cells), GOALS)]
    threads = int(chance.choice((1, 1, 2, 5)))
    about = f"{about} {limits} threads={threads}"
    tally.note(about)
    try:
        batch = finder.find_many(*zip(*pairs, strict=True), threads, **limits)
        again = finder.find(*pairs[0], **limits)
    except wg.WaygridError as error:
        tally.count("batches refused")
        if not any(word in str(error) for word in REFUSALS):
            tally.fault(f"{about}: {error}")
        return
    promised = "optimal" if finder.optimal else "any"
    if info.name in MAY_GIVE_UP or info.real_time:
        promised = promised if finder.optimal and "max_moves" not in about else "maybe"
    for number, (path, query) in enumerate(zip(batch, pairs, strict=True)):
        fault = judge(truth, path, query, limits, promised)
        if fault is not None:
            tally.fault(f"{about}: {fault}, query {number} from {query[0]} to {query[1]}")
            break
    first = batch[0]
    if "max_time" not in limits and (first.status, first.cost) != (again.status, again.cost):
        tally.fault(f"{about}: find gives {again.status.name} {again.cost}, the batch {first.status.name} {first.cost}")
    tally.count("queries", len(pairs))
    tally.count(f"queries of {info.name}", len(pairs))


def attack(seed, tally):
    """Ask some finders on one map."""
    chance = np.random.default_rng([seed, 5])
    case = choose_case(chance)
    grid, infos = grid_of(case), wg.algorithms()
    for name in chance.permutation(sorted(infos))[:FINDERS]:
        if name in SLOW and chance.random() < 0.7:
            continue
        options = choose_options(chance, infos[name])
        about = f"{name} {options} on {grid.width} x {grid.height} {grid.topology}"
        tally.note(about)
        try:
            finder = wg.make_finder(str(name), grid, **options)
        except wg.WaygridError:
            tally.count("finders refused")
            continue
        tally.count("finders")
        for _ in range(3):
            ask(chance, case, finder, tally, about)


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=900))
