"""Does `waygrid bench --against` keep quiet where nothing changed? The same code twice, beside a busy process.

    python benchmarks/same_code.py [--pairs 20] [--map FILE] [-a astar,jps+] [--limit N] [--busy 1] [--keep DIR]

Each pair has a store of its own: a run, and a second run of the same code compared with it. Between the two, processes
that compute and copy memory start and end at random, so no two runs meet the same machine. Of 20 pairs at most one may
be called slower or faster.
"""

import argparse
import math
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from common import begin_run, make_parser

from waygrid.bench.compare import Allowed, compare
from waygrid.bench.store import open_store
from waygrid.measure.timing import time_call, wall_clock

BUSY = """
import random, time
import numpy as np
block = np.ones(4_000_000)
while True:
    until = time.monotonic() + random.expovariate(1.0)
    while time.monotonic() < until:
        block = block[::-1] * 1.0000001
    until = time.monotonic() + random.expovariate(1.0)
    while time.monotonic() < until:
        sum(range(10_000))
    time.sleep(random.expovariate(2.0))
"""


@contextmanager
def busy(processes: int):
    """Keep some processes busy while the block runs."""
    running = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def bench(chosen: argparse.Namespace, file: Path) -> None:
    """Make one run in a process of its own."""
    words = ["bench", str(chosen.map), "-a", chosen.a, "--store", str(file)]
    words += ["--limit", str(chosen.limit)] if chosen.limit else []
    made = subprocess.run([sys.executable, "-m", "waygrid.cli", *words], capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stderr)


def main() -> None:
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--map", type=Path, default=Path("arena2.map"))
    parser.add_argument("-a", default="astar,jps+")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--busy", type=int, default=1, help="processes beside each run")
    parser.add_argument("--keep", type=Path, help="folder for the stores")
    chosen = begin_run(parser)
    different, lines, widest, seconds = 0, 0, [], []
    with tempfile.TemporaryDirectory() as place:
        folder = chosen.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        for pair in range(chosen.pairs):
            file = folder / f"{pair}.duckdb"
            for _ in range(2):
                with busy(random.randint(0, 2 * chosen.busy)):
                    time.sleep(random.random())
                    seconds.append(time_call(lambda file=file: bench(chosen, file), wall_clock)[0])
            with open_store(file) as store:
                found = compare(store, 2, 1)
            says = [each.time_says(Allowed()) for each in found.differences]
            different += any(word != "same" for word in says)
            lines += sum(word != "same" for word in says)
            shown = "  ".join(
                f"{each.algorithm} {each.ratio:.3f} [{each.low:.3f}, {each.high:.3f}] {word}"
                for each, word in zip(found.differences, says, strict=True)
            )
            widest += [math.sqrt(each.high / each.low) for each in found.differences]
            print(f"pair {pair + 1}: {shown}", flush=True)
    print(
        f"{different} of {chosen.pairs} pairs called different ({lines} of {len(widest)} lines); at most 1 in 20 may be"
    )
    print(
        f"half width of the intervals: median {sorted(widest)[len(widest) // 2] - 1:.1%}, widest {max(widest) - 1:.1%}"
    )
    print(f"a run took {sum(seconds) / len(seconds):.1f} s")


if __name__ == "__main__":
    main()
