"""A plain A* in C++ to hold times against: plain_astar.cpp of this folder, or any program that prints the same line.

The program is called with a map and a scenario, asks every problem and prints a line for each round: `total S s,
processor P s, expanded N, ...`. Where a program leaves out the processor time, the total counts. The source is part of
the package; where there is no C++ compiler, there is no yardstick.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from os import X_OK, access, fspath
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import numpy as np

from waygrid.errors import WaygridError
from waygrid.measure.scenario import Scenario

COMPILERS = ("g++", "c++", "clang++")
FLAGS = ("-O3", "-march=native")
SOURCE = Path(__file__).with_name("plain_astar.cpp")
_LINE = re.compile(r"total ([\d.]+) s(?:, processor ([\d.]+) s)?.*?expanded (\d+)")


class Plain(NamedTuple):
    """What the program measured on one scenario; means per problem."""

    us: float
    expanded: float


class Yardstick:
    """The compiled program, in a folder that is removed at the end of the block; `missing` says why there is none.

    plain: a program or a .cpp file; None for the package's own, False for none.
    """

    def __init__(self, plain: object = None) -> None:
        self.missing = ""
        self._folder = tempfile.TemporaryDirectory(prefix="waygrid-")
        self._program: Path | None = None
        try:
            self._program = self._prepare(plain)
        except BaseException:
            self._folder.cleanup()
            raise

    def __enter__(self) -> Yardstick:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def _prepare(self, plain: object) -> Path | None:
        if plain is False:
            self.missing = "the yardstick was not asked for (plain=false)"
            return None
        if plain is not None and not isinstance(plain, (str, Path)):
            raise WaygridError(f"plain is {plain!r}; allowed is a program, a .cpp file or false")
        source = SOURCE if plain is None else Path(plain)
        if not source.is_file():
            raise WaygridError(f"plain is {fspath(source)!r}; that is not a file")
        if source.suffix != ".cpp":
            if not access(source, X_OK):
                raise WaygridError(f"plain is {fspath(source)!r}; that is neither a program nor a .cpp file")
            return source.resolve()
        compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
        if compiler is None:
            self.missing = f"there is no C++ compiler ({', '.join(COMPILERS)})"
            if plain is not None:
                raise WaygridError(f"plain is {fspath(source)!r}, and {self.missing}")
            return None
        return self._compile(compiler, source, required=plain is not None)

    def _compile(self, compiler: str, source: Path, *, required: bool) -> Path | None:
        program = Path(self._folder.name) / "plain"
        done = subprocess.run(
            [compiler, *FLAGS, "-o", fspath(program), fspath(source)], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return program
        said = (done.stderr.strip().splitlines() or ["no message"])[0]
        self.missing = f"{Path(compiler).name} cannot compile {source.name}: {said}"
        if required:
            raise WaygridError(f"plain is {fspath(source)!r}; {self.missing}")
        return None

    def measure(self, map_file: Path, scenario: Scenario) -> Plain | None:
        """Run the program on these problems, for one round. None where there is no program."""
        if self._program is None:
            return None
        problems = Path(self._folder.name) / "problems.scen"
        problems.write_text(_as_file(scenario))
        found = None
        with subprocess.Popen(
            [fspath(self._program), fspath(map_file), fspath(problems)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if found := _LINE.search(line):
                    process.terminate()  # it would begin another round
                    break
        if found is None:
            raise WaygridError(
                f"plain printed no line 'total SECONDS s, expanded NUMBER' for {map_file.name} "
                f"(exit code {process.returncode})"
            )
        return Plain(1e6 * float(found[2] or found[1]) / len(scenario), int(found[3]) / len(scenario))


def _as_file(scenario: Scenario) -> str:
    """Return problems as a MovingAI scenario."""
    ends = np.concatenate([scenario.starts, scenario.goals], axis=1).tolist()
    rows = zip(ends, scenario.costs.tolist(), strict=True)
    return "version 1\n" + "".join(f"0 map 1 1 {x} {y} {u} {v} {cost:.8f}\n" for (x, y, u, v), cost in rows)
