"""Whether the advisor's recommendation holds on rows of the scenarios that it has not seen, times included.

    python benchmarks/advisor.py [--maps DIR] [--only dao/orz100d,bgmaps/AR0205SR] [--budget 60]
                                 [--memory 200KB] [--suboptimality 3%] [--response 50us]

The advisor is given every other row of a scenario; the recommended finder is then measured on the rest, as it would be
used: whole paths or agents. Each figure must be within its limit.
"""

import argparse
import os
import time
from pathlib import Path

import waygrid as wg
from waygrid.advisor import measure
from waygrid.advisor.limits import share_words, size_words, time_words
from waygrid.advisor.problems import Asked
from waygrid.measure.scenario import Scenario

ROOT = Path(__file__).resolve().parent.parent
MAPS = "dao/arena2,dao/hrt000d,dao/orz100d,dao/brc202d,dao/ost100d,bgmaps/AR0205SR,rooms/16room_000"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def unseen(advice, grid, scenario):
    """Measure the recommended finder on the rows that the advisor did not have."""
    best = advice.recommendation
    kept = scenario.costs > 0
    asked = Asked(scenario.starts[kept], scenario.goals[kept], scenario.costs[kept])
    finder = wg.make_finder(best.algorithm, grid, **best.options)
    return measure.take(finder, best.way, asked, measure.probe_s(finder, best.way, asked))


def held(advice, sample):
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))
    parser.add_argument("--maps", type=Path, default=default)
    parser.add_argument("--only", default=MAPS)
    parser.add_argument("--budget", type=float, default=60)
    for name, value in (("memory", "200KB"), ("suboptimality", "3%"), ("response", "50us")):
        parser.add_argument(f"--{name}", default=value)
    arguments = parser.parse_args()
    limits = {name: getattr(arguments, name) for name in ("memory", "suboptimality", "response")}
    print(f"limits: {', '.join(f'{name} {value}' for name, value in limits.items())}\n")
    heads = ("map", "recommended", "above optimum: advised", "unseen", "first move: advised", "unseen", "index", "s")
    row(*heads, "limits that hold")
    row(*("---" for _ in heads), "---")
    for name in arguments.only.split(","):
        grid = wg.Grid.from_file(arguments.maps / f"{name}.map")
        whole = Scenario.from_file(arguments.maps / f"{name}.map.scen")
        parts = [Scenario(whole.starts[k::2], whole.goals[k::2], whole.costs[k::2], name=name) for k in (0, 1)]
        began = time.perf_counter()
        advice = wg.advise(grid, scenario=parts[0], budget=arguments.budget, **limits)
        took = f"{time.perf_counter() - began:.0f}"
        best = advice.recommendation
        if best is None:
            row(name, "nothing", *("-",) * 5, took, advice.summary()[0])
            continue
        sample = unseen(advice, grid, parts[1])
        quality = share_words(best.suboptimality), share_words(float(sample.above.mean()))
        first = time_words(best.response_us / 1e6), time_words(sample.response_mean_us / 1e6)
        row(name, best.name, *quality, *first, size_words(best.fixed_bytes), took, held(advice, sample))


if __name__ == "__main__":
    main()
