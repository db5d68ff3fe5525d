"""The kernels as plain Python: the same answers, so that coverage and tracebacks can be had from them."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np

import waygrid as wg


def answers():
    """Costs, expansions and traces of every algorithm on small maps of every kind."""
    found = {}
    for topology in ("tile", "octile", "hex", "tex"):
        for weighted in (False, True):
            rng = np.random.default_rng(7)
            passable = rng.random((6, 7)) > 0.2
            passable[0, 0] = passable[5, 6] = True
            weights = rng.integers(1, 4, passable.shape) if weighted else None
            grid = wg.Grid(passable, topology=topology, weights=weights)
            grid.set_passable((3, 3), False)
            if weighted:
                grid.set_one_way((0, 0), grid.directions[:4])
            for name, info in wg.algorithms().items():
                if topology in info.topologies and (not weighted or (info.weights and info.one_way)):
                    finder = wg.make_finder(name, grid)
                    path = finder.find((0, 0), (6, 5), partial=True, max_expansions=5000)
                    trace = finder.trace((0, 0), (6, 5))
                    found[f"{topology} {weighted} {name}"] = [path.cells.tolist(), list(path.stats), len(trace.events)]
            found[f"{topology} {weighted} field"] = wg.distances(grid, (0, 0), reverse=True)[0].tolist()
    return found


def test_plain_python_gives_the_same_answers():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(answers()))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # NumPy warns of the wrap-around that random numbers and bit tricks rely on
    print(json.dumps(answers()))
