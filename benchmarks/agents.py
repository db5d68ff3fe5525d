"""Pools of real-time agents on a map: times and memory.

    python benchmarks/agents.py MAP [-a NAME] [--agents N] [--steps N] [--expansions N] [--lookahead D]
    python benchmarks/agents.py MAP --quality lrta,tba,knn-lrta,sglrta [--problems N] [--metric dba]

Prints the processor time of one step of all agents and the memory of an agent. With --quality: what `find` of each
algorithm makes of random problems: how much more than the least it costs, its expansions and time per move (one thread,
paths written), and the time to build and the size of its index.
"""

import argparse
import time

import numpy as np

import waygrid as wg


def random_ends(grid, count):
    """Starts and goals in the largest part of a map."""
    largest = np.bincount(grid.components[grid.components >= 0]).argmax()
    ys, xs = np.nonzero(grid.components == largest)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, count))
    return [np.stack([xs[p], ys[p]], axis=1) for p in picks]


def compare(grid, names, count) -> None:
    """Print a table of what each algorithm makes of the same problems."""
    starts, goals = random_ends(grid, count)
    least = wg.make_finder("astar", grid).find_many(starts, goals).costs
    starts, goals, least = starts[least > 0], goals[least > 0], least[least > 0]
    columns = ("", "mean %", "median %", "worst tenth %", "expansions per move", "us per move", "build s", "KB")
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for name in names:
        small = wg.generate("rooms", width=40, height=30, seed=1, metric=grid.metric)
        wg.make_finder(name, small).find_many([(1, 1)], [(38, 28)], threads=1)  # compiled by now
        began = time.perf_counter()
        finder = wg.make_finder(name, grid)
        build_s = time.perf_counter() - began
        began = time.thread_time()
        batch = finder.find_many(starts, goals, threads=1)
        took = time.thread_time() - began
        moves, over = float((batch.lengths - 1).sum()), 100 * (batch.costs / least - 1)
        costs = f"{over.mean():.2f} | {np.median(over):.2f} | {np.quantile(over, 0.9):.2f}"
        work = f"{sum(path.stats.expanded for path in batch) / moves:.2f} | {1e6 * took / moves:.3f}"
        print(f"| `{name}` | {costs} | {work} | {build_s:.1f} | {finder.memory.fixed_bytes / 1e3:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map")
    parser.add_argument("-a", "--algorithm", default="lrta")
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--expansions", type=int, default=10)
    parser.add_argument("--lookahead", type=int)
    parser.add_argument("--quality", help="algorithms to compare, divided by commas")
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--metric", default="octile")
    chosen = parser.parse_args()
    grid = wg.Grid.from_file(chosen.map, metric=chosen.metric)
    if chosen.quality:
        compare(grid, chosen.quality.split(","), chosen.problems)
        return
    options = {} if chosen.lookahead is None else {"lookahead": chosen.lookahead}
    finder = wg.make_finder(chosen.algorithm, grid, **options)
    starts, goals = random_ends(grid, chosen.agents)
    finder.agents(starts[:1], goals[:1]).step()  # compiled by now
    began = time.perf_counter()
    pool = finder.agents(starts, goals, chosen.expansions)
    print(f"{len(pool):,} agents started in {1e3 * (time.perf_counter() - began):.1f} ms")
    times, made = [], 0
    for _ in range(chosen.steps):
        made += int((~pool.done).sum())
        began = time.thread_time()
        pool.step()
        times.append(1e3 * (time.thread_time() - began))
    print(f"one step of all: mean {np.mean(times):.2f} ms, median {np.median(times):.2f}, longest {max(times):.2f}")
    print(f"one step of one: mean {1e3 * sum(times) / max(made, 1):.2f} us")
    if pool.first_step_ns is not None and pool.max_step_ns is not None:
        first, longest = np.median(pool.first_step_ns) / 1e3, np.median(pool.max_step_ns) / 1e3
        print(f"first step {first:.2f} us, longest of an agent {longest:.2f} us (medians, by the clock)")
    print(f"{int(pool.done.sum()):,} are done; {pool.memory.agent_bytes:,} bytes per agent")


if __name__ == "__main__":
    main()
