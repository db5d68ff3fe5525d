"""Two source trees side by side: is what changed as fast as before?

    python benchmarks/trees.py ../before/src src --map ../shared/maps/dao/brc202d.map

Each tree answers in processes of its own, in turns (A, B, A, B ...), so that both see the same machine. Processor time
of the thread counts, of several passes the quickest.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

TIMING = str(Path(__file__).resolve().parent.parent / "src" / "waygrid" / "measure" / "timing.py")
WORK = r"""
import importlib.util, json, sys
import numpy as np
import waygrid as wg

spec = importlib.util.spec_from_file_location("timing", sys.argv[3])  # this tree's, for both of them
timing = sys.modules["timing"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(timing)
path, wanted = sys.argv[1], sys.argv[2].split(",")
grid = wg.Grid.from_file(path)
cells = np.argwhere(grid.passable)[:, ::-1]
labels = grid.components
cells = cells[labels[cells[:, 1], cells[:, 0]] == np.bincount(labels[labels >= 0]).argmax()]
pick = np.random.default_rng(0)
starts, goals = cells[pick.integers(0, len(cells), 2000)], cells[pick.integers(0, len(cells), 2000)]


found = {}
for name in wanted:
    count = {"astar": 60, "gateway": 60, "jps+": 1000}.get(name, 2000)
    finder = wg.make_finder(name, grid)
    ask = lambda: finder.find_many(starts[:count], goals[:count], 1)
    ask()
    found[name] = timing.time_best(ask, fill_s=0.0, least=7) / count
    if name == "dba":
        def walk():
            pool = finder.agents(np.resize(starts, (10_000, 2)), np.resize(goals, (10_000, 2)))
            return timing.time_call(lambda: [pool.step() for _ in range(10)])[0]
        walk()
        found["10,000 dba agents, a move"] = min(walk() for _ in range(7)) / 10
small = wg.Grid(np.ones((64, 64), bool))
finder = wg.make_finder("astar", small)
finder.find((3, 3), (9, 5))


def short():
    for _ in range(2000):
        finder.find((3, 3), (9, 5))


found["find of a short path"] = timing.time_best(short, fill_s=0.0, least=7) / 2000
print(json.dumps(found))
"""


def measure(tree: Path, arguments: argparse.Namespace) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(tree.resolve())}
    command = [sys.executable, "-c", WORK, str(arguments.map), arguments.algorithms, TIMING]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--map", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--algorithms", default="astar,jps+,jps+gb,cpd,gateway,dba")
    arguments = parser.parse_args()
    pairs = [
        (measure(arguments.before, arguments), measure(arguments.after, arguments)) for _ in range(arguments.rounds)
    ]
    print(f"{'us':28} {'before':>10} {'after':>10} {'ratio':>7}  of the quickest; median of the rounds' ratios")
    for name in pairs[0][0]:
        before, after = min(one[name] for one, _ in pairs), min(two[name] for _, two in pairs)
        middle = statistics.median(two[name] / one[name] for one, two in pairs)
        print(f"{name:28} {1e6 * before:10.3f} {1e6 * after:10.3f} {after / before:7.3f}  {middle:.3f}")


if __name__ == "__main__":
    main()
