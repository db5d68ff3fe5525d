"""Ctrl-C at random moments, with an empty cache of kernels: what ends each command, and how soon.

    python benchmarks/interrupts.py [--tries 48] [--latest 12] [--seed 1]

Every try starts a command with an empty cache, waits a random time and sends one SIGINT. The exit code must be 130 and
standard error must hold no traceback. The program ends with 1 where a try did otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# The interpreter's own start is left out: it says "ready" once Ctrl-C is waygrid's.
START = """
import sys
from waygrid import cli

run = cli._run

def run_and_say(words):
    print("ready", file=sys.stderr, flush=True)
    return run(words)

cli._run = run_and_say
sys.exit(cli.main())
"""
COMMANDS = {
    "find": ["find", "small.txt", "0,0", "11,11", "-a", "astar"],
    "build": ["build", "small.txt", "-a", "astar-gb"],
    "bench": ["bench", "small.txt", "-a", "astar,jps+,dba", "--store", "runs.duckdb"],
    "reproduce": ["reproduce", "all", "--quick"],
    "warmup": ["warmup"],
}


class Try(NamedTuple):
    code: int
    seconds: float  # from the signal to the end
    said: str  # on standard error

    @property
    def good(self) -> bool:
        return self.code == 130 and "Traceback" not in self.said and "Exception" not in self.said


def interrupt(words: list[str], folder: Path, delay: float) -> Try:
    """Start a command in a folder, with an empty cache there, and interrupt it after so many seconds."""
    (folder / "small.txt").write_text("\n".join(["." * 12] * 12) + "\n")
    environment = {**os.environ, "WAYGRID_CACHE": str(folder / "cache")}
    with subprocess.Popen(
        [sys.executable, "-c", START, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while process.stderr.readline() not in ("ready\n", ""):
            pass
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        began = time.perf_counter()
        try:
            said = process.communicate(timeout=120)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
        return Try(process.returncode, time.perf_counter() - began, said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tries", type=int, default=48)
    parser.add_argument("--latest", type=float, default=12.0, help="seconds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, tries = random.Random(options.seed), []
    for number in range(options.tries):
        name = list(COMMANDS)[number % len(COMMANDS)]
        delay = chance.uniform(0, options.latest)
        with tempfile.TemporaryDirectory() as folder:
            done = interrupt(COMMANDS[name], Path(folder), delay)
        # A quick command may be through before the signal comes.
        print(f"{name:10} after {delay:5.2f} s: exit code {done.code} in {done.seconds:.2f} s", flush=True)
        tries.append(done)
        if not done.good:
            print(done.said)
    good, slowest = sum(done.good for done in tries), max(done.seconds for done in tries)
    print(f"{good} of {len(tries)} ended with exit code 130 and no traceback, the slowest after {slowest:.2f} s")
    return 0 if good == len(tries) else 1


if __name__ == "__main__":
    sys.exit(main())
