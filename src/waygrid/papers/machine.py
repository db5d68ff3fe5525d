"""What a run was made with: version, code, processor, libraries."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

import waygrid

_PACKAGE = Path(waygrid.__file__).parent


@cache
def code() -> str:
    """Return a short hash of all sources of waygrid: in a working copy the version alone does not tell them apart."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


@cache
def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe() -> dict[str, str]:
    """Return all of it, by name, as a reader wants it.

    >>> list(describe())
    ['waygrid', 'code', 'processor', 'cores', 'system', 'Python', 'NumPy', 'Numba']
    """
    return {
        "waygrid": waygrid.__version__,
        "code": code(),
        "processor": processor(),
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": version("numpy"),
        "Numba": version("numba"),
    }
