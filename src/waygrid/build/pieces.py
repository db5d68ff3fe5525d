"""The finished pieces of a build: in memory, in a file, or in both."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from waygrid.build.progress_bar import Stopwatch
from waygrid.build.resume_file import BuildFile
from waygrid.build.workers import Piece
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.folders import cache_home

CHECKPOINT_AFTER = 60.0  # seconds; a build that takes less leaves no file
CHECKPOINT_EVERY = 10.0  # seconds


class Pieces:
    """Holds pieces, saves them in a file from time to time, and joins them in the end.

    The file is optional while the pieces fit in memory: if it cannot be written, or another process that builds the
    same has locked it, the build continues without it. If they do not fit (`spooling`) a file is needed, and an unnamed
    one is used instead.
    """

    def __init__(self, key: str, total: int, limit: int, *, spooling: bool, watch: Stopwatch | None = None) -> None:
        self._key, self._total = key, total
        self._limit = limit  # bytes in memory
        self._watch = watch or Stopwatch()
        self._after = _seconds("WAYGRID_CHECKPOINT_AFTER", CHECKPOINT_AFTER)
        self._every = _seconds("WAYGRID_CHECKPOINT_EVERY", CHECKPOINT_EVERY)
        self._began = self._saved = time.perf_counter()
        self._held: list[Piece] = []  # in memory; while spooling only what is not yet in the file
        self._unsaved: deque[Piece] = deque()
        self._whole: dict[str, Array] | None = None  # the final arrays, if every source has one row
        self._kinds: list[tuple[str, np.dtype[Any], tuple[int, ...]]] | None = None
        self._spooling = False
        self._held_bytes = 0
        self.done = 0
        self._file: BuildFile | None = None
        self._no_file = False
        self._open(create=False)
        self.resumed = self._resume(spooling)
        if spooling:
            self.spool()

    @property
    def spooling(self) -> bool:
        """Whether pieces are moved from memory to the file."""
        return self._spooling

    @property
    def kept(self) -> int:
        """The number of sources that a later build need not repeat."""
        if self._file is None or self._file.path is None:
            return 0
        return sum(record.last - record.first for record in self._file.records)

    def kept_rows(self, name: str) -> int:
        """Return how many rows one of the arrays has in the pieces that a later build need not repeat."""
        if self._file is None or self._file.path is None:
            return 0
        fields = (field for record in self._file.records for field in record.fields)
        return sum(field.shape[0] for field in fields if field.name == name)

    def gaps(self) -> list[tuple[int, int]]:
        """Return the ranges of sources that are missing."""
        ranges = self._file.records if self._file is not None else self._held
        gaps, place = [], 0
        for first, last in sorted((each.first, each.last) for each in ranges):
            gaps.append((place, first))
            place = last
        return [(a, b) for a, b in (*gaps, (place, self._total)) if a < b]

    def add(self, piece: Piece) -> None:
        """Add a piece, and write to the file if it is due."""
        self._check(piece)
        self._take(piece)
        self._unsaved.append(self._held[-1])
        if self._spooling:
            self._write()
        elif self._held_bytes > self._limit:  # more than expected
            self.spool()
        else:
            self.look_at_clock()

    def look_at_clock(self) -> None:
        """Write to the file if it is due."""
        now = time.perf_counter()
        if now - self._saved >= self._every and (self._file is not None or now - self._began >= self._after):
            self.save()
            self._saved = time.perf_counter()

    def save(self) -> None:
        """Write new pieces to the file, if the build has run long enough to have one."""
        old_enough = self._file is not None or time.perf_counter() - self._began >= self._after
        if not self._unsaved or not old_enough:
            return
        self._open(create=True)
        if self._file is not None:
            with suppress(OSError):  # a full disk: what was written stays, the build continues
                self._write()

    def spool(self) -> None:
        """Move all pieces to the file; later ones go there too."""
        self._spooling = True
        if self._file is None:
            self._unsaved = deque(self._held)
            self._open(create=True)
        if self._file is None:
            self._file = self._open_nameless()
        self._write()
        self._whole = None

    def take(self) -> list[Piece]:
        """Return the pieces in order and release them; those that the file does not have by now are not kept.

        Only where pieces are never spooled.
        """
        held, self._held, self._unsaved = sorted(self._held, key=lambda piece: piece.first), [], deque()
        self._held_bytes = 0
        return held

    def result(self) -> dict[str, Array]:
        """Return the joined arrays, in the order of the sources, read-only."""
        if self._spooling and self._file is not None:
            try:
                return self._file.map_arrays()
            except OSError as error:
                raise _disk_error(self._file.path, error) from error
        arrays = self._whole
        if arrays is None:
            held, self._held, self._unsaved = sorted(self._held, key=lambda piece: piece.first), [], deque()
            arrays = {name: _join_arrays([piece.arrays.pop(name) for piece in held]) for name in list(held[0].arrays)}
        for array in arrays.values():
            array.flags.writeable = False
        return arrays

    def close(self, *, remove: bool = False) -> None:
        """Close the file, and remove it if the build has succeeded."""
        if self._file is not None:
            self._file.close(remove=remove or not self._file.records)

    # --- Memory -------------------------------------------------------------------------------------------------------

    def _check(self, piece: Piece) -> None:
        kinds = [(name, array.dtype, array.shape[1:]) for name, array in piece.arrays.items()]
        if self._kinds is None:
            self._kinds = kinds
        elif kinds != self._kinds:
            found, expected = ([f"{n} {d}{list(s)}" for n, d, s in each] for each in (kinds, self._kinds))
            raise WaygridError(
                f"sources {piece.first} to {piece.last - 1} of build {self._key} gave {', '.join(found)}; "
                f"the pieces before gave {', '.join(expected)}"
            )

    def _take(self, piece: Piece) -> None:
        """Hold a piece; if every source has one row, it is copied to its final place at once."""
        sources = piece.last - piece.first
        even = all(len(array) == sources for array in piece.arrays.values())
        if even and not self._held and not self._spooling and piece.nbytes * self._total // sources <= self._limit:
            self._whole = {n: np.empty((self._total, *a.shape[1:]), a.dtype) for n, a in piece.arrays.items()}
        if even and self._whole is not None:
            for name, array in piece.arrays.items():
                self._whole[name][piece.first : piece.last] = array
            views = {name: whole[piece.first : piece.last] for name, whole in self._whole.items()}
            piece = Piece(piece.first, piece.last, views)
            self._held_bytes += piece.nbytes
        else:
            self._whole = None  # the views held so far keep their memory
            self._held_bytes += 2 * piece.nbytes
        self._held.append(piece)
        self.done += sources

    # --- The file -----------------------------------------------------------------------------------------------------

    def _open(self, *, create: bool) -> None:
        if self._file is not None or self._no_file:
            return
        try:
            path = cache_home() / "builds" / f"{self._key}.part"
            self._file = BuildFile.open(path, self._key, self._total, create=create)
        except (OSError, RuntimeError):  # RuntimeError: no home folder is known
            self._no_file = True
            return
        if create and self._file is not None and self._file.records:
            # Another build of the same left it in the meantime; its ranges and this one's would overlap.
            self._file.forget()

    def _resume(self, spooling: bool) -> int:
        """Load the pieces of an earlier build from the file."""
        if self._file is None or not self._file.records:
            return 0
        self._kinds = [(field.name, field.dtype, field.shape[1:]) for field in self._file.records[0].fields]
        earlier = self._file.seconds
        if spooling:
            self.done = self.kept
            self._watch.resume(earlier)
            return self.done
        try:
            for record in self._file.records:
                self._take(self._file.read(record))
            if self._held_bytes > self._limit:
                self.spool()
        except OSError:  # it was readable a moment ago: start from the beginning
            self._held, self._whole, self._kinds, self._held_bytes, self.done = [], None, None, 0, 0
            self._file.close()
            self._file, self._no_file = None, True
        else:
            self._watch.resume(earlier)
        return self.done

    def _write(self) -> None:
        """Append new pieces to the file; while spooling, release them from memory."""
        assert self._file is not None
        records = self._file.records
        try:
            while self._unsaved:
                piece = self._unsaved[0]
                # After an interrupt in this loop the first one may be there already.
                if not records or records[-1].first != piece.first:
                    self._file.append(piece, self._watch.seconds)
                self._unsaved.popleft()
        except OSError as error:
            if self._spooling:
                raise _disk_error(self._file.path, error) from error
            raise
        if self._spooling:
            self._held, self._held_bytes = [], 0

    def _open_nameless(self) -> BuildFile:
        problem: OSError | None = None
        for folder in self._folders():
            try:
                return BuildFile.open_nameless(folder, self._key, self._total)
            except OSError as error:
                problem = problem or error
        raise _disk_error(None, problem or OSError("no folder")) from problem

    def _folders(self) -> Iterator[Path | None]:
        with suppress(RuntimeError):
            yield cache_home() / "builds"
        yield None


def _join_arrays(arrays: list[Array]) -> Array:
    """Concatenate arrays and release each one as soon as it is copied, so that memory holds them only once."""
    whole = np.empty((sum(map(len, arrays)), *arrays[0].shape[1:]), arrays[0].dtype)
    place = 0
    for array in _pop_each(arrays):
        whole[place : place + len(array)] = array
        place += len(array)
    return whole


def _pop_each(arrays: list[Array]) -> Iterator[Array]:
    arrays.reverse()
    while arrays:
        yield arrays.pop()


def _seconds(name: str, default: float) -> float:
    text = os.environ.get(name)
    if text is None:
        return default
    try:
        return float(text)
    except ValueError:
        raise WaygridError(f"the environment variable {name} is {text!r}; allowed are seconds from 0") from None


def _disk_error(path: Path | None, error: OSError) -> WaygridError:
    reason = error.strerror or str(error)
    where = "a temporary file" if path is None else str(path)
    return WaygridError(
        f"cannot write {where}: {reason[:1].lower()}{reason[1:]}; "
        "an index that exceeds the memory limit is built on disk"
    )
