"""16 threads at once on one map: all answers equal those of one thread, also while a map is edited under a lock.

    python tests/torture/threads.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]

A seed is a map with some finders. Queries, batches, matrices of costs, traces, searches in slices, agents, crowds,
distances, builds and the studio's jobs are done on one thread first, and then by 16 threads in random order, all with
the same grid and finders. Then the three patterns of docs/parallel.md for maps that change: a lock around edits and
queries, a copy that is edited and swapped in, and a rebuild in the background.
"""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Lock

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cases import METRICS
from torture import frame

import waygrid as wg
from waygrid.studio.jobs import CancelledJobError, Desk, Job, TooBusyError
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain
from waygrid.studio.searches import search
from waygrid.studio.wire import unpack

THREADS = 16
KINDS = ("rooms", "maze", "caves", "random", "indoor")
STUDIO = ("astar", "jps+", "bfs", "lrta", "cpd", "dijkstra")  # what its jobs search with
SLOW = {"ida", "iddfs"}
EDITS, ASKS = 12, 40  # of each pattern


def make_grid(chance):
    """Return a random map with random rules."""
    kind, side = str(chance.choice(KINDS)), int(chance.integers(16, 48))
    passable = wg.generate(
        kind, width=side, height=int(chance.integers(16, 48)), seed=int(chance.integers(1e6))
    ).passable
    topology = str(chance.choice(("octile", "octile", "octile", "tile", "hex", "tex")))
    weights = chance.integers(1, 9, passable.shape, endpoint=True) if chance.random() < 0.3 else None
    corners = str(chance.choice(("never", "never", "one", "always")))
    metric = METRICS[chance.integers(len(METRICS))]
    return wg.Grid(passable, topology=topology, corners=corners, metric=metric, weights=weights)


def make_finders(chance, grid, count):
    """Return finders of random algorithms that support the grid, A* always among them."""
    names = [name for name in wg.algorithms() if name not in SLOW]
    made = [wg.make_finder("astar", grid)]
    for name in chance.permutation(names).tolist():
        if len(made) == count:
            break
        try:
            made.append(wg.make_finder(name, grid, **({"threads": 1} if wg.algorithms()[name].index else {})))
        except wg.WaygridError as error:
            if "support" not in str(error):
                raise
    return made


def choose_ends(chance, grid, count):
    cells = np.argwhere(grid.components >= 0)[:, ::-1]
    return cells[chance.integers(0, len(cells), count)], cells[chance.integers(0, len(cells), count)]


def of_batch(batch):
    cells = batch.cells if getattr(batch, "cells", None) is not None else np.zeros(0)
    return batch.statuses.tolist(), batch.costs.tolist(), batch.expanded.tolist(), cells.tobytes()


def of_path(path):
    return path.status, path.cost, path.stats.expanded, path.cells.tobytes()


def in_slices(finder, start, goal):
    """Search in slices."""
    sliced = finder.start(start, goal)
    while not sliced.advance(50):
        pass
    return of_path(sliced.path())


def walk(finder, starts, goals):
    """Let a pool of agents of its own walk."""
    pool = finder.agents(starts[:8], goals[:8], max_moves=500)
    return [pool.step().tobytes() for _ in range(25)]


def build_anew(finder, starts, goals):
    """Build the index once more and ask it."""
    return of_batch(wg.make_finder(finder.info.name, finder.grid, threads=1).find_many(starts, goals, 1))


def move_crowd(grid, starts, goals):
    """Let a crowd of its own move."""
    cells, places = np.unique(starts, axis=0, return_index=True)
    crowd = wg.Crowd(grid, cells, goals[places])
    return [crowd.step().tobytes() for _ in range(20)]


def list_jobs(chance, grid, finders):
    """Return jobs by name; each is a function without arguments whose result does not depend on who else works."""
    starts, goals = choose_ends(chance, grid, 24)
    first = [tuple(cells[0].tolist()) for cells in (starts, goals)]
    blocked = chance.random(grid.passable.shape) < 0.05
    blocked[starts[:, 1], starts[:, 0]] = blocked[goals[:, 1], goals[:, 0]] = False
    jobs = {
        "distances": lambda: np.asarray(wg.distances(grid, first[0])).tobytes(),
        "components": lambda: grid.components.tobytes(),
    }
    if grid.clearance == 1:
        jobs["crowd"] = lambda: move_crowd(grid, starts, goals)
    for finder in finders:
        name, walks = finder.info.name, finder.info.model == "cells"

        def add(what, work, name=name):
            jobs[f"{name}: {what}"] = work

        add(
            "find",
            lambda f=finder: [of_path(f.find(a, b)) for a, b in zip(starts.tolist(), goals.tolist(), strict=True)],
        )
        for threads in (1, 3):
            add(f"find_many {threads}", lambda f=finder, n=threads: of_batch(f.find_many(starts, goals, n)))
        add("costs", lambda f=finder: f.costs(starts, goals, 2).tobytes())
        add("trace", lambda f=finder: f.trace(*first).events.tobytes())
        add("slices", lambda f=finder: in_slices(f, *first))
        add("partial", lambda f=finder: of_batch(f.find_many(starts, goals, 2, partial=True)))
        if finder.info.blocked:
            add("blocked", lambda f=finder: of_batch(f.find_many(starts, goals, 2, blocked=blocked)))
        if walks and finder.optimal:
            add("straight", lambda f=finder: of_path(f.find(*first, prefer="straight")))
        if finder.info.real_time:
            add("agents", lambda f=finder: walk(f, starts, goals))
        if finder.info.index:
            add("build", lambda f=finder: build_anew(f, starts, goals))
    return jobs


def attempt(work):
    """Return what a job gives, or the words of its refusal, which have to be the same on all threads too."""
    try:
        return work()
    except wg.WaygridError as error:
        return f"refused: {error}"


def run_together(work, count=THREADS):
    """Call work(number) on so many threads that begin at the same time; return what they return."""
    barrier = Barrier(count)

    def begin(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def check_jobs(chance, tally, grid, finders):
    """Do all jobs on one thread, and then on 16 in random order."""
    jobs = list_jobs(chance, grid, finders)
    expected = {name: attempt(work) for name, work in jobs.items()}
    seeds = chance.integers(0, 2**31, THREADS).tolist()

    def work(number):
        order, wrong = list(jobs), []
        random.Random(seeds[number]).shuffle(order)
        for name in order:
            if attempt(jobs[name]) != expected[name]:
                wrong.append(name)
        return wrong

    for wrong in run_together(work):
        for name in wrong:
            tally.fault(f"{name} differs on 16 threads, {grid!r}")
    tally.count("jobs", len(jobs) * THREADS)


def draw_edits(chance, grid):
    """Return random edits: boxes that become walls or passable."""
    edits = []
    for _ in range(EDITS):
        x, y = int(chance.integers(grid.width)), int(chance.integers(grid.height))
        edits.append(((slice(y, y + 3), slice(x, x + 3)), bool(chance.integers(2))))
    return edits


def cheapest(grid, pairs):
    """Return the cost of each query on a map as it is; a start that is a wall is refused."""
    fresh = wg.make_finder("dijkstra", grid)
    return [attempt(lambda ends=ends: fresh.find(*ends).cost) for ends in pairs]


def check_changes(chance, tally, grid, finders):
    """Edit under a lock, by swapping copies, and while an index is rebuilt."""
    finders = [finder for finder in finders if finder.optimal and finder.info.model == "cells"]
    starts, goals = choose_ends(chance, grid, 10)
    pairs = list(zip(map(tuple, starts.tolist()), map(tuple, goals.tolist()), strict=True))
    edits, now = draw_edits(chance, grid), grid.copy()
    truth = [cheapest(now, pairs)]
    for where, value in edits:
        now.set_passable(where, value)
        truth.append(cheapest(now, pairs))
    picks = chance.integers(0, 2**31, (THREADS, ASKS)).tolist()
    swap_copies(tally, grid, finders, edits, (pairs, truth, picks))
    lock_edits(tally, grid, finders, edits, (pairs, truth, picks))
    rebuild_beside(tally, finders, (pairs, truth[-1], picks))


def agree(answer, truth):
    """Tell whether two costs, or two refusals, are the same."""
    if isinstance(truth, str) or isinstance(answer, str):
        return isinstance(truth, str) and isinstance(answer, str)
    return answer == truth or abs(answer - truth) <= 1e-9 * truth


def swap_copies(tally, grid, finders, edits, queries):
    """Swap in edited copies, while others search on whatever is there."""
    pairs, truth, picks = queries
    name = finders[-1].info.name
    shown = [(finders[-1], 0)]

    def work(number):
        wrong, own = [], grid
        if number == 0:
            for k, (where, value) in enumerate(edits):
                own = own.copy()
                own.set_passable(where, value)
                shown[0] = wg.make_finder(name, own), k + 1
            return wrong
        for pick in picks[number]:
            finder, version = shown[0]
            k = pick % len(pairs)
            if not agree(attempt(lambda f=finder, k=k: f.find(*pairs[k]).cost), truth[version][k]):
                wrong.append(k)
        return wrong

    count_wrong(tally, f"{name}, copies swapped", run_together(work), grid)


def lock_edits(tally, grid, finders, edits, queries):
    """Edit a map in place with a lock around edits and queries."""
    pairs, truth, picks = queries
    lock, done = Lock(), [0]

    def work(number):
        wrong = []
        for step, pick in enumerate(picks[number]):
            with lock:
                if number == 0 and step % 3 == 0 and done[0] < len(edits):
                    grid.set_passable(*edits[done[0]])
                    done[0] += 1
                k, finder = pick % len(pairs), finders[pick // 64 % len(finders)]
                if not agree(attempt(lambda f=finder, k=k: f.find(*pairs[k]).cost), truth[done[0]][k]):
                    wrong.append(finder.info.name)
        return wrong

    count_wrong(tally, "a lock around edits", run_together(work), grid)


def rebuild_beside(tally, finders, queries):
    """Rebuild an index that the edits have left behind, while others ask it."""
    pairs, truth, picks = queries
    for finder in finders:
        if not finder.info.index:
            continue
        build = finder.rebuild(background=True)

        def work(number, finder=finder):
            ks = [pick % len(pairs) for pick in picks[number]]
            return [k for k in ks if not agree(attempt(lambda k=k: finder.find(*pairs[k]).cost), truth[k])]

        count_wrong(tally, f"{finder.info.name}, rebuilt meanwhile", run_together(work), finder.grid)
        build.wait()


def count_wrong(tally, what, wrong, grid):
    tally.count("queries beside edits", THREADS * ASKS)
    for names in wrong:
        if names:
            tally.fault(f"{what}: {len(names)} wrong answers ({names[0]}), {grid!r}")


def check_studio(chance, tally, grid):
    """Give the studio's desk jobs from 16 threads, some of which are cancelled."""
    limits = StudioLimits()._replace(running=4, waiting=4 * THREADS)
    model, desk = Model(limits), Desk(limits)
    key = model.add(Terrain(grid.passable.copy(), None))
    starts, goals = choose_ends(chance, wg.Grid(grid.passable), 6)
    asked = [
        {"map": key, "algorithm": name, "start": a, "goal": b, "trace": True}
        for name, a, b in zip(STUDIO, starts.tolist(), goals.tolist(), strict=True)
    ]
    expected = [of_message(search(model, each, Job("", ("", "")))) for each in asked]
    cancels = chance.random((THREADS, len(asked))) < 0.2

    def work(number):
        wrong = []
        for k, each in enumerate(asked):
            token = f"{number} {k}"
            try:
                _, future = desk.submit(token, (str(number), "A"), lambda job, each=each: search(model, each, job))
                if cancels[number, k]:
                    desk.cancel(token)
                if of_message(future.result(60)) != expected[k]:
                    wrong.append(each["algorithm"])
            except (CancelledJobError, TooBusyError) as stopped:
                if isinstance(stopped, CancelledJobError) and not cancels[number, k]:
                    wrong.append(f"{each['algorithm']}, cancelled by nobody")
        return wrong

    wrong = run_together(work)
    tally.count("studio jobs", THREADS * len(asked))
    for names in wrong:
        if names:
            tally.fault(f"studio: {len(names)} wrong answers ({names[0]})")
    if not desk.close(60):
        tally.fault("studio: jobs do not end")


def of_message(message):
    header, arrays = unpack(message)
    return header["status"], header["cost"], header["events"], [array.tobytes() for array in arrays.values()]


def attack(seed, tally):
    """Attack one map."""
    chance = np.random.default_rng(seed)
    grid = make_grid(chance)
    if not (grid.components >= 0).any():
        return
    tally.note(f"finders on {grid!r}")
    finders = make_finders(chance, grid, 5)
    tally.note(f"jobs of {[finder.info.name for finder in finders]} on {grid!r}")
    check_jobs(chance, tally, grid, finders)
    tally.note(f"edits beside {[finder.info.name for finder in finders]} on {grid!r}")
    check_changes(chance, tally, grid, finders)
    if (grid.components >= 0).any():
        tally.note("the studio's jobs")
        check_studio(chance, tally, grid)


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=300.0))
