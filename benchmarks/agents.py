"""Pools of real-time agents on a map: times and memory.

    python benchmarks/agents.py MAP [-a NAME] [--agents N] [--steps N] [--expansions N] [--lookahead D]

Prints the processor time of one step of all agents and the memory of an agent.
"""

import argparse
import time

import numpy as np

import waygrid as wg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map")
    parser.add_argument("-a", "--algorithm", default="lrta")
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--expansions", type=int, default=10)
    parser.add_argument("--lookahead", type=int)
    chosen = parser.parse_args()
    grid = wg.Grid.from_file(chosen.map)
    options = {} if chosen.lookahead is None else {"lookahead": chosen.lookahead}
    finder = wg.make_finder(chosen.algorithm, grid, **options)
    largest = np.bincount(grid.components[grid.components >= 0]).argmax()
    ys, xs = np.nonzero(grid.components == largest)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, chosen.agents))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
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
