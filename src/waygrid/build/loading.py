"""Loads an index for grids and graphs: what is checked before the first query, and what after it.

The header is always compared with its checksum, and `_check_loaded` refuses numbers that would lead a kernel out of its
arrays. Arrays of files up to LARGE are compared with their checksums before the first query. Queries on larger files do
not wait until all of the file has been read: a thread compares while queries run, and once it finds damage every later
query raises the error.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from os import PathLike, fspath
from threading import Thread
from typing import Protocol, TypeVar

from waygrid.errors import WaygridError
from waygrid.formats.index import Checksums, IndexFile, open_index

LARGE = 100_000_000  # bytes


class Loaded(Protocol):
    """A finder with a loaded index."""

    _verifying: Thread | None

    def _check_loaded(self) -> None:
        """Refuse an index whose numbers would lead a kernel out of its arrays."""

    def _set_damaged(self, error: WaygridError) -> None:
        """Raise this error at every query from now on."""


Found = TypeVar("Found", bound=Loaded)


def load_checked(path: str | PathLike[str], verify: bool, make: Callable[[IndexFile], Found]) -> Found:
    """Read an index, let `make` put it into a finder, and check it; verify=False trusts the file."""
    data, checksums = open_index(path, verify=verify)
    try:
        large = checksums.size > LARGE
        if verify and not large:
            checksums.compare()
        made = make(data)
        if verify:
            _check(made, path)
    except BaseException:
        checksums.close()
        raise
    if verify and large:
        _compare_in_background(made, checksums)
    else:
        checksums.close()
    return made


def _check(made: Loaded, path: str | PathLike[str]) -> None:
    try:
        made._check_loaded()
    except WaygridError as error:
        raise WaygridError(f"{fspath(path)}: {error}") from None


def _compare_in_background(made: Loaded, checksums: Checksums) -> None:
    """Compare checksums on another thread, as long as the finder exists."""
    seen = weakref.ref(made)

    def work() -> None:
        try:
            checksums.compare(lambda: seen() is not None)
        except WaygridError as error:
            owner = seen()
            if owner is not None:
                owner._set_damaged(error)
        finally:
            checksums.close()

    made._verifying = Thread(target=work, name="waygrid-verify", daemon=True)
    made._verifying.start()
