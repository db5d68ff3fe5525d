"""Crowds: steps of many agents, a chase, whole plans; every step is checked by a validator of its own.

python benchmarks/crowd.py [--agents 10000] [--side 1024] [--steps 1000] [--frames 10000] [--plans 5]
                           [--only step,chase,plan]
"""

import time

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_words

import waygrid as wg


def main():
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--side", type=int, default=1024, help="of the map for steps, in cells")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--plans", type=int, default=5)
    parser.add_argument("--only", type=split_words, default=["step", "chase", "plan"])
    arguments = begin_run(parser)
    if "step" in arguments.only:
        measure_steps(arguments)
    if "chase" in arguments.only:
        measure_chase(arguments.frames)
    if "plan" in arguments.only:
        measure_plans(arguments.plans)


def largest_component(grid):
    """Return the cells (x, y) of the largest connected component."""
    labels = grid.components
    return np.argwhere(labels == np.bincount(labels[labels >= 0]).argmax())[:, ::-1]


def pick(chance, cells, count):
    """Return different cells by chance."""
    return cells[chance.permutation(len(cells))[:count]]


class Watch:
    """Times of some work: by the clock, and of the processor, which other programs do not disturb."""

    def __init__(self):
        self.times = []

    def __enter__(self):
        self._began = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, *error):
        self.times.append((time.perf_counter() - self._began[0], time.thread_time() - self._began[1]))

    def cells(self):
        """Return mean, 99th percentile and maximum by the clock and of the processor, in milliseconds."""
        figures = []
        for times in 1e3 * np.array(self.times).T:
            figures += [times.mean(), np.percentile(times, 99), times.max()]
        return [f"{value:.2f}" for value in figures]


WATCHED = "mean", "99 %", "most", "CPU mean", "CPU 99 %", "CPU most"


def measure_steps(arguments):
    """Measure steps of agents with a goal each, and with a new one for each that arrives."""
    print(f"{arguments.agents} agents on {arguments.side} x {arguments.side} cells, {arguments.steps} steps, ms")
    print_heading("map", "goals", "routes, s", *WATCHED, "arrived", "new goals, mean", "check")
    for kind, options in (("rooms", {}), ("random", {"walls": 0.1})):
        grid = wg.generate(kind, width=arguments.side, height=arguments.side, seed=3, **options)
        cells, chance = largest_component(grid), np.random.default_rng(1)
        for goals in ("fixed", "renewed"):
            began = time.perf_counter()
            ends = pick(chance, cells, arguments.agents), pick(chance, cells, arguments.agents)
            crowd = wg.Crowd(grid, *ends)
            crowd.step()  # compiled by now
            routes, fault, watch, renewing = time.perf_counter() - began, None, Watch(), []
            for _ in range(arguments.steps):
                if goals == "renewed" and (there := np.flatnonzero(crowd.arrived)).size:
                    began = time.perf_counter()
                    crowd.set_goals(there, chance.choice(cells, len(there)))
                    renewing.append(time.perf_counter() - began)
                before = crowd.positions
                with watch:
                    crowd.step()
                fault = fault or wg.first_collision(grid, np.stack((before, crowd.positions)))
            new = f"{1e3 * np.mean(renewing):.2f}" if renewing else "-"
            facts = f"{crowd.arrived.mean():.1%}", new, fault or "no collision"
            print_row(kind, goals, f"{routes:.1f}", *watch.cells(), *facts)
    print()


def measure_chase(frames):
    """Measure frames of a chase: a goal that moves, doors that open and close, one step of all units."""
    grid = wg.generate("rooms", width=128, height=96, seed=3)
    cells, chance = largest_component(grid), np.random.default_rng(1)
    doors = pick(chance, cells, 40)
    starts = pick(chance, cells, 201)
    crowd = wg.Crowd(grid, starts, starts[:1], priorities=[1] + [0] * 200)
    units, watch, fault, edits = np.arange(1, 201), Watch(), None, 0
    for frame in range(frames):
        door = doors[frame % len(doors)]
        opens = frame % 10 == 0 and not (crowd.positions == door).all(axis=1).any()
        lost = crowd.arrived[0] or not crowd.reachable[0]
        target = chance.choice(cells[grid.passable[cells[:, 1], cells[:, 0]]]) if lost else None
        before = crowd.positions
        with watch:
            if opens:
                grid.set_passable(tuple(door.tolist()), not grid.passable[door[1], door[0]])
                edits += 1
            if target is not None and grid.passable[target[1], target[0]]:
                crowd.set_goals([0], target)
            crowd.set_goals(units, before[0])
            crowd.step()
        fault = fault or wg.first_collision(grid, np.stack((before, crowd.positions)))
    print(f"200 units chase a player on 128 x 96 cells, {frames} frames with {edits} edits, ms")
    watch.times = watch.times[10:]
    print_heading(*WATCHED, "check")
    print_row(*watch.cells(), fault or "no collision")
    print()


def measure_plans(count):
    """Measure whole plans on maps of the kind of random-32-32-20."""
    print("plans on 32 x 32 cells, 20 % walls: mean of the sum of costs over its lower bound")
    print_heading("grid", "agents", "time allowed", "found", "first after, ms", "first", "at the end", "check")
    for topology in ("tile", "octile"):
        for agents in (100, 200, 400):
            for allowed in (0.1, 1.0):
                print_row(topology, agents, f"{allowed} s", *_measure_plan(topology, agents, allowed, count))


def _measure_plan(topology, agents, allowed, count):
    first, start, end, faults = [], [], [], set()
    for seed in range(1, count + 1):
        grid = wg.generate("random", width=32, height=32, walls=0.2, seed=seed, topology=topology)
        cells, chance = largest_component(grid), np.random.default_rng(seed)
        crowd = wg.Crowd(grid, pick(chance, cells, agents), pick(chance, cells, agents))
        if seed == 1:
            crowd.plan(0.01)  # compiled by now
        plan = crowd.plan(allowed, seed=seed)
        faults.add(plan.check(grid) or "no collision")
        if plan.status == wg.Status.FOUND:
            first.append(plan.first_seconds)
            start.append(plan.first_cost / plan.lower_bound)
            end.append(plan.sum_of_costs / plan.lower_bound)
    if not first:
        return f"0 of {count}", "-", "-", "-", *faults
    figures = f"{1e3 * np.median(first):.1f}", f"{np.mean(start):.2f}", f"{np.mean(end):.2f}"
    return f"{len(first)} of {count}", *figures, *faults


if __name__ == "__main__":
    main()
