"""The graph kernels as plain Python: the same answers."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np

import waygrid as wg


def answers():
    chance = np.random.default_rng(4)
    points, edges = chance.integers(0, 5, (14, 2)), chance.integers(0, 14, (30, 2))
    graph = wg.Graph(points, edges, chance.integers(1, 4, 30))
    found = []
    for name, options in (
        ("dijkstra", {}),
        ("astar", {"weight": 1.5}),
        ("astar-gb", {"ties": "one"}),
        ("dijkstra-gb", {"ties": "all"}),
    ):
        finder = wg.make_finder(name, graph, **options)
        batch = finder.find_many([0, 3, 5, 5], [9, 4, 13, 5], threads=1)
        found.append([batch.nodes.tolist(), batch.rows.tolist(), finder.expansion_order(0, 9).tolist()])
        found.append([array.tolist() for array in finder.index.values()])
    return found


def test_plain_python_gives_the_same_answers():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(answers()))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # NumPy warns of the wrap-around that bit tricks rely on
    print(json.dumps(answers()))
