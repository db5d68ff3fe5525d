"""The GPU floods against a slow, obvious version, in numba's simulator of a GPU: a process of its own, started here.

The simulator must be chosen before numba.cuda is imported, and it takes some 10 ms for each source of a tiny map.
"""

import heapq
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.bounds import gpu

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1))
OCTILE = (5741, 8119)
TIES = """
.#.......
....T....
#.#.#....
.......##
#.....#..
#..#S..##
...#.##..
...#.#..#
.#.#.....
"""


class Map:
    """A map, its rules written out again, and the first moves of all canonical shortest paths."""

    def __init__(self, free, corners, prices):
        self.free, self.corners, self.prices = np.asarray(free, bool), corners, prices
        self.height, self.width = self.free.shape

    def open(self, x, y):
        return 0 <= x < self.width and 0 <= y < self.height and bool(self.free[y, x])

    def legal(self, x, y, step):
        dx, dy = step
        sides = self.corners == "always" or (self.open(x + dx, y) and self.open(x, y + dy))
        return self.open(x + dx, y + dy) and sides

    def price(self, step):
        return self.prices[bool(step[0] and step[1])]

    def following(self, x, y, step):
        """Return the steps worth trying at a cell entered by a step (diagonals first, then straight)."""
        dx, dy = step
        tries = {step}
        if dx and dy:
            tries |= {(dx, 0), (0, dy)}
            if self.corners == "always":
                if not self.open(x - dx, y):
                    tries.add((-dx, dy))
                if not self.open(x, y - dy):
                    tries.add((dx, -dy))
        else:
            for sx, sy in ((dy, dx), (-dy, -dx)):
                if self.corners == "always":
                    if not self.open(x + sx, y + sy):
                        tries.add((dx + sx, dy + sy))
                elif self.open(x + sx, y + sy) and not self.open(x - dx + sx, y - dy + sy):
                    tries |= {(sx, sy), (dx + sx, dy + sy)}
        return {each for each in tries if self.legal(x, y, each)}

    def distances(self, source):
        done, queue = {}, [(0, source)]
        while queue:
            reached, (x, y) = heapq.heappop(queue)
            if (x, y) in done:
                continue
            done[x, y] = reached
            for step in STEPS:
                if self.legal(x, y, step):
                    heapq.heappush(queue, (reached + self.price(step), (x + step[0], y + step[1])))
        return done

    def masks(self, cell):
        """Return the first moves to every cell, in rows from the top."""
        source, found = (cell % self.width, cell // self.width), [0] * self.free.size
        if not self.open(*source):
            return found
        true = self.distances(source)
        states = {}  # (cell, step by which it was entered) -> first moves
        for x, y in sorted(true, key=true.get):
            if (x, y) == source:
                ways = [(step, {number}) for number, step in enumerate(STEPS) if self.legal(x, y, step)]
            else:
                entered = [(step, states[x, y, step]) for step in STEPS if (x, y, step) in states]
                found[y * self.width + x] = sum(1 << number for number in set().union(*(each for _, each in entered)))
                ways = [(after, firsts) for step, firsts in entered for after in self.following(x, y, step)]
            for step, firsts in ways:
                to = x + step[0], y + step[1]
                if true[x, y] + self.price(step) == true[to]:
                    states.setdefault((*to, step), set()).update(firsts)
        return found

    def boxes(self, masks):
        none = 255 if max(self.width, self.height) <= 255 else 65535
        found = []
        for e in range(8):
            cells = [divmod(cell, self.width) for cell, mask in enumerate(masks) if (mask >> e) & 1]
            x, y = [x for _, x in cells], [y for y, _ in cells]
            found.append([min(x), min(y), max(x), max(y)] if cells else [none, none, 0, 0])
        return found


def runs_of(masks):
    """Return the runs of a row: first all of them, each with the moves that serve it, then one move for each."""
    whole = [[0, 255]]
    for number, mask in enumerate(masks):
        if mask and not whole[-1][1] & mask:
            whole.append([number, mask])
        elif mask:
            whole[-1][1] &= mask
    found = []
    for start, kept in whole:
        moves = [move for move in range(8) if (kept >> move) & 1]
        if not found or found[-1] & 7 not in moves:
            found.append(start << 3 | moves[0])
    return found


def some_maps(part):
    """Return pairs of a map and the cells to flood from."""
    chance = np.random.default_rng(part)
    found = []
    rules = (("never", OCTILE), ("always", OCTILE), ("never", (1, 1)), ("always", (7, 14)), ("never", (7, 14)))
    for corners, prices in (*rules, ("always", (1, 1)), ("never", (2, 3))):
        free = chance.random((int(chance.integers(3, 8)), int(chance.integers(3, 8)))) > chance.choice([0.1, 0.25, 0.4])
        found.append((Map(free, corners, prices), list(range(free.size))))
    if part == 0:
        counter_example = np.array([[letter != "#" for letter in line] for line in TIES.split()])
        found.append((Map(counter_example, "never", OCTILE), [49, 13, 22, 40, 80]))
        found.append((Map(np.ones((1, 1)), "never", OCTILE), [0]))
        found.append((Map(np.zeros((2, 2)), "always", OCTILE), [0, 3]))
        found.append((Map(np.ones((1, 260)), "never", OCTILE), [5, 130]))  # boxes of 16 bits
    else:
        found.append((Map(np.ones((5, 5)), "never", OCTILE), [0, 7, 12]))
        found.append((Map(np.ones((7, 1)), "always", (1, 1)), [0, 6]))
        far = 2**20 - 1, 2**20  # distances pass the 23 bits that are kept of them
        found.append((Map(np.ones((2, 14)), "never", far), [0, 20]))
        split = np.ones((4, 7))
        split[:, 3] = 0
        found.append((Map(split, "always", OCTILE), [0, 6, 10]))
    return found


def floods_of(case, **shape):
    grid = wg.Grid(case.free, corners=case.corners, metric=case.prices)
    shape = gpu.LaunchShape(**({"threads": 3, "blocks": 1} | shape))
    return gpu.Floods(grid.table.moves, grid.table.geo, shape=shape)


def simulated(part):
    """Flood in the simulator; what comes back are lists."""
    answers = []
    for number, (case, sources) in enumerate(some_maps(part)):
        floods = floods_of(case, threads=(2, 3, 5)[number % 3])
        order = order_of(case, number)
        counts, runs = floods.runs(sources, order)
        parts = floods.boxes(sources), floods.boxes(sources, "one"), floods.masks(sources, order), counts, runs
        answers.append([str(parts[0].dtype), *(each.tolist() for each in parts)])
    return answers


def order_of(case, number):
    return np.random.default_rng(number).permutation(np.flatnonzero(case.free))


def simulated_limits():
    """Lists that are too short, little memory, and the pieces of a build."""
    case = Map(np.ones((5, 4)), "never", OCTILE)
    grid = wg.Grid(case.free, corners=case.corners, metric=case.prices)
    moves, geo, cells = grid.table.moves, grid.table.geo, np.arange(20)
    short = floods_of(case, room=1)
    answers = {"boxes": short.boxes(cells[:9]).tolist(), "room": short.room}
    answers["masks"] = floods_of(case, room=2).masks(cells[:3], cells).tolist()
    answers["none"] = [len(each) for each in (short.boxes(cells[:0]), *short.runs(cells[:0], cells))]
    least = gpu.least_bytes(geo)
    answers["blocks"] = gpu.Floods(moves, geo, least, gpu.LaunchShape(2, 1000)).blocks
    with pytest.raises(wg.WaygridError) as refused:
        gpu.Floods(moves, geo, least - 1)
    answers["refused"] = str(refused.value)
    work = gpu.BoxWork(moves, geo, "one")
    pieces = [work.run(short, first, last)["boxes"] for first, last in ((0, 0), (0, 2), (2, 4))]
    answers["pieces"] = [work.total, work.output_bytes, np.concatenate(pieces).tolist()]
    rows = gpu.RunWork(moves, geo, cells[::-1])
    found = rows.run(short, 1, 3)
    answers["rows"] = [rows.total, found["counts"].tolist(), found["runs"].tolist()]
    return answers


def ask(what):
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, __file__, what], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("part", [0, 1])
def test_the_simulated_gpu_finds_every_first_move(part):
    for number, ((case, sources), answer) in enumerate(zip(some_maps(part), ask(str(part)), strict=True)):
        kind, boxes, single, masks, counts, runs = answer
        order = order_of(case, number)
        assert kind == ("uint8" if case.width <= 255 else "uint16")
        wanted_runs = []
        for row, source in enumerate(sources):
            true = case.masks(source)
            assert boxes[row] == case.boxes(true), (number, source)
            assert single[row] == case.boxes([mask & -mask for mask in true]), (number, source)
            ordered = [true[cell] for cell in order]
            assert masks[row] == ordered, (number, source)
            wanted_runs.append(runs_of(ordered))
        assert counts == [len(each) for each in wanted_runs]
        assert runs == [run for each in wanted_runs for run in each]


def test_short_lists_little_memory_and_pieces_of_a_build():
    case = Map(np.ones((5, 4)), "never", OCTILE)
    true = [case.masks(cell) for cell in range(20)]
    boxes = [case.boxes(masks) for masks in true]
    answer = ask("limits")
    assert answer["boxes"] == boxes[:9]
    assert 1 < answer["room"] <= 20
    assert answer["masks"] == true[:3]
    assert answer["none"] == [0, 0, 0]
    assert answer["blocks"] == 1
    assert "960 bytes" in answer["refused"]
    assert "959 may be used" in answer["refused"]
    single = [case.boxes([mask & -mask for mask in masks]) for masks in true]
    assert answer["pieces"] == [20, 20 * 32, single[:4]]
    wanted = [runs_of(true[cell][::-1]) for cell in (18, 17)]
    assert answer["rows"] == [20, [len(each) for each in wanted], [run for each in wanted for run in each]]


def test_what_the_gpu_cannot_do_is_refused(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: "a GPU needs numba-cuda; install waygrid[gpu]")
    table = wg.Grid(np.ones((3, 3), bool)).table
    for make in (gpu.Floods, gpu.BoxWork, lambda moves, geo: gpu.RunWork(moves, geo, np.arange(9))):
        with pytest.raises(wg.WaygridError, match=r"install waygrid\[gpu\]"):
            make(table.moves, table.geo)
    monkeypatch.setattr(gpu, "available", lambda: None)
    for rules in ({"corners": "one"}, {"topology": "hex"}):
        table = wg.Grid(np.ones((3, 3), bool), **rules).table
        with pytest.raises(wg.WaygridError, match="octile grid with corners never or always"):
            gpu.BoxWork(table.moves, table.geo)
    table = wg.Grid(np.ones((1, 40_000), bool)).table
    with pytest.raises(wg.WaygridError, match="40000 x 1 cells"):
        gpu.BoxWork(table.moves, table.geo)
    table = wg.Grid(np.ones((3, 3), bool)).table
    with pytest.raises(wg.WaygridError, match="ties is 'some'; allowed are one, all"):
        gpu.BoxWork(table.moves, table.geo, "some")


def test_why_there_is_no_gpu_is_told_and_nothing_is_imported_before():
    program = (
        "import sys, numpy as np, waygrid as wg; wg.make_finder('jps', wg.Grid(np.ones((2, 2), bool)));"
        "from waygrid.algorithms.bounds import gpu; assert 'waygrid.build.cuda' not in sys.modules;"
        "print(gpu.available())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_ENABLE_CUDASIM"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(("None\n", "a GPU needs numba-cuda, which ", "no GPU can be used: "))


def mend_simulator():
    """Let threads of a block share their arrays for certain: the simulator may give each its own when they race."""
    from numba.cuda.simulator import kernelapi
    from numba.np.numpy_support import as_dtype

    lock, plain = threading.Lock(), kernelapi.FakeCUDAShared.array

    def array(self, shape, dtype):
        if shape == 0:
            return plain(self, shape, dtype)
        with lock:
            return self._allocations.setdefault(sys._getframe(1).f_lineno, np.empty(shape, as_dtype(dtype)))

    kernelapi.FakeCUDAShared.array = array
    sys.setswitchinterval(1e-4)  # the simulator waits for its threads in a busy loop


if __name__ == "__main__":
    mend_simulator()
    print(json.dumps(simulated_limits() if sys.argv[1] == "limits" else simulated(int(sys.argv[1]))))
