"""Pools of real-time agents on a map: times and memory.

    python benchmarks/agents.py MAP [-a NAME,NAME] [--agents N] [--steps N] [--expansions N] [--lookahead D]
    python benchmarks/agents.py MAP --quality lrta,tba,knn-lrta,sglrta [--problems N] [--metric dba]

Prints, for each algorithm, the processor time of one step of all agents, how much longer than the cheapest path their
ways are, and the memory of an agent. With --quality: what `find` of each algorithm makes of random problems:
how much more than the least it costs, its expansions and time per move (one thread, paths written), and the time to
build and the size of its index.
"""

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, time_finders

import waygrid as wg
from waygrid.measure.builds import build_finder
from waygrid.measure.timing import time_call, wall_clock

WALKED = 500  # agents that are followed to their goals
MOST_STEPS = 20_000


def random_ends(grid, count):
    """Starts and goals in the largest connected component of a map."""
    largest = np.bincount(grid.components[grid.components >= 0]).argmax()
    ys, xs = np.nonzero(grid.components == largest)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, count))
    return [np.stack([xs[p], ys[p]], axis=1) for p in picks]


def compare(grid, names, count) -> None:
    """Print a table of what each algorithm makes of the same problems."""
    starts, goals = random_ends(grid, count)
    least = wg.make_finder("astar", grid).find_many(starts, goals).costs
    starts, goals, least = starts[least > 0], goals[least > 0], least[least > 0]
    print_heading("", "mean %", "median %", "worst tenth %", "expansions per move", "us per move", "build s", "KB")
    for name in names:
        finder, made = build_finder(grid, name, {})
        times = time_finders({name: finder}, starts, goals, 1)[name]
        moves, over = float((times.column("lengths") - 1).sum()), 100 * (times.column("costs") / least - 1)
        costs = (f"{value:.2f}" for value in (over.mean(), np.median(over), np.quantile(over, 0.9)))
        work = f"{times.column('expanded').sum() / moves:.2f}", f"{1e6 * times.seconds / moves:.3f}"
        print_row(f"`{name}`", *costs, *work, f"{made.build_s:.1f}", f"{made.fixed_bytes / 1e3:.0f}")


def main() -> None:
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("map")
    parser.add_argument(
        "-a", "--algorithms", default="lrta", help="one or more, divided by commas: lrta,tba,pra,hcdps,dba"
    )
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--expansions", type=int, default=10)
    parser.add_argument("--lookahead", type=int)
    parser.add_argument("--quality", help="algorithms to compare, divided by commas")
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--metric", default="octile")
    chosen = begin_run(parser)
    grid = wg.Grid.from_file(chosen.map, metric=chosen.metric)
    if chosen.quality:
        compare(grid, chosen.quality.split(","), chosen.problems)
        return
    starts, goals = random_ends(grid, chosen.agents)
    for name in chosen.algorithms.split(","):
        options = {"lookahead": chosen.lookahead} if name == "lrta" and chosen.lookahead else {}
        finder = wg.make_finder(name, grid, **options)
        finder.agents(starts[:1], goals[:1]).step()  # compiled by now
        print(f"{name}:")
        step_all(finder, starts, goals, chosen.expansions, chosen.steps)
        follow_some(finder, starts[:WALKED], goals[:WALKED], chosen.expansions)


def step_all(finder, starts, goals, expansions, steps) -> None:
    """Time the steps of a large pool."""
    seconds, pool = time_call(lambda: finder.agents(starts, goals, expansions), wall_clock)
    print(f"  {len(pool):,} agents started in {1e3 * seconds:.1f} ms")
    times, made = [], 0
    for _ in range(steps):
        made += int((~pool.done).sum())
        times.append(1e3 * time_call(pool.step)[0])
    mean, median = np.mean(times), np.median(times)
    print(f"  one step of all: first {times[0]:.2f} ms, mean {mean:.2f}, median {median:.2f}, longest {max(times):.2f}")
    print(f"  one step of one: mean {1e3 * sum(times) / max(made, 1):.2f} us")
    if pool.first_step_ns is not None and pool.max_step_ns is not None:
        first, longest = np.median(pool.first_step_ns) / 1e3, np.median(pool.max_step_ns) / 1e3
        print(f"  first step {first:.2f} us, longest of an agent {longest:.2f} us (medians, by the clock)")
    memory = pool.memory
    print(f"  {int(pool.done.sum()):,} are done; {memory.agent_bytes:,} bytes per agent, {memory.fixed_bytes:,} fixed")


def follow_some(finder, starts, goals, expansions) -> None:
    """Follow some agents to their goals."""
    pool = finder.agents(starts, goals, expansions)
    steps = taken = 0
    while not pool.done.all() and steps < MOST_STEPS:
        taken += int((~pool.done).sum())
        pool.step()
        steps += 1
    there = (pool.statuses == wg.Status.FOUND) & (pool.moves > 0)
    least = wg.make_finder("astar", finder.grid).find_many(starts, goals).costs[there]
    costs = pool.costs[there], finder.find_many(starts, goals).costs[there]
    above, found = (100 * float((some / least - 1).mean()) for some in costs)
    print(f"  {there.sum()} of {len(pool)} followed: {above:.2f} % above the optimum (find: {found:.2f})")
    print(f"  {taken / max(int(pool.moves.sum()), 1):.2f} steps per move")


if __name__ == "__main__":
    main()
