"""Whether the advisor's recommendation holds on rows of the scenarios that it has not seen, times included.

    python benchmarks/advisor.py [--maps DIR] [--only dao/orz100d,bgmaps/AR0205SR] [--budget 60]
                                 [--memory 200KB] [--suboptimality 3%] [--response 50us]

The advisor is given every other row of a scenario; the recommended finder is then measured on the rest, as it would be
used: whole paths or agents. Each figure must be within its limit.
"""

import numpy as np
from common import begin_run, load_map, make_parser, print_heading, print_row

import waygrid as wg
from waygrid.advisor import measure
from waygrid.advisor.limits import share_words, size_words, time_words
from waygrid.measure.problems import Problems

MAPS = "dao/arena2,dao/hrt000d,dao/orz100d,dao/brc202d,dao/ost100d,bgmaps/AR0205SR,rooms/16room_000"


def measure_unseen(advice, grid, scenario):
    """Measure the recommended finder on the rows that the advisor did not have."""
    best = advice.recommendation
    rows = np.flatnonzero(scenario.costs > 0)
    problems = Problems(scenario.starts[rows], scenario.goals[rows], scenario.costs[rows], rows, "scenario")
    finder = wg.make_finder(best.algorithm, grid, **best.options)
    return measure.measure_sample(finder, best.way, problems, measure.probe_s(finder, best.way, problems))


def name_limits(advice, sample):
    """Name the limits that do not hold."""
    limits, said = advice.limits, []
    if limits.suboptimality is not None and (sample.unsolved or sample.above.mean() > limits.suboptimality):
        said.append("suboptimality")
    if limits.response is not None and sample.response_mean_us > 1e6 * limits.response:
        said.append("response")
    if limits.memory is not None and advice.recommendation.fixed_bytes > limits.memory:
        said.append("memory")
    return ", ".join(said) or "all"


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", default=MAPS)
    parser.add_argument("--budget", type=float, default=60)
    for name, value in (("memory", "200KB"), ("suboptimality", "3%"), ("response", "50us")):
        parser.add_argument(f"--{name}", default=value)
    arguments = begin_run(parser)
    limits = {name: getattr(arguments, name) for name in ("memory", "suboptimality", "response")}
    print(f"limits: {', '.join(f'{name} {value}' for name, value in limits.items())}\n")
    heads = ("map", "recommended", "above optimum: advised", "unseen", "first move: advised", "unseen", "index", "s")
    print_heading(*heads, "limits that hold")
    for name in arguments.only.split(","):
        grid, whole = load_map(arguments.maps, name)
        parts = [whole.select(slice(first, None, 2)) for first in (0, 1)]
        advice = wg.advise(grid, scenario=parts[0], budget=arguments.budget, **limits)
        took = f"{advice.seconds:.0f}"
        best = advice.recommendation
        if best is None:
            print_row(name, "nothing", *("-",) * 5, took, advice.summary()[0])
            continue
        sample = measure_unseen(advice, grid, parts[1])
        quality = share_words(best.suboptimality), share_words(float(sample.above.mean()))
        first = time_words(best.response_us / 1e6), time_words(sample.response_mean_us / 1e6)
        print_row(name, best.name, *quality, *first, size_words(best.fixed_bytes), took, name_limits(advice, sample))


if __name__ == "__main__":
    main()
