"""Reading and writing large rasters: seconds, and the most memory beside what is handed over, in bytes per cell.

    python benchmarks/raster_files.py [--size 16384x12288] [--only from_costs,tif,npy,corridor]

Each task runs in a process of its own, so that peaks do not add up. A grid with weights takes 3 bytes per cell itself,
one without them 1. Costs are integers from 1 to 60,000, or floats with two decimals or with all their digits, in smooth
areas, and a twentieth of the cells are walls; seconds are those of one run, files are in the page cache.
"""

import multiprocessing
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_words

import waygrid as wg

_CORRIDOR = (3000, 2000)  # cells: distances take more memory than the map


def make_costs(kind, width, height):
    """Return costs row by row, without temporaries of the whole size."""
    costs = np.empty((height, width), np.uint16 if kind == "uint16" else np.float32)
    chance, x = np.random.default_rng(1), np.arange(width)
    for y in range(height):
        row = 30_000 + 15_000 * np.sin(x / 97) * np.cos(y / 61) + chance.integers(0, 300, width)
        row = row if kind == "uint16" else row / 100 if kind == "digits" else np.rint(row) / 100
        costs[y] = np.where(chance.random(width) < 0.05, 0 if kind == "uint16" else np.nan, row)
    return costs


def now_bytes():
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def follow_peak(work):
    """Return the seconds of a piece of work, and how far the memory of the process rises while it runs."""
    before, peak, done = now_bytes(), [0], threading.Event()

    def look():
        while not done.wait(0.002):
            peak[0] = max(peak[0], now_bytes())

    watcher = threading.Thread(target=look)
    watcher.start()
    start = time.perf_counter()
    kept = work()
    seconds = time.perf_counter() - start
    peak[0] = max(peak[0], now_bytes())
    done.set()
    watcher.join()
    del kept
    return seconds, peak[0] - before


def make_task(task, kind, width, height, folder):
    """Return what is timed; everything before it is preparation."""
    costs = make_costs(kind, width, height)
    nodata = 0 if kind == "uint16" else None
    if task == "from_costs":
        wg.Grid.from_costs(costs[:2], nodata=nodata)
        return lambda: wg.Grid.from_costs(costs, nodata=nodata)
    if task == "from_costs scale":
        return lambda: wg.Grid.from_costs(costs, scale=0.01)
    if task == "corridor":
        grid = wg.Grid.from_costs(costs)
        ends = [tuple(end.tolist()) for end in np.argwhere(grid.passable)[[0, -1], ::-1]]
        wg.corridor(wg.Grid.from_costs(costs[:50, :50]), (1, 1), (1, 1))
        return lambda: wg.corridor(grid, *ends)
    file = folder / ("a.npy" if "npy" in task else "a.tif")
    grid = wg.Grid.from_costs(costs, nodata=nodata)
    if "walls" in task:
        grid = wg.Grid(grid.passable)
    wg.Grid([[1, 1]]).save(file)
    if "write" in task:
        return lambda: grid.save(file)
    grid.save(file)
    return lambda: wg.Grid.from_file(file)


def run_task(task, kind, width, height, answers):
    """Time one task, in a process that does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, peak = follow_peak(make_task(task, kind, width, height, Path(folder)))
        file = next(Path(folder).glob("a.*"), None)
        answers.put((seconds, peak, file.stat().st_size if file else 0))


TASKS = [
    ("from_costs", "uint16"),
    ("from_costs", "decimals"),
    ("from_costs", "digits"),
    ("from_costs scale", "digits"),
    ("tif write", "uint16"),
    ("tif read", "uint16"),
    ("tif read", "digits"),
    ("npy write", "uint16"),
    ("npy read", "uint16"),
    ("npy write, walls", "uint16"),
    ("npy read, walls", "uint16"),
    ("corridor", "decimals"),
]


def main():
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("--size", default="16384x12288", help="of the raster, in cells")
    parser.add_argument("--only", type=split_words, default=["from_costs", "tif", "npy", "corridor"])
    given = begin_run(parser)
    size = tuple(int(side) for side in given.size.split("x"))
    print_heading("task", "costs", "cells", "s", "bytes per cell at most", "bytes per cell in the file")
    fresh = multiprocessing.get_context("spawn")
    for task, kind in TASKS:
        if not any(task.startswith(name) for name in given.only):
            continue
        width, height = np.minimum(size, _CORRIDOR).tolist() if task == "corridor" else size
        answers = fresh.Queue()
        process = fresh.Process(target=run_task, args=(task, kind, width, height, answers))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"{task} failed")
        seconds, peak, stored = answers.get()
        cells = width * height
        print_row(
            task,
            kind,
            f"{width:,} x {height:,}",
            f"{seconds:.2f}",
            f"{peak / cells:.1f}",
            f"{stored / cells:.2f}" if stored else "",
        )


if __name__ == "__main__":
    main()
