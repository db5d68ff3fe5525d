"""Power cuts: whatever the package writes is cut short at any point; afterwards the old or the new file is whole.

    python tests/torture/cuts.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]

A seed is some cuts of one kind of file, in child processes: after a number of bytes the process is killed, or the disk
is full (a limit of the size of files); it is killed before its n-th step that opens, renames or removes something; or
by kill -9 after a random time. Then the file must be the old or the new one to the byte; the last whole piece or
transaction must be there in files that grow, and they must take more. A full disk raises our own error and leaves no
temporary file. Where two files belong together (a map for robots and its image, a dynamic scenario and its patches),
each of them is whole, but one may be the old and one the new.
"""

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from torture import frame
from torture._writers import list_writers

from waygrid.errors import WaygridError

CUTS = 24  # of a seed
KINDS = ("bytes", "full", "bytes", "full", "step", "time")
STEPS = ("open", "os.rename", "os.remove", "os.chmod", "os.truncate", "os.mkdir", "tempfile.mkstemp", "os.link")
LIMIT_S = 30.0  # of a child
TEMPORARY = (".", "a.kernel", "a.draft")  # how names begin that a killed process may leave behind


def act_in_child(action):
    """Return how a child process that does this ended: what the action returned, as text, or the signal."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            said = action()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        with contextlib.suppress(OSError):
            os.write(writing, (said or "").encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return said, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def write_whole(writer, folder, new):
    said, died = act_in_child(lambda: writer.write(folder, new))
    assert not said, f"{writer.name}: {said}"
    assert not died, f"{writer.name}: signal {died}"


@cache
def state_of(number):
    """Return a writer, the files of the old and the new state, and how long writing takes."""
    writer = list_writers()[number]
    with tempfile.TemporaryDirectory() as place:
        write_whole(writer, Path(place), False)
        old = read_folder(place)
        began = time.perf_counter()
        write_whole(writer, Path(place), True)
        return writer, old, read_folder(place), time.perf_counter() - began


def read_folder(place):
    return {file.name: file.read_bytes() for file in Path(place).iterdir()}


def cut_bytes(writer, folder, most, kill):
    """Write the new state where no file may grow beyond so many bytes: then the process dies, or the disk is full."""

    def action():
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if kill else signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            writer.write(folder, True)
        except (WaygridError, *writer.quiet):
            return "refused"
        return ""

    return act_in_child(action)


def cut_step(writer, folder, number):
    """Write the new state; the process is killed before its n-th step."""

    def action():
        left = number

        def watch(event, arguments):
            nonlocal left
            if event in STEPS:
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        writer.write(folder, True)
        return ""

    return act_in_child(action)


def cut_time(writer, folder, seconds):
    """Write the new state; the process is killed after so many seconds."""

    def action():
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        writer.write(folder, True)
        return ""

    return act_in_child(action)


def cut(chance, state, folder):
    """Cut one writing short; return what was done and what is wrong."""
    writer, old, new, seconds = state
    for name, data in old.items():
        (folder / name).write_bytes(data)
    kind = chance.choice(KINDS)
    if kind in ("bytes", "full"):
        size = len(chance.choice(list(new.values())))
        # Stores reserve space in large blocks; of these the first bytes and those of the journal matter.
        most = chance.randrange(size + 2) if size < 10_000 or chance.random() < 0.5 else chance.randrange(20_000)
        how, (said, died) = f"{kind} {most}", cut_bytes(writer, folder, most, kind == "bytes")
    elif kind == "step":
        point = int(chance.random() ** 2 * 40)
        how, (said, died) = f"step {point}", cut_step(writer, folder, point)
    else:
        wait = chance.random() * 1.2 * seconds
        how, (said, died) = f"time {wait:.6f}", cut_time(writer, folder, wait)
    fault = None if said in ("", "refused") else said
    fault = fault or check(state, folder, kind, died)
    return how, died, said, fault


def check(state, folder, kind, died):
    """Return what is wrong with a folder after a cut."""
    writer, old, new, _ = state
    found = read_folder(folder)
    if writer.check is not None:
        said, signalled = act_in_child(lambda: writer.check(folder, kind))
        return said or (f"reading it ended by signal {signalled}" if signalled else None)
    for name in new:
        if name in old and name not in found:
            return f"{name} is gone"
        if name in found and found[name] not in (old.get(name), new[name]):
            return f"{name} has {len(found[name])} bytes, neither the old {len(old.get(name, b''))} nor the new ones"
    more = [name for name in found if name not in new]
    if more and not (died and all(name.startswith(TEMPORARY) for name in more)):
        return f"left behind: {more}"
    write_whole(writer, folder, True)
    again = read_folder(folder)
    return None if all(again[name] == data for name, data in new.items()) else "it cannot be written again"


def attack(seed, tally):
    """Cut the writing of one kind of file."""
    if not hasattr(os, "fork"):
        return
    state = state_of(seed % len(list_writers()))
    chance = random.Random(seed)
    for number in range(CUTS):
        with tempfile.TemporaryDirectory() as place:
            tally.note(f"{state[0].name}, cut {number}")
            how, died, said, fault = cut(chance, state, Path(place))
            tally.count("cuts")
            tally.count(f"cuts of {state[0].name}")
            tally.count("cuts that killed", bool(died))
            tally.count("cuts by a full disk that were refused", said == "refused")
            if fault:
                tally.fault(f"{state[0].name}, {how}: {fault} (cut {number})")


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=120))
