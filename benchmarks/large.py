"""Huge maps: time and memory of everything that is done with them.

    python benchmarks/large.py --only raster --side 18000x12000
    python benchmarks/large.py --only peer --side 6000x4000
    python benchmarks/large.py --only caves --side 16384x16384

Each part runs in a process of its own, so that its peak memory is known (`ru_maxrss`). Maps are generated from a seed
into --folder before anything is measured, and kept there. Times are wall-clock times of one call, after the kernels
have been compiled on a tiny map.

raster: costs of 16 bits, smooth terrain with noise, from corner to corner. peer: the same path by scikit-image's
MCP_Geometric, which prices moves by the mean of both cells (`pip install -r benchmarks/requirements-peers.txt`).
caves: `wg.generate`, then the first path between far corners, components, an edit, a picture, and saving.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_words

import waygrid as wg
from waygrid.draw.maps import draw_map

PARTS = ("raster", "peer", "caves")
MIB = 2**20


def peak():
    """Return the most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def make_terrain(width, height, most, seed):
    """Return costs from 1 to `most`: hills and valleys in waves, and a tenth of noise, made row by row."""
    chance = np.random.Generator(np.random.PCG64(seed))
    costs, x = np.empty((height, width), np.uint16), np.arange(width) / width
    for row in range(height):
        y = row / height
        hills = (np.sin(9 * x + 2 * y) + np.cos(7 * y - 3 * x) + np.sin(23 * x * y) + 3) / 6
        costs[row] = 1 + (0.9 * most * hills + 0.1 * most * chance.random(width)).clip(0, most - 1)
    return costs


class Steps:
    """What was done, how long it took and how much memory the process has had since it began."""

    def __init__(self):
        self.rows = []

    def do(self, name, work, note=lambda result: ""):
        """Do a step and note it."""
        began = time.perf_counter()
        result = work()
        self.rows.append((name, time.perf_counter() - began, peak(), note(result)))
        return result


def compile_kernels(most, rule, names):
    """Search a tiny map in the way of a large one."""
    tiny = wg.Grid(np.ones((4, 4)), weights=None if most is None else np.full((4, 4), most), rule=rule)
    for name in names:
        finder = wg.make_finder(name, tiny)
        finder._keeps_records = False
        finder.find((0, 0), (3, 3))
    draw_map(tiny)
    tiny.components  # noqa: B018
    tiny.set_passable((1, 1), False)


def tell(path):
    """Return what is worth knowing of a path."""
    stats = path.stats
    return f"cost {path.cost:.6g}, {len(path):,} cells, {stats.expanded:,} expanded, open list {stats.peak_open:,}"


def run_raster(file, arguments):
    """Search a raster of costs from corner to corner."""
    steps = Steps()
    steps.do("process", lambda: compile_kernels(arguments["most"], arguments["rule"], [arguments["algorithm"]]))

    arrays = [steps.do("read the array", lambda: np.load(file))]  # the grid keeps nothing of it
    grid = steps.do("make the grid", lambda: wg.Grid.from_costs(arrays.pop(), rule=arguments["rule"]))
    steps.do("move table", lambda: grid.table)
    finder, goal = wg.make_finder(arguments["algorithm"], grid), (grid.width - 1, grid.height - 1)
    steps.do(f"find, {arguments['algorithm']}", lambda: finder.find((0, 0), goal), tell)
    return steps.rows


def run_peer(file, arguments):
    """Search the same raster with scikit-image."""
    from skimage.graph import MCP_Geometric

    steps = Steps()
    steps.do("process", lambda: MCP_Geometric(np.ones((3, 3))).find_costs([(0, 0)], [(2, 2)]))
    costs = steps.do("read the array", lambda: np.load(file))
    goal = (costs.shape[0] - 1, costs.shape[1] - 1)
    search = steps.do("MCP_Geometric", lambda: MCP_Geometric(costs))
    steps.do("find_costs", lambda: search.find_costs([(0, 0)], [goal])[0][goal], lambda cost: f"cost {cost:.6g}")
    steps.do("traceback", lambda: search.traceback(goal), lambda path: f"{len(path):,} cells")
    return steps.rows


def run_caves(file, arguments):
    """Do with a map of caves all that is done with maps."""
    steps = Steps()
    steps.do("process", lambda: compile_kernels(None, "enter", ["astar"]))
    grid = steps.do("read", lambda: wg.Grid.from_file(file))
    steps.do("move table", lambda: grid.table)
    start, goal = find_ends(grid)
    finder = wg.make_finder("astar", grid)
    steps.do("first path", lambda: finder.find(start, goal), tell)
    steps.do("second path", lambda: finder.find(start, goal))
    steps.do("edit of a cell", lambda: grid.set_passable(start, True))
    steps.do("path after the edit", lambda: finder.find(start, goal))
    steps.do("picture", lambda: draw_map(grid), lambda image: f"{image.width} x {image.height} pixels")
    steps.do("fingerprint", grid.fingerprint)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        for name in ("out.npy", "out.map"):
            steps.do(f"save {name[-4:]}", lambda name=name: grid.save(Path(folder) / name))
        steps.do("read .map", lambda: wg.Grid.from_file(Path(folder) / "out.map"))
    steps.do("components", lambda: grid.components, lambda labels: f"{int(labels.max()) + 1:,}")
    return steps.rows


def find_ends(grid):
    """Return the passable cells that lie closest to the top left and to the bottom right corner, in rows near them."""
    near = grid.passable[:200], grid.passable[-200:]
    first, last = (np.argwhere(part)[:, ::-1] for part in near)
    start = first[(first.sum(axis=1)).argmin()]
    goal = last[(last.sum(axis=1)).argmax()] + (0, grid.height - 200)
    return tuple(start.tolist()), tuple(goal.tolist())


def make_file(file, arguments):
    """Generate a map."""
    width, height, seed = arguments["width"], arguments["height"], arguments["seed"]
    if file.name.startswith("caves"):
        wg.generate("caves", width=width, height=height, seed=seed).save(file)
    else:
        np.save(file, make_terrain(width, height, arguments["most"], seed))
    return [("generate", 0, peak(), "")]


RUNS = {"make": make_file, "raster": run_raster, "peer": run_peer, "caves": run_caves}


def run_alone(part, file, asked):
    """Do a part in a process of its own and return its rows."""
    command = [sys.executable, __file__, part, str(file), json.dumps(asked)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def prepare(part, arguments, width, height):
    """Return the file of a part's map, generated where it is not there yet."""
    caves = part == "caves"
    name = f"caves-{width}x{height}" if caves else f"terrain-{width}x{height}-{arguments.most}"
    file = arguments.folder / f"{name}-{arguments.seed}.npy"
    if not file.exists():
        began = time.perf_counter()
        asked = {"width": width, "height": height, "seed": arguments.seed, "most": arguments.most}
        (row,) = run_alone("make", file, asked)
        print(f"generated {file.name} in {time.perf_counter() - began:.0f} s, {row[2] / MIB:,.0f} MiB", flush=True)
    return file


def main():
    """Measure the parts that are asked for."""
    if len(sys.argv) > 1 and sys.argv[1] in RUNS:  # in a process of its own
        print(json.dumps(RUNS[sys.argv[1]](Path(sys.argv[2]), json.loads(sys.argv[3]))))
        return
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("--only", type=split_words, default=list(PARTS), help="of raster, peer, caves")
    parser.add_argument("--side", default="2000x2000", help="cells, as WxH")
    parser.add_argument("--most", type=int, default=1000, help="greatest cost of the terrain")
    parser.add_argument("--rule", default="mean", help="what weighs a move of the raster: enter or mean")
    parser.add_argument("--algorithm", default="astar", help="that searches the raster")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where maps are kept")
    arguments = begin_run(parser)
    width, height = map(int, arguments.side.split("x"))
    asked = {"most": arguments.most, "rule": arguments.rule, "algorithm": arguments.algorithm}
    print_heading("part", "step", "s", "peak, MiB", "bytes per cell", "")
    for part in arguments.only:
        file = prepare(part, arguments, width, height)
        rows = run_alone(part, file, asked)
        for name, seconds, most, note in rows:
            per_cell = (most - rows[0][2]) / (width * height)
            print_row(part, name, f"{seconds:.2f}", f"{most / MIB:,.0f}", f"{per_cell:.1f}", note)


if __name__ == "__main__":
    main()
