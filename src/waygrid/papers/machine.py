"""What a run was made with: version, code, processor, libraries."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

import waygrid
from waygrid.bench.machine import this_machine

_PACKAGE = Path(waygrid.__file__).parent


@cache
def code() -> str:
    """Return a short hash of all sources of waygrid: in a working copy the version alone does not tell them apart."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def describe() -> dict[str, str]:
    """Return all of it, by name, as a reader wants it.

    >>> list(describe())
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
