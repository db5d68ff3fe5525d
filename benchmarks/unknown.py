"""D* Lite beside A* from scratch at every surprise, on the ten maps of the DBA* paper with walls that nobody knows of.

    python benchmarks/unknown.py [--maps DIR] [--only hrt000d,orz100d] [--walls 1,5] [--problems 10] [--radius 5]

Of the passable cells of each map some percent become walls, by chance. Agents believe in the map without them. They
walk the longest problems of the scenario that can still be solved (costs 10/14, corners never) and see everything
within the radius. An agent of `dstar-lite` repairs its plan at every surprise. Beside it `astar` searches from the same
cell, on a map with the same walls, whenever there was a surprise, and once at the start.

That is more than A* needs here. Nothing opens, so a path stays the cheapest until a wall lies in its way. "A*, blocked"
is an agent of its own that walks its path and searches again only then.

All count the cells that they take off their open lists. Times are processor times of one thread, best of the rounds,
divided by the moves: for D* Lite all of `find`, looking around included, for A* the searches alone. At every surprise
the cost of A* is compared with what the agent of D* Lite plans.
"""

from dataclasses import dataclass

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_numbers, split_words
from databases import PAPER

import waygrid as wg
from waygrid.grid.legal import first_fault
from waygrid.measure.timing import time_best


@dataclass
class Work:
    """What some walks took."""

    moves: int = 0
    surprises: int = 0
    expanded: int = 0
    seconds: float = 0.0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def close_cells(known, percent, seed):
    """Return a map with some percent of its passable cells closed."""
    closed = np.random.default_rng(seed).random(known.passable.shape) < percent / 100
    return wg.Grid(known.passable & ~closed, metric="dba")


def choose_problems(file, grid, count):
    """Return the longest problems of a scenario that can be solved on the map with more walls."""
    scenario = wg.Scenario.from_file(f"{file}.scen")
    chosen = []
    for k in np.argsort(-scenario.costs, kind="stable"):
        (x, y), (goal_x, goal_y) = scenario.starts[k].tolist(), scenario.goals[k].tolist()
        component = grid.components[y, x]
        if component >= 0 and component == grid.components[goal_y, goal_x] and len(chosen) < count:
            chosen.append(((x, y), (goal_x, goal_y)))
    return chosen


def look(believed, grid, cell, radius):
    """Correct the believed map by what is in sight of a cell; return whether anything was wrong."""
    x, y = cell
    rows, columns = slice(max(0, y - radius), y + radius + 1), slice(max(0, x - radius), x + radius + 1)
    wrong = np.argwhere(believed.passable[rows, columns] != grid.passable[rows, columns]).tolist()
    for row, column in wrong:
        believed.set_passable((columns.start + column, rows.start + row), False)
    return bool(wrong)


def search(finder, cell, goal, rounds, work):
    """Search from a cell and add what it took; return the path."""
    path = finder.find(cell, goal)  # the edited map is compiled by now
    work.seconds += time_best(lambda: finder.find(cell, goal), fill_s=0.0, least=rounds)
    work.expanded += path.stats.expanded
    return path


def repair(finder, ends, rounds):
    """Let an agent of D* Lite walk; return what it took."""
    path = finder.find(*ends)
    seconds = time_best(lambda: finder.find(*ends), fill_s=0.0, least=rounds)
    return Work(len(path) - 1, 0, path.stats.expanded, seconds)


def search_at_surprises(finder, known, grid, ends, radius, rounds):
    """Walk with an agent of D* Lite and let A* search from its cell, at the start and at every surprise."""
    believed, work = wg.Grid(known.passable, metric="dba"), Work()
    astar, pool = wg.make_finder("astar", believed), finder.agents([ends[0]], [ends[1]], 10**9)
    while not pool.done[0]:
        cell, paid = tuple(pool.positions[0].tolist()), pool.costs[0]
        surprised = look(believed, grid, cell, radius)
        work.surprises += surprised
        (x, y), (price,) = pool.step()[0].tolist(), pool.costs - paid
        work.moves += 1
        if surprised or work.moves == 1:
            path = search(astar, cell, ends[1], rounds, work)
            records = pool.records(0)
            planned = 0 if pool.done[0] else int(records["rhs"][records["cell"] == y * grid.width + x][0])
            assert round(10 * (path.cost - price)) == planned, (cell, ends)
    return work


def search_when_blocked(known, grid, ends, radius, rounds):
    """Walk along paths of A*, and search again where a wall lies in the way."""
    believed, work, cell = wg.Grid(known.passable, metric="dba"), Work(), ends[0]
    finder, left = wg.make_finder("astar", believed), []
    while cell != ends[1]:
        surprised = look(believed, grid, cell, radius)
        work.surprises += surprised
        if not left or (surprised and first_fault(believed, [cell, *left]) is not None):
            left = [tuple(one) for one in search(finder, cell, ends[1], rounds, work).cells.tolist()[1:]]
        cell = left.pop(0)
        work.moves += 1
    return work


def measure(file, percent, arguments):
    """Let agents walk on one map; return what D* Lite, A* at every surprise and A* at blocked paths took."""
    known, radius, rounds = wg.Grid.from_file(file, metric="dba"), arguments.radius, arguments.rounds
    grid, works = close_cells(known, percent, seed=1), [Work(), Work(), Work()]
    finder = wg.make_finder("dstar-lite", grid, radius=radius, known=known.passable)
    for ends in choose_problems(file, grid, arguments.problems):
        works[0].add(repair(finder, ends, rounds))
        works[1].add(search_at_surprises(finder, known, grid, ends, radius, rounds))
        works[2].add(search_when_blocked(known, grid, ends, radius, rounds))
    assert works[0].moves == works[1].moves
    return works


def show(name, works):
    """Print a row of the table."""
    expansions = [work.expanded / work.moves for work in works]
    times = [1e6 * work.seconds / work.moves for work in works]
    ratios = [f"{expansions[0] / other:.3f}" for other in expansions[1:]]
    ratios += [f"{times[0] / other:.2f}" for other in times[1:]]
    print_row(
        name, f"{works[1].surprises / works[1].moves:.2f}", *(f"{one:.1f}" for one in expansions + times), *ratios
    )


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=split_words(PAPER), help="maps of the set dao")
    parser.add_argument("--walls", type=split_numbers, default=[1, 5], help="percent of the passable cells")
    parser.add_argument("--problems", type=int, default=10, help="of each map")
    parser.add_argument("--radius", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = begin_run(parser)
    each = "D* Lite", "A*, surprise", "A*, blocked"
    for percent in arguments.walls:
        print(f"{percent} % unknown walls, the {arguments.problems} longest problems of each map, per move\n")
        columns = [f"{what}: {name}" for what in ("expansions", "us") for name in each]
        columns += [f"{what}: D* Lite / {name}" for what in ("expansions", "time") for name in each[1:]]
        print_heading("map", "surprises", *columns)
        total = [Work(), Work(), Work()]
        for name in arguments.only:
            works = measure(arguments.maps / "dao" / f"{name}.map", percent, arguments)
            show(name, works)
            for all_work, work in zip(total, works, strict=True):
                all_work.add(work)
        show("all", total)
        print()


if __name__ == "__main__":
    main()
