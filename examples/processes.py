"""Several processes that share one index: built and saved once, mapped into memory by each of them.

    python examples/processes.py [--processes 2] [--queries 20000] [--size 300x300]

Threads do the same with less (`find_many` alone uses all cores); processes are for programs that have them anyway.
"""

import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import waygrid as wg

finder = None  # of this process


def prepare(map_file, index_file):
    """Load the index; it is mapped into memory, so that all processes share one copy of it."""
    global finder
    finder = wg.load_finder(index_file, wg.Grid.from_file(map_file))


def answer(ends):
    return finder.find_many(*ends, threads=1).costs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--size", default="300x300")
    arguments = parser.parse_args()
    width, height = (int(side) for side in arguments.size.split("x"))
    grid = wg.generate("rooms", width=width, height=height, seed=1)
    cells = np.argwhere(grid.passable)[:, ::-1]
    starts, goals = np.random.default_rng(0).choice(cells, (2, arguments.queries))
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "town.map"), Path(folder, "town.wgi")
        grid.save(files[0])
        made = wg.make_finder("jps+", grid)
        made.save(files[1])
        step = arguments.processes
        parts = [(starts[k::step], goals[k::step]) for k in range(step)]
        context = get_context("spawn")
        with ProcessPoolExecutor(arguments.processes, context, prepare, files) as pool:
            list(pool.map(answer, [(starts[:1], goals[:1])] * arguments.processes))  # every process loads its kernels
            began = time.perf_counter()
            costs = list(pool.map(answer, parts))
            seconds = time.perf_counter() - began
    expected = made.find_many(starts, goals).costs
    agree = all(np.array_equal(part, expected[k::step]) for k, part in enumerate(costs))
    print(f"{arguments.queries} queries by {arguments.processes} processes in {seconds:.2f} s; costs agree: {agree}")


if __name__ == "__main__":
    main()
