"""What damaged indexes do to the process that loads them: an error of our own, the right answer, or worse.

    python benchmarks/damage.py [--flips 10000] [--blocks 500] [--bytes 500] [--forged] [--words N] [--shuffles N]
                                [--algorithms jps+,dba] [--seed 0] [--workers 1] [--log FILE] [--bounds]

Small indexes of every algorithm are built, damaged and loaded with default options in child processes, and asked 20
queries each (see tests/damage.py). --forged mends all checksums after the damage; such a file may answer wrongly, but
may neither crash nor hang. --log keeps results, and a run with the same file resumes there. --bounds compiles with
every array access checked, so that a read outside an array counts as a foreign error even where it would not crash.
The exit code is 1 where anything happened that may not.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import damage


def read_log(file: Path | None) -> list[damage.Result]:
    """Return the results of the run so far."""
    if file is None or not file.exists():
        return []
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return [damage.Result(damage.Job(*job), outcome, note) for job, outcome, note in rows]


def choose_cases(names: str | None) -> list[str]:
    """Return the cases of some algorithms, by the names of the algorithms or of single cases."""
    if names is None:
        return list(damage.CASES)
    wanted = names.split(",")
    chosen = [case for case in damage.CASES if case in wanted or case.split("/")[0] in wanted]
    if not chosen:
        raise SystemExit(f"--algorithms {names}: allowed are {', '.join(damage.CASES)}")
    return chosen


def tabulate(results: list[damage.Result]) -> str:
    """Return a table: cases down, outcomes across."""
    counts = Counter((result.job.case, result.outcome) for result in results)
    cases = list(
        dict.fromkeys(case for case in damage.CASES if any((case, outcome) in counts for outcome in damage.OUTCOMES))
    )
    lines = [f"{'':20}" + "".join(f"{outcome:>15}" for outcome in damage.OUTCOMES)]
    for case in cases:
        lines.append(f"{case:20}" + "".join(f"{counts[case, outcome]:15}" for outcome in damage.OUTCOMES))
    totals = [sum(counts[case, outcome] for case in cases) for outcome in damage.OUTCOMES]
    return "\n".join([*lines, f"{'all':20}" + "".join(f"{total:15}" for total in totals)])


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, kind in (
        ("flips", "flip"),
        ("blocks", "block"),
        ("bytes", "bytes"),
        ("words", "word"),
        ("shuffles", "shuffle"),
    ):
        parser.add_argument(f"--{name}", dest=kind, type=int, default=1000 if kind == "flip" else 0, metavar="N")
    parser.add_argument("--algorithms")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--forged", action="store_true")
    parser.add_argument("--bounds", action="store_true")
    parser.add_argument("--log", type=Path)
    chosen = parser.parse_args()
    cases = choose_cases(chosen.algorithms)
    jobs = [
        job
        for kind in damage.FORGED_KINDS
        for job in damage.list_jobs(cases, [kind], getattr(chosen, kind), chosen.seed, chosen.forged)
    ]
    results = read_log(chosen.log)
    done = {result.job for result in results}
    began, shown = time.monotonic(), 0.0
    left = [job for job in jobs if job not in done]
    log = chosen.log.open("a") if chosen.log is not None else None

    def note(result: damage.Result) -> None:
        nonlocal shown
        results.append(result)
        if log is not None:
            log.write(json.dumps(result) + "\n")
            log.flush()
        if damage.is_fault(result):
            print(f"FAULT {result}", flush=True)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"{len(results)} of {len(done) + len(left)}, {shown - began:.0f} s", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        environment = {"WAYGRID_BOUNDSCHECK": "1"} if chosen.bounds else {}
        damage.Attack(Path(folder), cases, chosen.workers, environment=environment).run(left, note)
    print(tabulate(results))
    faults = sum(damage.is_fault(result) for result in results)
    print(f"{len(results)} trials, {faults} faults, {time.monotonic() - began:.0f} s")
    raise SystemExit(faults > 0)


if __name__ == "__main__":
    main()
