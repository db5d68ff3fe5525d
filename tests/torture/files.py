"""Damaged and made-up files of every kind that the package reads: it reads them, or refuses them by its own error.

    python tests/torture/files.py [--minutes 10] [--seed 0] [--workers 1] [--only SEED]

A seed is some inputs of one kind: small files that the package itself wrote, with one to four changes (numbers set to
limits, headers, bits, lines, spans cut, doubled, nested, joined with another file); in half of them checksums are made
right again. In one of eight seeds inputs that reach new lines of the package are changed further. None may crash,
take 1 s of processor time or 512 MiB of memory, raise a foreign error or a warning, or give a map that breaks the
rules. What fails is kept in out/torture/inputs.
"""

import random
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from torture import frame
from torture._mutate import mutate
from torture._readers import make_readers

from waygrid.errors import WaygridError

LIMIT_S = 1.0
MOST_BYTES = 2**29
LONGEST_MESSAGE = 2000
GUIDED = 8  # of so many seeds one follows new lines
SLOW = {"store": 8, "tif": 2, "yaml": 2}  # readers that get fewer seeds, by their time
SOURCE = str(Path(__file__).parent.parent.parent / "src")


@cache
def readers():
    with tempfile.TemporaryDirectory() as folder:
        return {reader.name: reader for reader in make_readers(folder)}


@cache
def order():
    """Return the names of readers in the order of seeds."""
    rounds = [[name for name in readers() if k % SLOW.get(name, 1) == 0] for k in range(8)]
    return [name for names in rounds for name in names]


@cache
def prepare():
    """Read one valid file of each kind, so that all is imported, and limit the memory of this process."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for reader in readers().values():
            for number, data in enumerate(reader.seeds):
                file = Path(folder, reader.name, str(number), f"a{reader.suffix}")
                file.parent.mkdir(parents=True)
                try_file(reader, data, file, chance)
    frame.limit_memory(MOST_BYTES)


class _Lines:
    """The lines of the package that have been reached."""

    def __init__(self):
        self.seen, self.new = set(), False

    def __enter__(self):
        self.new = False
        sys.settrace(self._call)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _call(self, frame, event, argument):
        return self._line if frame.f_code.co_filename.startswith(SOURCE) else None

    def _line(self, frame, event, argument):
        key = frame.f_code, frame.f_lineno
        if key not in self.seen:
            self.seen.add(key)
            self.new = True
        return self._line


def try_file(reader, data, file, chance, lines=None):
    """Read one input; return what is wrong with what happened, or None; and whether it was read."""
    file.write_bytes(data)
    try:
        with warnings.catch_warnings(), frame.limited(LIMIT_S):
            warnings.simplefilter("error")
            if lines is None:
                reader.read(file, chance)
            else:
                with lines:
                    reader.read(file, chance)
    except WaygridError as error:
        return judge(str(error)), False
    except frame.TooSlowError:
        return f"hang: over {LIMIT_S:g} s", False
    except Exception as error:
        place = frame.place_of(error, SOURCE)
        return f"{type(error).__name__}: {str(error)[:200]} ({place})", False
    return None, True


def judge(message):
    """Return what is wrong with the message of an error of our own."""
    if not message or len(message) > LONGEST_MESSAGE:
        return f"a message of {len(message)} characters: {message[:200]}"
    if not message.replace("\xa0", " ").isprintable():
        odd = next(sign for sign in message if not sign.isprintable())
        return f"a message with {odd!r}: {message[:200]!r}"
    return None


def attack(seed, tally):
    """Try the inputs of one seed."""
    if tally.alone:
        prepare()
    chance = random.Random(seed)
    name = order()[seed % len(order())]
    reader, pool = readers()[name], list(readers()[name].seeds)
    lines = _Lines() if seed // len(order()) % GUIDED == GUIDED - 1 else None
    with tempfile.TemporaryDirectory(dir=frame.quick_folder()) as folder:
        file = Path(folder, f"a{reader.suffix}")
        for other in ("hall.pgm", "a.patch"):
            pool_of = readers()["pgm" if other == "hall.pgm" else "patch"]
            Path(folder, other).write_bytes(pool_of.seeds[0])
        for number in range(reader.inputs):
            data = mutate(chance, chance.choice(pool), pool, reader.words)
            if reader.mend is not None and chance.random() < 0.5:
                data = reader.mend(data)
            tally.note(f"{name}, input {number}")
            fault, was_read = try_file(reader, data, file, chance, lines)
            tally.count("inputs")
            tally.count(f"inputs of {name}")
            tally.count("inputs that could be read", was_read)
            if lines is not None and lines.new:
                pool.append(data)
            if fault is not None:
                kept = frame.keep_input(f"{seed}-{number}{reader.suffix}", data)
                tally.fault(f"{name}, {fault}; input {number}{kept}")


if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=120))
