"""Hashes of what every algorithm answers to a fixed set of queries, compared with those in the tree.

    python tests/determinism.py [--threads N] [--device gpu] [--grids octile,hex] [--only astar,cpd] [--write]

The answers are to be the same on any number of threads, in any process, with and without the compiler
(NUMBA_DISABLE_JIT=1), with the machine code of a wheel, and with indexes that a GPU has built (--device gpu; then only
algorithms that can). Costs of moves are hashed bit by bit, and so is every cell of every path: ties are broken in a
documented order. Lengths and points of straight legs are hashed to nine decimals, since square roots of C libraries may
differ in the last bit. --write rewrites determinism.json, after a change of answers that is meant.
"""

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import waygrid as wg

EXPECTED = Path(__file__).with_suffix(".json")
WIDTH, HEIGHT, QUERIES = 9, 8, 8
MOST = 3000  # expansions of a query: iterative deepening would take for ever
RULES = {
    "octile": {},
    "octile-always": {"corners": "always"},
    "octile-one": {"corners": "one", "metric": "bg"},
    "octile-large": {"clearance": 2, "metric": (5, 7)},
    "octile-weights": {"weighted": True},
    "octile-mean": {"weighted": True, "rule": "mean", "metric": "dba"},
    "octile-one-way": {"one_way": True},
    "tile": {"topology": "tile"},
    "tile-weights": {"topology": "tile", "weighted": True, "one_way": True},
    "hex": {"topology": "hex", "weighted": True},
    "tex": {"topology": "tex", "one_way": True},
}


class Chance:
    """Numbers that look random, and never depend on a library."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self, below):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % below


def make_grid(name):
    """Return a small map with the rules of a name."""
    rules = dict(RULES[name])
    weighted, one_way = rules.pop("weighted", False), rules.pop("one_way", False)
    chance = Chance(1 + list(RULES).index(name))
    walls = 8 if rules.get("clearance", 1) > 1 else 4
    passable = np.array([[chance(walls) > 0 for _ in range(WIDTH)] for _ in range(HEIGHT)])
    weights = np.array([[1 + chance(5) for _ in range(WIDTH)] for _ in range(HEIGHT)]) if weighted else None
    grid = wg.Grid(passable, weights=weights, **rules)
    for _ in range(6 if one_way else 0):
        kept = [each for each in grid.directions if chance(3)]
        grid.set_one_way((chance(WIDTH), chance(HEIGHT)), allowed=kept)
    return grid


def make_queries(grid):
    """Return starts and goals, one of them twice the same cell, others perhaps without a path."""
    cells = [(int(x), int(y)) for y, x in np.argwhere(grid.components >= 0)]
    chance = Chance(99)
    pairs = [(cells[chance(len(cells))], cells[chance(len(cells))]) for _ in range(QUERIES - 1)]
    pairs.append((cells[0], cells[0]))
    return [start for start, _ in pairs], [goal for _, goal in pairs]


def digest(lines):
    return hashlib.sha256("\n".join(map(str, lines)).encode()).hexdigest()[:16]


def say_path(path):
    """Return everything of a path that has to be the same everywhere."""
    if path.model == "cells":
        return path.status.name, repr(float(path.cost)), path.cells.tolist()
    return path.status.name, f"{path.cost:.9f}", [[f"{side:.9f}" for side in point] for point in path.points.tolist()]


def answer(name, info, grid, threads, device):
    """Return the hash of one algorithm's answers."""
    options = {"device": device} if info.index else {}
    finder = wg.make_finder(name, grid, **options)
    starts, goals = make_queries(grid)
    batch = finder.find_many(starts, goals, threads, max_expansions=MOST)
    said = [say_path(path) for path in batch]
    singles = [say_path(finder.find(*ends, max_expansions=MOST)) for ends in zip(starts, goals, strict=True)]
    assert singles == said, f"{name}: find and find_many differ"
    if info.real_time:
        pool = finder.agents(starts, goals, expansions=5, max_moves=200)
        said += [pool.step().tolist() for _ in range(12)]
    return digest(said)


def answer_beside(grid, threads):
    """Return the hashes of what answers beside finders: distances, crowds, preferences, partial paths."""
    starts, goals = make_queries(grid)
    finder, found = wg.make_finder("astar", grid), {}
    partial = finder.find_many(starts, goals, threads, partial=True)
    found["partial"] = digest(say_path(path) for path in partial)
    found["costs"] = digest([finder.costs(starts, goals, threads).tolist()])
    found["trace"] = digest([finder.trace(starts[0], goals[0]).events.tolist()])
    field = wg.distances(grid, starts[0])
    found["distances"] = digest([field.tolist()])
    if grid.topology in ("tile", "octile"):
        found["straight"] = digest(
            say_path(finder.find(*ends, prefer="straight")) for ends in zip(starts, goals, strict=True)
        )
    if grid.clearance == 1 and grid.weights is None and not grid.has_one_way:
        cells = list(dict.fromkeys(starts))
        crowd = wg.Crowd(grid, cells, cells[1:] + cells[:1])
        found["crowd"] = digest(crowd.step().tolist() for _ in range(15))
    return found


def answers(threads=1, device="cpu", grids=tuple(RULES), only=()):
    """Return the hashes by grid and algorithm."""
    found = {}
    for rules in grids:
        grid = make_grid(rules)
        of_grid = found[rules] = {}
        for name, info in wg.algorithms().items():
            if (only and name not in only) or (device == "gpu" and not info.gpu):
                continue
            try:
                of_grid[name] = answer(name, info, grid, threads, device)
            except wg.WaygridError as error:
                if "does not support" not in str(error) and "take device='cpu'" not in str(error):
                    raise
        if device == "cpu" and not only:
            of_grid.update({f"{name} (beside)": value for name, value in answer_beside(grid, threads).items()})
    return found


def differences(found, expected):
    """Return the names whose hash is another one, or is missing."""
    wrong = []
    for grid, names in found.items():
        wrong += [f"{grid}, {name}" for name, value in names.items() if expected.get(grid, {}).get(name) != value]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--grids", default=",".join(RULES), help="rules of maps")
    parser.add_argument("--only", default="", help="algorithms")
    parser.add_argument("--write", action="store_true", help="rewrite the expected hashes")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # without the compiler NumPy warns of wrap-around that is meant
    only = [name for name in asked.only.split(",") if name]
    found = answers(asked.threads, asked.device, asked.grids.split(","), only)
    count = sum(map(len, found.values()))
    if asked.write:
        EXPECTED.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{EXPECTED.name}: {count} hashes")
        return 0
    wrong = differences(found, json.loads(EXPECTED.read_text()))
    print(f"{count} hashes, {len(wrong)} differ: {'; '.join(wrong) or '-'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
