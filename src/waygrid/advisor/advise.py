"""`waygrid.advise`: measure what suits a map, and recommend one algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter

from waygrid.advisor.advice import Advice, rules_of
from waygrid.advisor.budget import Budget
from waygrid.advisor.candidate import Candidate
from waygrid.advisor.choose import choose
from waygrid.advisor.limits import limits_of
from waygrid.advisor.problems import ProblemSource
from waygrid.advisor.rounds import SIZES, Bench, RealBench, Rounds, look_beyond
from waygrid.advisor.ways import ways_of
from waygrid.algorithms.automatic import choose_algorithm
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.measure.scenario import Scenario
from waygrid.search.names import unknown_algorithm
from waygrid.search.registry import algorithms as known_algorithms


def advise(
    grid: Grid,
    *,
    memory: int | str | None = None,
    suboptimality: float | str | None = None,
    response: float | str | None = None,
    updates: bool = False,
    budget: float = 120,
    scenario: Scenario | None = None,
    algorithms: Iterable[str] | None = None,
    seed: int = 0,
    progress: Callable[[float, str], None] | None = None,
    clock: Callable[[], float] = perf_counter,
    bench: Bench | None = None,
) -> Advice:
    """Measure the algorithms on a map and recommend one that meets the limits.

    memory: bytes of the index, or a text such as "200KB". suboptimality: mean of cost / optimum - 1, or "3%".
    response: mean seconds until the first move, or "50us". Without a limit anything goes.
    updates: the map changes during play; an index must be rebuilt within a frame, 1/60 s.
    budget: seconds for all measurements; compiling is not counted.
    scenario: problems to measure on; without it random pairs of cells in the largest connected component.
    algorithms: names to try; all without it. seed: of the sample. progress: receives the share done and what is done.
    clock, bench: what time is read from and what builds and measures.

    >>> import waygrid as wg
    >>> grid = wg.generate("rooms", width=40, height=30, seed=1)
    >>> advice = wg.advise(grid, suboptimality="0%", algorithms=["astar", "best-first"])
    >>> advice.recommendation.algorithm, advice.recommendation.suboptimality
    ('astar', 0.0)
    """
    limits = limits_of(memory, suboptimality, response, updates)
    if isinstance(budget, bool) or not isinstance(budget, (int, float)) or not 0 < budget < 1e6:
        raise WaygridError(f"budget is {show(budget)}; allowed are seconds above 0")
    known = known_algorithms()
    names = list(known) if algorithms is None else list(algorithms)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise unknown_algorithm(name, known)
        if algorithms is not None and known[name].metric != "grid":
            raise WaygridError(f"paths of {name} are measured by their length, and the advisor compares costs of moves")
    report = progress or (lambda share, what: None)
    report(0.0, "optimal costs")
    began = clock()
    counter = Budget(budget, clock)
    problems = ProblemSource(grid, scenario, SIZES[-1], seed)
    candidates = [Candidate(way) for way in ways_of({name: known[name] for name in names})]
    used = bench or RealBench(grid, problems)
    Rounds(candidates, limits, used, counter, report).run()
    best = choose(candidates, limits)
    if best is not None:
        report(1.0, "what a larger budget could bring")
        look_beyond(candidates, best, used)
    report(1.0, "done")
    room = {} if limits.memory is None else {"memory": int(limits.memory)}
    automatic = choose_algorithm(grid, **room).reason
    return Advice(best, candidates, limits, problems.words, clock() - began, rules_of(grid), float(budget), automatic)
