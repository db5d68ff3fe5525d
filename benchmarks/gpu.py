"""Goal bounds and compressed first moves on the GPU: times, and random rows against a plain flood on the CPU.

    python benchmarks/gpu.py MAP... [--corners never] [--metric octile] [--ties all,one] [--check 20] [--cpd]
                             [--sources N] [--threads N,N] [--blocks N,N] [--room N] [--memory BYTES]

Times are the better of two runs, with copies to and from the GPU, without the compilation (shown apart). Several
numbers of threads per block and of blocks per multiprocessor, divided by commas, are tried in turn.
"""

from functools import partial
from pathlib import Path

import numpy as np
from common import begin_run, make_parser
from numba import njit

import waygrid as wg
from waygrid.algorithms.bounds import gpu
from waygrid.algorithms.jumps.jump_points import worthwhile
from waygrid.core.layout import COST, STEP
from waygrid.measure.timing import time_best, time_call, wall_clock


@njit
def distances(moves, geo, source):
    """Distances over all legal moves; a cell whose distance fell waits in a ring to tell its neighbours."""
    dist = np.full(moves.size, 2**62, np.int64)
    ring, waits = np.empty(moves.size, np.int64), np.zeros(moves.size, np.bool_)
    dist[source], ring[0], head, size = 0, source, 0, 1
    while size:
        cell = ring[head]
        head, size, waits[cell] = (head + 1) % moves.size, size - 1, False
        for d in range(8):
            if (moves[cell] >> d) & 1:
                to, new = cell + geo[STEP + d], dist[cell] + geo[COST + d]
                if new < dist[to]:
                    dist[to] = new
                    if not waits[to]:
                        ring[(head + size) % moves.size] = to
                        size, waits[to] = size + 1, True
    return dist


@njit
def first_moves(moves, geo, dist, order, source):
    """First moves of all canonical shortest paths: each state takes those of the states before it."""
    states = np.zeros((moves.size, 8), np.uint8)
    masks = np.zeros(moves.size, np.uint8)
    for cell in order:
        if dist[cell] >= 2**62:
            break
        if cell != source:
            for d in range(8):
                masks[cell] |= states[cell, d]
        for d in range(8):
            if cell != source and states[cell, d] == 0:
                continue
            tries = moves[cell] if cell == source else worthwhile(moves, geo, cell, d)
            for e in range(8):
                if (tries >> e) & 1:
                    to = cell + geo[STEP + e]
                    if dist[cell] + geo[COST + e] == dist[to]:
                        states[to, e] |= 1 << e if cell == source else states[cell, d]
    return masks


def reference(table, source):
    dist = distances(table.moves, table.geo, source)
    return first_moves(table.moves, table.geo, dist, np.argsort(dist, kind="stable"), source)


def boxes_of(masks, width, kind):
    none = np.iinfo(kind).max
    found = np.zeros((8, 4), kind)
    for e in range(8):
        cells = np.flatnonzero((masks >> e) & 1)
        x, y = cells % width, cells // width
        found[e] = (x.min(), y.min(), x.max(), y.max()) if cells.size else (none, none, 0, 0)
    return found


def runs_of(masks):
    """The greedy runs of one row, by the rules of `cuda.runs`."""
    runs, kept, start, before = [], 255, 0, -1
    for i, mask in enumerate([*masks.tolist(), None]):
        both = kept & (mask or 255) if mask is not None else 0
        if both == 0:
            move = before if before >= 0 and (kept >> before) & 1 else (kept & -kept).bit_length() - 1
            if move != before:
                runs.append(start << 3 | move)
                before = move
            start, both = i, mask
        kept = both
    return runs


def metric_of(text):
    return tuple(map(int, text.split(","))) if "," in text else text


def measure(path, arguments):
    grid = wg.Grid.from_file(path, corners=arguments.corners, metric=arguments.metric)
    table = grid.table
    inside = np.flatnonzero(table.walk)
    chance = np.random.default_rng(1)
    sources = inside if not arguments.sources else np.sort(chance.choice(inside, arguments.sources, replace=False))
    picks = chance.choice(sources.size, min(arguments.check, sources.size), replace=False)
    truth = {int(pick): reference(table, int(sources[pick])) for pick in picks}
    for threads in map(int, arguments.threads.split(",")):
        for blocks in map(int, arguments.blocks.split(",")):
            shape = gpu.LaunchShape(threads, blocks, arguments.room)
            make = partial(gpu.Floods, table.moves, table.geo, arguments.memory, shape)
            made_s, floods = time_call(make, wall_clock)
            ready = made_s + time_call(partial(floods.boxes, sources[:100]), wall_clock)[0]
            print(
                f"{Path(path).stem}: {inside.size} cells, {sources.size} sources, {threads} threads, "
                f"{floods.blocks} blocks, ready in {ready:.2f} s",
                flush=True,
            )
            for ties in arguments.ties.split(","):
                show_boxes(floods, table, sources, truth, ties)
            if arguments.cpd:
                show_runs(floods, sources, inside, truth)
            del floods


def show_boxes(floods, table, sources, truth, ties):
    boxes = floods.boxes(sources, ties)
    took = time_best(lambda: floods.boxes(sources, ties), fill_s=0.0, least=2, clock=wall_clock)
    wrong = 0
    for pick, masks in truth.items():
        kept = masks if ties == "all" else masks & (0 - masks)
        wrong += not np.array_equal(boxes_of(kept, floods.width, gpu.box_type(table.geo)), boxes[pick])
    print(f"  boxes, ties {ties}: {took:.3f} s; {wrong} of {len(truth)} rows differ", flush=True)


def show_runs(floods, sources, order, truth):
    floods.runs(sources[:100], order)
    took, (counts, runs) = time_call(lambda: floods.runs(sources, order), wall_clock)
    ends, wrong = np.cumsum(counts), 0
    for pick, masks in truth.items():
        wrong += runs_of(masks[order]) != runs[ends[pick] - counts[pick] : ends[pick]].tolist()
    print(f"  runs: {took:.3f} s; {runs.size / 1e6:.2f} million; {wrong} of {len(truth)} rows differ", flush=True)


def main():
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("maps", nargs="+")
    parser.add_argument("--corners", default="never")
    parser.add_argument("--metric", default="octile", type=metric_of)
    parser.add_argument("--ties", default="all,one")
    parser.add_argument("--check", type=int, default=20)
    parser.add_argument("--cpd", action="store_true")
    parser.add_argument("--sources", type=int, default=0, help="random cells to flood from; 0: all")
    parser.add_argument("--threads", default=str(gpu.LaunchShape().threads))
    parser.add_argument("--blocks", default=str(gpu.LaunchShape().blocks), help="for each multiprocessor")
    parser.add_argument("--room", type=int, default=0, help="cells in each list of a flood")
    parser.add_argument("--memory", type=int, default=None)
    arguments = begin_run(parser)
    reason = gpu.available()
    if reason is not None:
        raise SystemExit(reason)
    for path in arguments.maps:
        measure(path, arguments)


if __name__ == "__main__":
    main()
