"""Damaged indexes of every algorithm: refused, or the right answer; where checksums are forged, at most a wrong one.

    python tests/torture/indexes.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]
    WAYGRID_BOUNDSCHECK=1 python tests/torture/indexes.py --out out/torture/bounds

A seed is some damaged copies of one index: bits, blocks and bytes, and with forged checksums also single numbers that
become extreme ones, and numbers that change places. Each is loaded with default options and asked 20 queries, a batch,
traces and agents (see tests/damage.py; benchmarks/damage.py repeats single kinds of damage).
"""

import sys
import tempfile
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import damage
from torture import frame

import waygrid as wg

COPIES = 20  # of a seed
HOME = tempfile.TemporaryDirectory(prefix="waygrid-torture-")


@cache
def victim(case):
    """Return a case with its index, which is built once."""
    folder, (name, options, kind) = Path(HOME.name), damage.CASES[case]
    wg.make_finder(name, damage.make_world(kind), **options).save(damage.case_file(folder, case))
    return damage.Victim(folder, case, brief=False)


def attack(seed, tally):
    """Damage the index of one case."""
    cases = list(damage.CASES)
    case = cases[seed % len(cases)]
    tally.note(f"{case}: build")
    attacked = victim(case)
    for number in range(COPIES):
        forged = number % 2 == 1
        kinds = damage.FORGED_KINDS if forged else damage.KINDS
        job = damage.Job(case, kinds[number // 2 % len(kinds)], forged, seed * COPIES + number)
        copy = Path(HOME.name, f"{seed} {number}.wgi")  # a new name: the file before may still be mapped
        what = f"{job.kind}{', forged' if forged else ''}, copy {number}"
        outcome, note = attacked.attack(job, copy, lambda what=what: tally.note(f"{case}: {what}"))
        copy.unlink(missing_ok=True)
        tally.count("copies")
        tally.count(f"copies: {outcome}")
        if damage.is_fault(damage.Result(job, outcome, note)):
            tally.fault(f"{case}, {outcome}: {note} ({what})")


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=300))
