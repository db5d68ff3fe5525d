"""Edits of a real map and queries in turns: how long both take, and whether every answer is right.

    python benchmarks/edits.py [--maps DIR] [--only cells,doors,regions] [-a jps+,turntable] [--edits 10000]
        [--rounds 1] [--seed 1]

* `cells`: orz900d; single cells near paths are closed and opened in turns, with a query after each: each edit undone by
  the next, and adding up.
* `doors`: brc202d with 50 doors; one of them opens or closes before each query, and before every tenth.
* `regions`: dba and pra on orz900d; the time of an edit beside that of the build, and by how many percent paths are
  above the optimum before and after 1,000 edits, and with an index that is built then.

Queries are random problems of the map's scenario, paths with all their cells. The wall clock counts. Edit times are
those of `grid.set_passable`; what a finder does to catch up is part of the query after it, except in `regions`. Every
answer is compared with that of jps. `static` is the same query before any edit, `again` the same one asked once more:
what it takes on the map as it is, which walls on the cheapest paths make a harder one. Kernels are compiled beforehand.
With --rounds 3, all edits and queries of a part are made three times, from the same map, and of each the quickest time
counts: on a machine that does other things, most of the mean of a single round is what those take.
"""

import pickle

import numpy as np
from common import begin_run, load_map, make_parser, print_heading, print_row, split_words

import waygrid as wg
from waygrid.grid.changing import find_doorways
from waygrid.measure.builds import build_finder
from waygrid.measure.timing import wall_clock

_WARM_UP = 50  # edits and queries beforehand, so that all kernels are compiled


def draw_problems(scenario, count, seed):
    """Return random problems of a scenario: rows of start x, start y, goal x, goal y."""
    chosen = np.random.default_rng(seed).integers(len(scenario), size=count)
    return np.concatenate((scenario.starts[chosen], scenario.goals[chosen]), axis=1).tolist()


def list_ends(problems):
    """Return the cells that stay free: starts and goals."""
    return {(x, y) for x, y, _, _ in problems} | {(x, y) for _, _, x, y in problems}


def toggle_cells(grid, problems, seed, undo, keep=frozenset()):
    """Return an edit for each problem, where and what: by turns a cell near a path is closed and one is opened.

    undo: of two edits the second undoes the first, which closes a free cell or opens a wall. Otherwise they add up: of
    two cells that are opened one was a wall of the map, and one was closed before, the first that still is.
    """
    chance, now, keep = np.random.default_rng(seed), grid.copy(), keep | list_ends(problems)
    finder, closed, edits = wg.make_finder("jps", now), [], []
    for k, problem in enumerate(problems):
        value, edit = k % 4 in (1, 2) if undo else k % 2 == 1, None
        if undo and k % 2 == 1:
            edit = edits[-1] and (edits[-1][0], not edits[-1][1])
        elif not undo and k % 4 == 1 and closed:
            edit = closed.pop(0), True
        else:
            edit = choose_cell(grid, now, find(finder, problem).cells, value, keep, chance)
        if edit is not None:
            now.set_passable(*edit)
            if not value:
                closed.append(edit[0])
        edits.append(edit)
    return edits


def choose_cell(grid, now, cells, value, keep, chance):
    """Return an edit of a cell near a path, None if there is no such cell."""
    for _ in range(200 if len(cells) else 0):
        x, y = (cells[chance.integers(len(cells))] + chance.integers(-2, 3, 2)).tolist()
        inside = 0 <= x < grid.width and 0 <= y < grid.height
        if inside and (x, y) not in keep and now.passable[y, x] != value and (grid.passable[y, x] or value):
            return (x, y), value
    return None


def toggle_doors(grid, problems, seed, count=50):
    """Return an edit for each problem: one of some doors opens or closes."""
    chance, keep, doors = np.random.default_rng(seed), list_ends(problems), []
    for x, y, width, height in chance.permutation(find_doorways(grid.passable)).tolist():
        if not keep & {(x + dx, y + dy) for dx in range(width) for dy in range(height)}:
            doors.append((slice(x, x + width), slice(y, y + height)))
    is_open, edits = [True] * count, []
    for number in chance.integers(count, size=len(problems)).tolist():
        is_open[number] = not is_open[number]
        edits.append((doors[number], is_open[number]))
    return edits


def find(finder, problem):
    """Return the path of a problem."""
    return finder.find(problem[:2], problem[2:])


def time_find(finder, problem):
    """Return the microseconds of a query, and its path."""
    began = wall_clock()
    path = find(finder, problem)
    _ = path.cells
    return 1e6 * (wall_clock() - began), path


def time_edit(grid, edit):
    """Make an edit and return its microseconds; None: there was nothing to edit."""
    began = wall_clock()
    if edit is not None:
        grid.set_passable(*edit)
    return 1e6 * (wall_clock() - began)


def is_right(finder, path, least):
    """Return whether an answer is one for the map as it is: legal, and the cheapest where that is promised."""
    if least == np.inf:
        return path.status is wg.Status.UNREACHABLE
    good = path.status is wg.Status.FOUND and path.is_valid(finder.grid) and path.cost > least - 1e-6
    return good and (not finder.optimal or path.cost < least + 1e-6)


def warm_up(finder, problems, edits):
    """Let a copy of a finder follow some edits."""
    spare = pickle.loads(pickle.dumps(finder))
    for problem, edit in zip(problems[:_WARM_UP], edits, strict=False):
        time_edit(spare.grid, edit)
        find(spare, problem)


def measure(grid, name, problems, edits, truth, rounds):
    """Edit and ask in turns; return the finder, its build, and times of static queries, of edits and of queries."""
    made_for, made = build_finder(grid.copy(), name, {})
    warm_up(made_for, problems, edits)
    for problem in problems[:200]:
        find(made_for, problem)
    static, times, wrong = np.inf, np.inf, 0
    for _ in range(rounds):
        finder = pickle.loads(pickle.dumps(made_for)) if rounds > 1 else made_for
        find(finder, problems[0])
        static = np.minimum(static, [time_find(finder, problem)[0] for problem in problems[:2000]])
        now = []
        for problem, edit, least in zip(problems, edits, truth, strict=True):
            edit_us = time_edit(finder.grid, edit)
            query_us, path = time_find(finder, problem)
            now.append((edit_us, query_us, time_find(finder, problem)[0]))
            wrong += not is_right(finder, path, least)
        times = np.minimum(times, now)
    return finder, made, float(static.mean()), times, wrong


def list_costs(grid, problems, edits):
    """Return the least cost of every problem after its edit."""
    now, costs = grid.copy(), []
    finder = wg.make_finder("jps", now)
    for problem, edit in zip(problems, edits, strict=True):
        time_edit(now, edit)
        costs.append(find(finder, problem).cost)
    return costs


def show(grid, problems, edits, names, rounds):
    """Print a row for each algorithm."""
    truth = list_costs(grid, problems, edits)
    columns = "build s", "static us", "again us", "edit us", "query us", "both us", "both / static", "both / again"
    print_heading("finder", *columns, "median us", "p99 us", "kept", "mended", "searched", "wrong")
    for name in names:
        finder, made, static, times, wrong = measure(grid, name, problems, edits, truth, rounds)
        both, (edit, query, again) = times[:, :2].sum(axis=1), times.mean(axis=0)
        figures = made.build_s, static, again, edit, query, both.mean(), both.mean() / static, both.mean() / again
        spread = np.median(both), np.percentile(both, 99)
        counts = getattr(finder, "followed", (0, 0, 0))
        answers = [f"{count / sum(counts):.1%}" if any(counts) else "-" for count in counts]
        print_row(name, *(f"{one:.2f}" for one in figures), *(f"{one:.1f}" for one in spread), *answers, wrong)
    print()


def cells(arguments):
    """Single cells near paths."""
    grid, scenario = load_map(arguments.maps, "dao/orz900d")
    problems = draw_problems(scenario, arguments.edits, arguments.seed)
    for undo, words in ((True, "each undone by the next"), (False, "adding up")):
        edits = toggle_cells(grid, problems, arguments.seed, undo)
        made = sum(edit is not None for edit in edits)
        print(f"orz900d, {made:,} edits of single cells near paths, {words}, a query after each\n")
        show(
            grid,
            problems,
            edits,
            arguments.algorithms or ["jps", "jps+", "turntable", "jps+gb", "cpd"],
            arguments.rounds,
        )


def doors(arguments):
    """Doors that open and close."""
    grid, scenario = load_map(arguments.maps, "dao/brc202d")
    problems = draw_problems(scenario, arguments.edits, arguments.seed)
    names = arguments.algorithms or ["jps", "jps+", "turntable", "jps+gb", "cpd", "pra", "dba"]
    for every in (1, 10):
        made = iter(toggle_doors(grid, problems, arguments.seed))
        edits = [next(made) if k % every == 0 else None for k in range(len(problems))]
        print(f"brc202d, 50 doors, one of them opens or closes before every {every}. of {len(problems):,} queries\n")
        show(grid, problems, edits, names, arguments.rounds)


def regions(arguments):
    """Edits of the map of dba and pra."""
    grid, scenario = load_map(arguments.maps, "dao/orz900d")
    problems = draw_problems(scenario, 1000, arguments.seed)
    asked = draw_problems(scenario, 2000, arguments.seed + 1)
    edits = toggle_cells(grid, problems, arguments.seed, undo=False, keep=list_ends(asked))
    print("orz900d, 1,000 edits of single cells near paths, a query after each; quality of 2,000 other queries\n")
    columns = "build ms", "edit us", "edit / build", "static us", "query us"
    print_heading("finder", *columns, "above the optimum: before", "after", "built anew", "wrong")
    for name in arguments.algorithms or ["dba", "pra"]:
        finder, made = build_finder(grid.copy(), name, {}, repeat=3)
        warm_up(finder, problems, edits)
        static = np.mean([time_find(finder, problem)[0] for problem in asked])
        before, times, wrong = measure_excess(finder, wg.make_finder("jps", finder.grid), asked), np.inf, 0
        made_for = finder
        for _ in range(arguments.rounds):
            finder, now = pickle.loads(pickle.dumps(made_for)), []
            jps = wg.make_finder("jps", finder.grid)
            for problem, edit in zip(problems, edits, strict=True):
                edit_us = time_edit(finder.grid, edit)
                first, path = time_find(finder, problem)
                now.append((edit_us, first, min(time_find(finder, problem)[0] for _ in range(2))))
                wrong += not is_right(finder, path, find(jps, problem).cost)
            times = np.minimum(times, now)
        times = np.stack((times[:, 0] + np.maximum(0.0, times[:, 1] - times[:, 2]), times[:, 2]), axis=1)
        excess = (
            before,
            measure_excess(finder, jps, asked),
            measure_excess(wg.make_finder(name, finder.grid), jps, asked),
        )
        edit_us, query_us = np.mean(times, axis=0)
        share = edit_us / (1e6 * made.build_s)
        figures = f"{1e3 * made.build_s:.1f}", f"{edit_us:.1f}", f"{share:.2%}", f"{static:.1f}", f"{query_us:.1f}"
        print_row(name, *figures, *(f"{one:.2%}" for one in excess), wrong)
    print()


def measure_excess(finder, jps, problems):
    """Return by which share the paths of a finder cost more than the cheapest, in the mean."""
    ends = np.array(problems)
    least, found = (one.find_many(ends[:, :2], ends[:, 2:]).costs for one in (jps, finder))
    there = (least > 0) & np.isfinite(least)
    return float((found[there] / least[there] - 1).mean())


PARTS = {"cells": cells, "doors": doors, "regions": regions}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=list(PARTS), help="parts, with commas")
    parser.add_argument("-a", "--algorithms", type=split_words)
    parser.add_argument("--edits", type=int, default=10_000, help="of cells and doors")
    parser.add_argument(
        "--rounds", type=int, default=1, help="of which the quickest time of each edit and query counts"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = begin_run(parser)
    for part in arguments.only:
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
