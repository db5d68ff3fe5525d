"""What a run was made with: version, code, processor, libraries."""

from __future__ import annotations

import platform

from waygrid.measure.machine import code, this_machine


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
