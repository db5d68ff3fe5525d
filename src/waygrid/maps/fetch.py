"""Downloads a set: both archives, their checksums and files; the folder appears when it is complete.

MovingAI publishes no checksums. An archive is compared with the checksum from the user; otherwise with the one pinned
when the set was first fetched, and with a file ``ARCHIVE.sha256`` if the server has one. If there is none, the archive
is trusted on first use, and its checksum is pinned. That detects damage and later changes, but not a wrong first
download; https at least guarantees what the server sent.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from waygrid.errors import WaygridError
from waygrid.folders import maps_home
from waygrid.formats.files import lock, reason, write_atomically
from waygrid.maps.archive import Limits, RefusedError, Unpacked, unpack
from waygrid.maps.catalogue import KINDS, MapSet, base_address, find_set
from waygrid.maps.download import Downloaded, Patience, discard, download, get_small
from waygrid.maps.inventory import FORMAT, MANIFEST, State, check, count, download_folder, read_manifest

_HEX = re.compile(r"[0-9a-f]{64}")
_SHARES = {"map": (0.0, 0.4), "scen": (0.5, 0.9)}  # of the progress bar: downloading; unpacking takes the last tenth

Progress = Callable[[float, str], None]


class Fetched(NamedTuple):
    """The result of `fetch`: the state of the set, whether anything was downloaded, and notes for the user."""

    state: State
    fresh: bool
    notes: tuple[str, ...] = ()


class _Order(NamedTuple):
    """The arguments of `fetch`, and what is already known."""

    chosen: MapSet
    home: Path
    base: str
    given: Mapping[str, str]  # kind of archive -> checksum
    pinned: Mapping[str, str]  # archive -> checksum
    force: bool
    skip_bad: bool
    patience: Patience
    limits: Limits
    tell: Progress

    @property
    def place(self) -> Path:
        return self.home / self.chosen.folder


def fetch(
    name: str,
    folder: Path | None = None,
    *,
    address: str | None = None,
    checksums: Mapping[str, str] | None = None,
    force: bool = False,
    skip_bad: bool = False,
    progress: Progress | None = None,
    patience: Patience | None = None,
    limits: Limits | None = None,
) -> Fetched:
    """Download a set if it is missing; an interrupted download resumes where it stopped.

    folder: the folder of the sets, default `maps_home()`. address: base address of the sets. checksums: SHA-256 of the
    archives, by kind ("map", "scen"). force: download again. skip_bad: skip files that cannot be read.
    """
    chosen = find_set(name)
    given = _check_sums(checksums or {})
    base = base_address(address)
    home = folder or maps_home()
    try:
        home.mkdir(parents=True, exist_ok=True)
        work = download_folder(home, chosen)
        with _lock_set(work, home / chosen.folder):
            _put_back(work, home / chosen.folder)
            there = check(chosen.name, home)
            _refuse(there, force)
            if there.kind == "complete" and not force:
                _check_pins(there.folder, chosen, given)
                return Fetched(there, fresh=False)
            tell = progress or (lambda share, what: None)
            pinned = {} if there.kind in ("none", "part") else _read_pins(there.folder)
            order = _Order(
                chosen, home, base, given, pinned, force, skip_bad, patience or Patience(), limits or Limits(), tell
            )
            notes = _fetch(order, work)
            return Fetched(check(chosen.name, home), fresh=True, notes=notes)
    except OSError as error:
        raise WaygridError(f"cannot write {error.filename or home}: {reason(error)}") from error


def _check_sums(checksums: Mapping[str, str]) -> dict[str, str]:
    for kind, digest in checksums.items():
        if kind not in KINDS:
            raise WaygridError(f"checksum of {kind!r}; allowed are {', '.join(KINDS)}")
        if not _HEX.fullmatch(digest.lower()):
            raise WaygridError(f"checksum {digest!r} of {kind!r}; a SHA-256 is 64 hexadecimal digits")
    return {kind: digest.lower() for kind, digest in checksums.items()}


def _refuse(there: State, force: bool) -> None:
    """Refuse to touch folders that waygrid did not fetch, and to overwrite changes without --force."""
    if there.kind == "own":
        raise WaygridError(
            f"{there.folder} holds {there.maps} maps that waygrid did not fetch; move the folder or give another --dir"
        )
    free = not there.folder.exists() or (there.folder.is_dir() and not any(there.folder.iterdir()))
    if there.kind in ("none", "part") and not free:
        raise WaygridError(f"{there.folder} exists already; move it or give another --dir")
    if there.kind == "damaged" and not force:
        more = f" and {len(there.faults) - 1} more" if len(there.faults) > 1 else ""
        raise WaygridError(f"{there.folder}: {there.faults[0]}{more}; --force downloads the set again")


def _read_pins(place: Path) -> dict[str, str]:
    """Return the pinned checksums of the archives; none if the list itself is damaged."""
    with suppress(WaygridError):
        return {
            archive: facts["sha256"]
            for archive, facts in (read_manifest(place) or {"archives": {}})["archives"].items()
        }
    return {}


def _check_pins(place: Path, chosen: MapSet, given: Mapping[str, str]) -> None:
    pinned = _read_pins(place)
    for kind, digest in given.items():
        archive = chosen.archive(kind)
        if pinned.get(archive) != digest:
            raise WaygridError(
                f"{place} was unpacked from {archive} with checksum {pinned.get(archive)}, not {digest}; use --force"
            )


@contextmanager
def _lock_set(work: Path, place: Path) -> Iterator[None]:
    """Keep other processes from fetching the same set into the same folder."""
    file = work.with_name(work.name + ".lock")
    while True:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            try:
                lock(handle)
            except OSError as error:
                raise WaygridError(f"another process is fetching {place}") from error
            if not _is_same_file(handle, file):
                continue  # removed between opening and locking: by a process that has just ended
            try:
                yield
            finally:
                with suppress(OSError):  # Windows does not remove open files
                    file.unlink()
            return
        finally:
            os.close(handle)


def _is_same_file(handle: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(file))
    except FileNotFoundError:
        return False


def _fetch(order: _Order, work: Path) -> tuple[str, ...]:
    files = work / "files"
    work.mkdir(exist_ok=True)
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    archives: dict[str, Any] = {}
    unpacked = Unpacked({}, {})
    for kind in KINDS:
        if order.force:
            discard(work / order.chosen.archive(kind))  # of an earlier call that did not come to its end
        got, trust, found = _fetch_archive(order, kind, work, files, unpacked)
        archives[order.chosen.archive(kind)] = {
            "url": order.chosen.address(kind, order.base),
            "bytes": got.bytes,
            "sha256": got.sha256,
            "checked_by": trust,
            "etag": got.etag,
            "last_modified": got.last_modified,
        }
        unpacked = Unpacked(unpacked.files | found.files, unpacked.left_out | found.left_out)
    manifest = {
        "format": FORMAT,
        "set": order.chosen.name,
        "archives": archives,
        "files": {name: {"bytes": size, "sha256": digest} for name, (size, digest) in sorted(unpacked.files.items())},
        "left_out": unpacked.left_out,
    }
    write_atomically(files / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    _put_in_place(work, order.place)
    return _notes(order, archives, unpacked)


def _fetch_archive(
    order: _Order, kind: str, work: Path, files: Path, before: Unpacked
) -> tuple[Downloaded, str, Unpacked]:
    """Download one archive and unpack it; if it came in several pieces and is wrong, download it once more."""
    archive, url = order.chosen.archive(kind), order.chosen.address(kind, order.base)
    begin, end = _SHARES[kind]

    def tell(have: int, length: int | None, what: str) -> None:
        share = have / length if length else 0.0
        size = f"{have / 1e6:.1f} of {length / 1e6:.1f} MB" if length else f"{have / 1e6:.1f} MB"
        order.tell(begin + share * (end - begin), f"{archive}  {what or size}")

    for last in (False, True):
        got = download(url, work / archive, order.patience, tell)
        expected, trust = _collect_checksums(order, kind, url)
        try:
            _compare(archive, got.sha256, expected)
            found = unpack(
                got.path,
                files,
                skip_bad=order.skip_bad,
                limits=order.limits,
                tell=lambda share, what: order.tell(end + 0.1 * share, what),
            )
            if kind == "map" and not count(found.files)[0]:
                raise RefusedError(f"{archive} contains no maps")
            break
        except WaygridError as error:
            if isinstance(error, RefusedError):
                discard(got.path)  # the next run shall not find it
            if not isinstance(error, RefusedError) or got.at_once or last:
                raise
            order.tell(begin, f"{archive}  damaged in transfer, downloading again")
            for file in files.iterdir():
                if file.name not in before.files:
                    file.unlink()
    return got, trust, found


def _collect_checksums(order: _Order, kind: str, url: str) -> tuple[dict[str, str], str]:
    """Return the checksums an archive must have, by their source, and the sources in words for the list."""
    if kind in order.given:
        return {"given": order.given[kind]}, "given"
    archive = order.chosen.archive(kind)
    expected = {}
    if archive in order.pinned:
        expected["pinned when it was first fetched (--sha256 accepts another)"] = order.pinned[archive]
    published = get_small(f"{url}.sha256", order.patience)
    words = published.decode("ascii", "replace").lower().split() if published else []
    if words and _HEX.fullmatch(words[0]):  # anything else is an error page
        expected[f"{archive}.sha256"] = words[0]
    return expected, " and ".join(who.split()[0] for who in expected) or "first use"


def _compare(archive: str, digest: str, expected: Mapping[str, str]) -> None:
    for who, wanted in expected.items():
        if digest != wanted:
            raise RefusedError(f"{archive} has checksum {digest}; {who}: {wanted}")


def _put_in_place(work: Path, place: Path) -> None:
    """Replace the old folder by the new one; `_put_back` repairs the state after a crash in between."""
    old = work / "old"
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        os.replace(place, old)
    try:
        os.replace(work / "files", place)
    except OSError:
        if old.exists():
            os.replace(old, place)
        raise
    shutil.rmtree(work, ignore_errors=True)


def _put_back(work: Path, place: Path) -> None:
    if (work / "old").exists() and not place.exists():
        os.replace(work / "old", place)


def _notes(order: _Order, archives: Mapping[str, Any], unpacked: Unpacked) -> tuple[str, ...]:
    notes = []
    maps, _ = count(unpacked.files)
    trusted = [archive for archive, facts in archives.items() if facts["checked_by"] == "first use"]
    if trusted:
        notes.append(f"{' and '.join(trusted)}: there was no checksum to compare with; the current one is now pinned")
    if maps != order.chosen.maps:
        notes.append(f"{maps} maps; MovingAI's set has {order.chosen.maps}")
    maps_there = {name for name in unpacked.files if name.lower().endswith(".map")}
    lonely = [
        name for name in unpacked.files if name.endswith(".scen") and name.removesuffix(".scen") not in maps_there
    ]
    if lonely:
        notes.append(f"{len(lonely)} scenarios without a matching map, such as {lonely[0]}")
    for name, why in list(unpacked.left_out.items())[:3]:
        notes.append(f"skipped {name}: {why}")
    if len(unpacked.left_out) > 3:
        notes.append(f"skipped {len(unpacked.left_out) - 3} more")
    return tuple(notes)
