"""What a figure was measured with: the command, the date, processor, system and versions."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).resolve().parents[1]


class Machine(NamedTuple):
    """Processor, system and versions; times of different machines are not to be compared."""

    cpu: str
    cores: int
    system: str
    python: str
    numpy: str
    numba: str
    version: str  # of waygrid
    commit: str | None  # of its sources, where they lie in a git checkout; + and `code()` where they were changed since


@cache
def this_machine() -> Machine:
    """Return the machine and the versions that run now.

    >>> this_machine().cores > 0
    True
    """
    import numba
    import numpy as np

    from waygrid.version import __version__

    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        system=platform.platform(terse=True),
        python=platform.python_version(),
        numpy=np.__version__,
        numba=numba.__version__,
        version=__version__,
        commit=_commit(),
    )


@cache
def code() -> str:
    """Return a short hash of all sources of waygrid: in a working copy the version alone does not tell them apart.

    >>> len(code())
    10
    """
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def describe_machine() -> dict[str, str]:
    """Return version, sources, processor and libraries by name, as a reader wants them.

    >>> list(describe_machine())
    ['waygrid', 'code', 'processor', 'cores', 'system', 'Python', 'NumPy', 'Numba']
    """
    here = this_machine()
    return {
        "waygrid": here.version,
        "code": code(),
        "processor": here.cpu,
        "cores": str(here.cores),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": here.python,
        "NumPy": here.numpy,
        "Numba": here.numba,
    }


def describe_run(command: str) -> dict[str, str]:
    """Return what a published figure needs beside it: the command, the date and what `describe_machine` says.

    >>> list(describe_run("waygrid reproduce dba"))[:3]
    ['command', 'date', 'waygrid']
    """
    return {"command": command, "date": format_now(), **describe_machine()}


def format_now() -> str:
    """Return the date and the time, UTC, to the minute."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _commit() -> str | None:
    """Return the commit of the sources, None where they are not those of a checkout."""
    folder = _PACKAGE.parents[1]
    if not (folder / ".git").exists() or not (folder / "pyproject.toml").exists():
        return None
    try:
        head = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=all", "--", "src")  # new files as well
        return f"{head}+{code()}" if changed else head
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *words: str) -> str:
    ran = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, timeout=10, check=True)
    return ran.stdout.strip()
