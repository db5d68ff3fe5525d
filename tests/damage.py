"""Damaged indexes: how files are damaged, and what a damaged one answers.

`Attack` builds small indexes of all algorithms and hands damaged copies to child processes, so that a crash or a hang
is seen, laid to one algorithm and one seed, and survived. A trial is a function of its seed, the case and the kind of
damage alone. Used by a short test and by `benchmarks/damage.py`.
"""

import hashlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import waygrid as wg
from waygrid.errors import WaygridError

OUTCOMES = ("own error", "right", "wrong", "foreign error", "crash", "hang")
LIMIT_S = 5.0  # without an answer: a hang
FIRST_LIMIT_S = 900.0  # of a worker's first, undamaged load of a case: it may compile
QUERIES = 20
BLOCK = 4096
MOST_BYTES = 6 * 2**30  # of a worker's memory

CASES = {  # label: algorithm, options, kind of map
    "jps+": ("jps+", {}, "rooms"),
    "jps+/relays": ("jps+", {}, "random"),
    "dijkstra-gb": ("dijkstra-gb", {}, "rooms"),
    "astar-gb": ("astar-gb", {}, "weights"),
    "jps+gb": ("jps+gb", {}, "rooms"),
    "cpd": ("cpd", {}, "rooms"),
    "turntable": ("turntable", {}, "rooms"),
    "ch": ("ch", {}, "rooms"),
    "taut": ("taut", {}, "rooms"),
    "dead-end": ("dead-end", {}, "rooms"),
    "dead-end/trails": ("dead-end", {"relevance": "trails"}, "rooms"),
    "gateway": ("gateway", {}, "rooms"),
    "gateway/zones": ("gateway", {"table": "zones", "dead_ends": True}, "rooms"),
    "pra": ("pra", {"sector": 8}, "rooms"),
    "dba": ("dba", {"sector": 8}, "rooms"),
    "dba/level 2": ("dba", {"sector": 8, "level": 2, "trim": False}, "caves"),
    "hcdps": ("hcdps", {}, "rooms"),
    "hcdps/paper": ("hcdps", {"trim": "paper", "cutoff": 20}, "caves"),
    "dlrta": ("dlrta", {"level": 2}, "rooms"),
    "knn-lrta": ("knn-lrta", {"records": 256}, "rooms"),
    "sglrta": ("sglrta", {}, "small"),
    "graph/astar-gb": ("astar-gb", {}, "graph"),
    "graph/dijkstra-gb": ("dijkstra-gb", {"ties": "all"}, "graph"),
}


class Job(NamedTuple):
    """One trial: what is damaged, how, and by which seed."""

    case: str
    kind: str
    forged: bool
    seed: int


class Result(NamedTuple):
    """How a trial ended; `note` is the message of the error, the query, or the exit code."""

    job: Job
    outcome: str
    note: str


# --- What is damaged --------------------------------------------------------------------------------------------------


def make_world(kind: str) -> wg.Grid | wg.Graph:
    """Return a small map or graph, always the same."""
    if kind == "graph":
        rng = np.random.default_rng(5)
        points = rng.random((150, 2))
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        near = np.argsort(apart, axis=1)[:, 1:5]
        return wg.Graph(points, np.column_stack((np.repeat(np.arange(150), 4), near.reshape(-1))))
    if kind == "weights":
        walls = wg.generate("rooms", width=44, height=32, seed=3).passable
        return wg.Grid(walls, weights=np.random.default_rng(1).integers(1, 5, walls.shape))
    sizes = {"rooms": (48, 36), "random": (40, 30), "caves": (48, 36), "small": (26, 18)}
    width, height = sizes[kind]
    return wg.generate("rooms" if kind == "small" else kind, width=width, height=height, seed=2)


def make_queries(world: wg.Grid | wg.Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and goals that are spread over the world."""
    rng = np.random.default_rng(7)
    if isinstance(world, wg.Graph):
        ends = rng.integers(0, len(world), (2, QUERIES))
        return ends[0], ends[1]
    floor = np.argwhere(world.passable)[:, ::-1]
    return floor[rng.integers(0, len(floor), QUERIES)], floor[rng.integers(0, len(floor), QUERIES)]


def list_answers(finder, world, brief: bool):
    """Yield what a finder answers: paths one by one, in one batch, traced, and as real-time agents.

    brief: leave out the last two, for which other variants of the kernels are loaded.
    """
    starts, goals = (ends.tolist() for ends in make_queries(world))
    for start, goal in zip(starts, goals, strict=True):
        path = finder.find(start, goal)
        yield (
            path.status.name,
            round(path.cost, 6),
            len(path) if isinstance(world, wg.Graph) else _is_sound(path, world),
        )
    batch = finder.find_many(starts, goals, threads=1)
    yield np.round(batch.costs, 6).tolist()
    if isinstance(world, wg.Grid) and not brief:
        yield len(finder.trace(starts[0], goals[0]).events)
        yield finder.find(starts[1], goals[1], max_expansions=3).status.name
        if finder.info.real_time:
            agents = finder.agents(starts[:4], goals[:4], max_moves=400)
            while not agents.done.all():
                agents.step()
            yield agents.statuses.tolist(), agents.costs.tolist()


def _is_sound(path, world) -> bool:
    return path.is_valid(world) if len(path) else not path


# --- How it is damaged ------------------------------------------------------------------------------------------------


def split_file(data: bytes) -> tuple[dict, int]:
    """Return the header of an index and where its data begins."""
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]), 8 + size


def damage(original: bytes, kind: str, seed: int, forged: bool) -> bytes:
    """Return a damaged copy; `forged` aims at the arrays, each as often as the others, and mends all checksums."""
    rng = np.random.default_rng([seed, *kind.encode()])
    data = np.frombuffer(original, np.uint8).copy()
    first, last = _choose_place(original, rng) if forged else (0, len(data))
    if kind == "flip":
        data[rng.integers(first, last)] ^= 1 << int(rng.integers(8))
    elif kind == "block":
        begin = int(rng.integers(first // BLOCK, -(-last // BLOCK))) * BLOCK
        data[max(begin, first) : min(begin + BLOCK, last)] = 0
    elif kind == "bytes":
        hit = first + np.flatnonzero(rng.random(last - first) < 0.05)
        data[hit] = rng.integers(0, 256, len(hit))
    elif kind == "word":  # one number becomes an extreme one, or that of another place: in range, but wrong
        size = int(rng.choice((1, 2, 4, 8)))
        words = data[first : first + (last - first) // size * size].view(f"<i{size}")
        if len(words):
            most = np.iinfo(words.dtype)
            other = (
                most.min,
                most.max,
                -1,
                0,
                1,
                int(rng.choice(words)),
                int(rng.choice(words)),
                int(rng.choice(words)),
            )
            words[rng.integers(len(words))] = other[int(rng.integers(len(other)))]
    else:  # shuffle: every number is in range, none where it was
        size = int(rng.choice((2, 4, 8)))
        words = data[first : first + (last - first) // size * size].view(f"<i{size}")
        part = np.flatnonzero(rng.random(len(words)) < rng.choice((0.01, 0.1, 1.0)))
        words[part] = words[rng.permutation(part)]
    return mend_checksums(data.tobytes()) if forged else data.tobytes()


KINDS = ("flip", "block", "bytes")
FORGED_KINDS = (*KINDS, "word", "shuffle")


def _choose_place(original: bytes, rng: np.random.Generator) -> tuple[int, int]:
    """Return the bytes of one array, now and then of the header."""
    header, begin = split_file(original)
    if rng.random() < 0.1:
        return 0, begin
    places = [entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"]
    filled = [(begin + first, begin + last) for first, last in places if last > first]
    first, last = filled[int(rng.integers(len(filled)))]
    return first, last


def mend_checksums(data: bytes) -> bytes:
    """Return a file whose checksums are those of what it holds; one whose header cannot be read stays as it is."""
    try:
        header, begin = split_file(data)
        about = header["__metadata__"]
        sums = json.loads(about["sha256"])
        for name, old in sums.items():
            first, last = header[name]["data_offsets"]
            new = hashlib.sha256(data[begin + first : begin + last]).hexdigest()
            data = data.replace(old.encode(), new.encode(), 1)
        old = about["header_sha256"].encode()
        label = b'"header_sha256":"' + old
        blank = data[:begin].replace(old, b"0" * 64, 1)
        return data.replace(label, label[:-64] + hashlib.sha256(blank).hexdigest().encode(), 1)
    except (ValueError, KeyError, TypeError, AttributeError, MemoryError, OverflowError, RecursionError):
        return data


# --- A worker: one child process --------------------------------------------------------------------------------------


class Victim:
    """One case in a worker: the world, the file as it was, and what it answers."""

    def __init__(self, folder: Path, case: str, brief: bool) -> None:
        file = case_file(folder, case)
        self.world = make_world(CASES[case][2])
        self.original = file.read_bytes()
        self._brief = brief
        self.expected = list(list_answers(wg.load_finder(file, self.world, verify=False), self.world, brief))

    def attack(self, job: Job, copy: Path, report) -> tuple[str, str]:
        """Load a damaged copy, ask it, and return the outcome."""
        copy.write_bytes(damage(self.original, job.kind, job.seed, job.forged))
        outcome, note = "right", ""
        try:
            report()
            finder = wg.load_finder(copy, self.world)
            for number, answer in enumerate(list_answers(finder, self.world, self._brief)):
                report()
                if answer != self.expected[number] and outcome == "right":
                    outcome, note = "wrong", f"answer {number} is {answer}, was {self.expected[number]}"[:200]
        except WaygridError as error:
            outcome, note = "own error", str(error)[:200]
        except Exception as error:
            outcome, note = "foreign error", f"{type(error).__name__}: {error}"[:200]
        return outcome, note


def case_file(folder: Path, case: str) -> Path:
    """Return where the index of a case lies."""
    return folder / f"{case.replace('/', ' ')}.wgi"


def serve(folder: Path, brief: bool) -> None:
    """Answer jobs from standard input: a dot for each sign of life, then a line of JSON."""
    if sys.platform.startswith("linux"):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    victims: dict[str, Victim] = {}

    def report() -> None:
        sys.stdout.write(".\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as place:
        for number, line in enumerate(sys.stdin):
            job = Job(*json.loads(line))
            if job.case not in victims:
                victims[job.case] = Victim(folder, job.case, brief)
            copy = Path(place, f"{number}.wgi")  # a new name: the file before may still be mapped
            outcome = victims[job.case].attack(job, copy, report)
            copy.unlink()
            sys.stdout.write(json.dumps(outcome) + "\n")
            sys.stdout.flush()


class Worker:
    """A child process and the thread that hears it."""

    def __init__(self, folder: Path, brief: bool, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(folder), "brief" if brief else "whole"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: list[str] = []
        self._seen: set[str] = set()
        threading.Thread(target=self._hear, daemon=True).start()
        threading.Thread(target=lambda: self._errors.extend(self._process.stderr), daemon=True).start()

    def _hear(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def run(self, job: Job, limit_s: float) -> Result:
        """Run one trial; a worker that crashed or hangs is of no more use."""
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
        except OSError:
            return self._crashed(job)
        wait = limit_s if job.case in self._seen else FIRST_LIMIT_S
        self._seen.add(job.case)
        while True:
            try:
                line = self._lines.get(timeout=wait)
            except queue.Empty:
                return Result(job, "hang", f"nothing for {wait:g} s")
            if line is None:
                return self._crashed(job)
            if not line.startswith("."):
                return Result(job, *json.loads(line))
            wait = limit_s

    def _crashed(self, job: Job) -> Result:
        code = self._process.wait()
        time.sleep(0.1)  # for its last words
        return Result(job, "crash", f"exit code {code} {''.join(self._errors)[-300:]}".strip())

    def end(self) -> None:
        """Stop the process."""
        self._process.kill()
        self._process.wait()


# --- The attack -------------------------------------------------------------------------------------------------------


class Attack:
    """Indexes in a folder, workers, and the results so far."""

    def __init__(
        self, folder: Path, cases, workers: int = 1, brief: bool = False, environment: dict[str, str] | None = None
    ) -> None:
        self.folder, self.cases = folder, list(cases)
        self._worker = (folder, brief, environment or {})
        self._count = workers
        for case in self.cases:
            name, options, kind = CASES[case]
            if not case_file(folder, case).exists():
                wg.make_finder(name, make_world(kind), **options).save(case_file(folder, case))

    def run(self, jobs, on_result=None) -> list[Result]:
        """Run all trials; a crash or a hang is tried once more, alone in a new process."""
        waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        results: list[Result] = []
        for job in jobs:
            waiting.put(job)

        def work() -> None:
            worker = Worker(*self._worker)
            while True:
                try:
                    job = waiting.get_nowait()
                except queue.Empty:
                    break
                result = worker.run(job, LIMIT_S)
                if result.outcome in ("crash", "hang"):
                    worker.end()
                    result = self._try_alone(result)
                    worker = Worker(*self._worker)
                results.append(result)
                if on_result is not None:
                    on_result(result)
            worker.end()

        threads = [threading.Thread(target=work) for _ in range(self._count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    def _try_alone(self, before: Result) -> Result:
        """Return the outcome in a process of its own; what happens only after other trials stays, with a note."""
        worker = Worker(*self._worker)
        again = worker.run(before.job, 4 * LIMIT_S)  # a busy machine is no hang
        worker.end()
        if again.outcome in ("crash", "hang"):
            return again
        if before.outcome == "hang":
            return again
        return before._replace(note=f"{before.note}; alone: {again.outcome}")


def list_jobs(cases, kinds, count: int, seed: int, forged: bool) -> list[Job]:
    """Return so many trials of each kind, spread evenly over the cases."""
    return [Job(cases[number % len(cases)], kind, forged, seed + number) for kind in kinds for number in range(count)]


def is_fault(result: Result) -> bool:
    """Tell whether a trial ended as none may; a forged index may answer wrongly."""
    bad = ("foreign error", "crash", "hang") if result.job.forged else ("wrong", "foreign error", "crash", "hang")
    return result.outcome in bad


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2] == "brief")
