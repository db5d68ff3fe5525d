"""Pools of real-time agents on a map: times and memory.

    python benchmarks/agents.py MAP [-a NAME,NAME] [--agents N] [--steps N] [--expansions N] [--lookahead D]

Prints, for each algorithm, the processor time of one step of all agents, how much longer than cheapest paths the ways
of some of them are, and the memory of an agent.
"""

import argparse
import time

import numpy as np

import waygrid as wg

WALKED = 500  # agents that are followed to their goals
MOST_STEPS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map")
    parser.add_argument(
        "-a", "--algorithms", default="lrta", help="one or more, divided by commas: lrta,tba,pra,hcdps,dba"
    )
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--expansions", type=int, default=10)
    parser.add_argument("--lookahead", type=int)
    chosen = parser.parse_args()
    grid = wg.Grid.from_file(chosen.map)
    largest = np.bincount(grid.components[grid.components >= 0]).argmax()
    ys, xs = np.nonzero(grid.components == largest)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, chosen.agents))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    for name in chosen.algorithms.split(","):
        options = {"lookahead": chosen.lookahead} if name == "lrta" and chosen.lookahead else {}
        finder = wg.make_finder(name, grid, **options)
        finder.agents(starts[:1], goals[:1]).step()  # compiled by now
        print(f"{name}:")
        step_all(finder, starts, goals, chosen.expansions, chosen.steps)
        follow_some(finder, starts[:WALKED], goals[:WALKED], chosen.expansions)


def step_all(finder, starts, goals, expansions, steps) -> None:
    """Time the steps of a large pool."""
    began = time.perf_counter()
    pool = finder.agents(starts, goals, expansions)
    print(f"  {len(pool):,} agents started in {1e3 * (time.perf_counter() - began):.1f} ms")
    times, made = [], 0
    for _ in range(steps):
        made += int((~pool.done).sum())
        began = time.thread_time()
        pool.step()
        times.append(1e3 * (time.thread_time() - began))
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
