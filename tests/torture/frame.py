"""What all programs of this folder share: seeds, workers, runs that resume, and reports.

A program is a function `attack(seed, tally)` that tries what belongs to one seed, and a call of `main`:

    sys.path.insert(0, str(Path(__file__).parent.parent))
    from torture import frame

    def attack(seed, tally):
        tally.note("an odd map")        # a sign of life, and what is being tried: it names a crash or a hang
        tally.count("maps")             # what was tried
        if wrong:
            tally.fault("what is wrong, in one line")

    if __name__ == "__main__":
        sys.exit(frame.main(__doc__, attack))

An exception that leaves `attack` is a fault too. Seeds are tried in order by worker processes, so a crash or a hang is
seen, laid to one seed, and survived. The state lies in out/torture/<name>.json: a run resumes where the last one
stopped, unless --seed says where to begin. --only SEED repeats one seed in this process and shows where it fails.
The exit code is 1 if there are faults.
"""

import argparse
import faulthandler
import json
import math
import multiprocessing
import os
import re
import secrets
import signal
import sys
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import NamedTuple

OUT = Path(__file__).parent.parent.parent / "out" / "torture"
NOTE = 500  # bytes of what a worker is trying
MOST_KINDS = 200  # of faults that are kept; a broken build has no end of them
EVERY_S = 5.0  # seconds between two times the state is stored
FIRST_LIMIT_S = 900.0  # without a sign of life, for a worker's first seed: it may compile


class TooSlowError(Exception):
    """What was tried took more processor time than allowed."""


class Fault(NamedTuple):
    """Something that may not happen: the seed that repeats it, and what it is."""

    seed: int
    text: str

    def kind(self):
        """Return the text without its numbers: what many seeds have in common."""
        return re.sub(r"\d+(\.\d+)?", "#", self.text)[:300]


class Tally:
    """What one seed tried and found.

    until: when the run ends (time.time()), for seeds that take long. alone: whether nothing else runs in this process,
    which then may be limited.
    """

    def __init__(self, seed, until=math.inf, shared=None, alone=False):
        self.seed, self.until, self._shared = seed, until, shared
        self.alone = alone or shared is not None
        self.counts, self.faults = Counter(), []

    def note(self, text):
        """Say what is tried next; the parent process ends a worker that has not said anything for too long."""
        if self._shared is not None:
            self._shared.say(text)

    def count(self, what, number=1):
        """Add to what was tried."""
        self.counts[what] += number

    def fault(self, text):
        """Store a fault; the attack may go on."""
        self.faults.append(Fault(self.seed, str(text)))

    @property
    def left_s(self):
        """The seconds until the run ends."""
        return self.until - time.time()


class _Shared:
    """What a worker tries, readable by its parent also when it is dead."""

    def __init__(self, context):
        self._text, self._number = context.RawArray("c", NOTE + 1), context.RawValue("q", 0)

    def say(self, text):
        self._text.value = text.encode("utf-8", "replace")[:NOTE]
        self._number.value += 1

    @property
    def text(self):
        return self._text.value.decode("utf-8", "replace")

    @property
    def number(self):
        return self._number.value


# --- Limits that programs set in their workers ------------------------------------------------------------------------


def limit_memory(more_bytes):
    """Let this process take no more than so many bytes on top of what it has, where the system can do that."""
    if sys.platform.startswith("linux"):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + more_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def limited(seconds):
    """Raise a TooSlowError in the block after so many seconds of processor time: other processes do not count."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, _refuse)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _refuse(*_):
    raise TooSlowError("too much processor time")


# --- Help for programs ------------------------------------------------------------------------------------------------


def place_of(error, below=""):
    """Return where an error was raised: the last file whose name begins with `below`, if there is one, and the line."""
    stack = traceback.extract_tb(error.__traceback__)
    place = next((one for one in reversed(stack) if one.filename.startswith(below)), stack[-1])
    return f"{Path(place.filename).name}, line {place.lineno}"


def quick_folder():
    """Return a folder in memory where there is one: for many small files."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def keep_input(name, data):
    """Keep what failed; return where, in words."""
    folder = OUT / "inputs"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return f", kept as {folder.name}/{name}"


# --- One seed ---------------------------------------------------------------------------------------------------------


def try_seed(attack, seed, until=math.inf, shared=None):
    """Return the tally of one seed."""
    tally = Tally(seed, until, shared)
    try:
        attack(seed, tally)
    except Exception as error:
        last = (str(error).splitlines() or [""])[0][:300]
        tally.fault(f"{type(error).__name__}: {last} ({place_of(error)})")
    return tally


def _work(attack, until, shared, pipe):
    """Try the seeds that come through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    while True:
        try:
            seed = pipe.recv()
        except EOFError:
            return
        tally = try_seed(attack, seed, until, shared)
        pipe.send((tally.counts, tally.faults))


class _Worker:
    """A child process, and what it is doing."""

    def __init__(self, context, attack, until):
        self._shared, (self.pipe, theirs) = _Shared(context), context.Pipe()
        self._process = context.Process(target=_work, args=(attack, until, self._shared, theirs), daemon=False)
        self._process.start()
        theirs.close()
        self.seed, self._first, self._seen, self._since = None, True, -1, 0.0

    def start(self, seed):
        self._shared.say("")
        self.seed, self._since = seed, time.monotonic()
        self.pipe.send(seed)

    def collect(self):
        """Return what it tried and found, or None if it is dead."""
        try:
            counts, faults = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            return None
        self._first = False
        return counts, faults

    def is_silent(self, limit_s):
        """Return whether it has not said anything for too long."""
        if self._shared.number != self._seen:
            self._seen, self._since = self._shared.number, time.monotonic()
        return time.monotonic() - self._since > (max(limit_s, FIRST_LIMIT_S) if self._first else limit_s)

    def why(self):
        """Return how it died, and doing what."""
        code = self._process.exitcode
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return f"crash ({how}){self.doing()}"

    def doing(self):
        return f": {self._shared.text}" if self._shared.text else ""

    def end(self):
        self.pipe.close()
        self._process.join(2)
        self._process.kill()
        self._process.join()


# --- A run ------------------------------------------------------------------------------------------------------------


class State:
    """What a run has tried and found so far, and where it resumes."""

    def __init__(self, file, first=None):
        self.file, self.first, self.next, self.pending = file, first, first or 0, []
        self.seconds, self.tried, self.kinds = 0.0, Counter(), {}
        if first is None and file is not None and file.exists():
            self._load(json.loads(file.read_text(encoding="utf-8")))

    def _load(self, stored):
        self.first, self.next, self.pending = stored["first"], stored["next"], stored["pending"]
        self.seconds, self.tried = stored["seconds"], Counter(stored["tried"])
        for fault in stored["faults"]:
            self.kinds[fault["kind"]] = [Fault(fault["seed"], fault["text"]), fault["times"]]

    def store(self):
        if self.file is None:
            return
        faults = [{"kind": k, "seed": f.seed, "text": f.text, "times": n} for k, (f, n) in self.kinds.items()]
        text = json.dumps(
            {
                "first": self.first or 0,
                "next": self.next,
                "pending": self.pending,
                "seconds": round(self.seconds, 1),
                "tried": dict(sorted(self.tried.items())),
                "faults": faults,
            },
            indent=1,
        )
        self.file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.file.with_name(f".{self.file.name}.{secrets.token_hex(4)}")
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, self.file)

    def take(self):
        """Return the next seed to try: first those that the last run did not finish."""
        seed = self.next
        self.next += 1
        self.pending.append(seed)
        return seed

    def finish(self, seed, counts, faults):
        """Store what a seed tried and found; show the first fault of each kind."""
        if seed in self.pending:
            self.pending.remove(seed)
        self.tried.update(counts)
        self.tried["seeds"] += 1
        for fault in faults:
            known = self.kinds.get(fault.kind())
            if known is not None:
                known[1] += 1
            elif len(self.kinds) < MOST_KINDS:
                self.kinds[fault.kind()] = [fault, 1]
                print(f"FAULT, seed {fault.seed}: {fault.text}", flush=True)

    @property
    def faults(self):
        return sum(times for _, times in self.kinds.values())

    def describe(self):
        """Return what was tried and found, in words."""
        tried = ", ".join(f"{number} {what}" for what, number in sorted(self.tried.items()))
        lines = [f"{tried or 'nothing'} tried in {self.seconds / 60:.1f} minutes: {self.faults} faults"]
        for fault, times in self.kinds.values():
            lines.append(f"  {times} times, first with --only {fault.seed}: {fault.text}")
        return "\n".join(lines)


def run(attack, state, seconds, workers=1, limit_s=60.0):
    """Try seeds for so many seconds; 0 workers: in this process. Return the state."""
    began, before = time.monotonic(), state.seconds
    until = time.time() + seconds

    def note_time():
        state.seconds = before + time.monotonic() - began

    if workers == 0:
        while time.time() < until:
            tally = try_seed(attack, state.take(), until)
            state.finish(tally.seed, tally.counts, tally.faults)
        note_time()
        state.store()
        return state
    context, team, stored = multiprocessing.get_context("spawn"), [], time.monotonic()
    left, state.pending = list(state.pending), []
    try:
        while time.time() < until or any(worker.seed is not None for worker in team):
            if time.time() < until:
                _employ(team, workers, context, attack, until, state, left)
            _hear(team, state, limit_s)
            if time.monotonic() - stored > EVERY_S:
                stored = time.monotonic()
                note_time()
                state.store()
    except KeyboardInterrupt:
        print("interrupted; the next run resumes here", flush=True)
    state.pending = sorted({*state.pending, *left})
    note_time()
    state.store()
    for worker in team:
        worker.end()
    return state


def _employ(team, workers, context, attack, until, state, left):
    """Give each worker without a seed its next one; start workers that are missing."""
    while len(team) < workers:
        team.append(_Worker(context, attack, until))
    for worker in team:
        if worker.seed is None:
            if left:
                state.pending.append(left[0])
                worker.start(left.pop(0))
            else:
                worker.start(state.take())


def _hear(team, state, limit_s):
    """Collect what workers have finished; end those that are silent or dead."""
    ready = wait([worker.pipe for worker in team if worker.seed is not None], timeout=0.5)
    for worker in list(team):
        if worker.seed is None:
            continue
        seed = worker.seed
        if worker.pipe in ready:
            found = worker.collect()
            worker.seed = None
            if found is not None:
                state.finish(seed, *found)
                continue
            text = worker.why()
        elif worker.is_silent(limit_s):
            text = f"hang (nothing for {limit_s:g} s){worker.doing()}"
        else:
            continue
        state.finish(seed, {}, [Fault(seed, text)])
        team.remove(worker)
        worker.end()


def repeat(attack, seed):
    """Try one seed in this process, with all that Python can tell about a crash; return the number of faults."""
    faulthandler.enable()
    tally = Tally(seed, alone=True)
    try:
        attack(seed, tally)
    except Exception:
        traceback.print_exc()
        tally.fault("an exception, shown above")
    for fault in tally.faults:
        print(f"FAULT, seed {seed}: {fault.text}")
    tried = ", ".join(f"{number} {what}" for what, number in sorted(tally.counts.items()))
    print(f"seed {seed}: {tried or 'nothing'} tried, {len(tally.faults)} faults")
    return len(tally.faults)


def main(about, attack, limit_s=60.0, workers=1, words=None):
    """Run a program as the command line says; return the exit code.

    limit_s: without a sign of life for so long, a seed hangs. workers: how many processes unless --workers says so.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (10)")
    parser.add_argument("--seed", type=int, help="begin anew with this seed; without it a run resumes, or begins at 0")
    parser.add_argument("--workers", type=int, default=workers, help=f"processes ({workers}); 0: in this process")
    parser.add_argument("--only", type=int, metavar="SEED", help="repeat one seed in this process")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER", help="where the state is stored")
    chosen = parser.parse_args(words)
    if chosen.only is not None:
        return 1 if repeat(attack, chosen.only) else 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run that is ended stores where it is
    name = Path(sys.modules[attack.__module__].__file__).stem
    state = State(chosen.out / f"{name}.json", chosen.seed)
    if state.next > (state.first or 0):
        print(f"{name}: resuming at seed {state.next}", flush=True)
    run(attack, state, 60 * chosen.minutes, chosen.workers, limit_s)
    print(f"{name}: {state.describe()}", flush=True)
    return 1 if state.faults else 0
