"""Downloads one file over HTTP: resumes interrupted downloads and rejects inconsistent responses.

Received data is in ``NAME.part``. ``NAME.part.json`` describes the whole file: address, length, and the validator (a
strong ETag, else Last-Modified) that shows whether the file on the server is still the same (RFC 9110, 13.1.5 If-Range
and 14 Range). Without a validator a download starts from the beginning. A complete file is called ``NAME``, its notes
``NAME.json``; a second call finds them and sends no request.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from waygrid.errors import WaygridError
from waygrid.formats.files import read_bytes, reason, write_atomically
from waygrid.maps.web import Answer, Gone, TryAgain, Wait, get

_CHUNK = 2**18


@dataclass(frozen=True)
class Patience:
    """Timeouts and limits, in seconds and bytes."""

    timeout: float = 30.0  # without a single byte
    slowest: float = 200.0  # bytes per second, over a window of as many seconds as the timeout
    tries: int = 5  # in a row that bring nothing
    rounds: int = 60  # in all
    first_wait: float = 1.0  # then twice as long each time
    longest_wait: float = 60.0
    largest: int = 2**29  # bytes of the file
    sleep: Callable[[float], None] = time.sleep


class Downloaded(NamedTuple):
    """A complete file."""

    path: Path
    bytes: int
    sha256: str
    at_once: bool  # over one connection and just now; otherwise in several pieces, or by an earlier call
    etag: str | None
    last_modified: str | None


Tell = Callable[[int, int | None, str], None]  # bytes so far, bytes in all where known, what else to say


class _Part:
    """The received part of a file, and the notes on the whole file."""

    def __init__(self, target: Path, url: str) -> None:
        self.path = _notes_file(target, ".part")
        self._notes = _notes_file(target, ".part.json")
        self.url = url
        self.facts = _read_notes(self._notes, self.path, url)
        if not self.validator:
            self.forget()

    @property
    def have(self) -> int:
        """The number of received bytes."""
        return self.path.stat().st_size if self.facts and self.path.is_file() else 0

    @property
    def length(self) -> int | None:
        """The size of the whole file, if the server has sent it."""
        length = self.facts.get("length")
        return length if isinstance(length, int) and length >= 0 else None

    @property
    def validator(self) -> str | None:
        """The value for If-Range; weak ETags are not allowed there."""
        for value in (self.facts.get("etag"), self.facts.get("last_modified")):
            if isinstance(value, str) and value and not value.startswith("W/") and value.isprintable():
                return value
        return None

    @property
    def pieces(self) -> int:
        """The number of connections that have delivered data."""
        pieces = self.facts.get("pieces")
        return pieces if isinstance(pieces, int) else 0

    def begin(self, answer: Answer) -> None:
        """Start from the beginning, with the properties of the file in a response."""
        self.forget()
        self.facts = {"url": self.url, "length": answer.length, "pieces": 0}
        self.facts |= {"etag": answer.etag, "last_modified": answer.last_modified}
        self.note()

    def note(self) -> None:
        """Write the notes."""
        write_atomically(self._notes, json.dumps(self.facts).encode())

    def another_piece(self) -> None:
        """Count one more connection that delivers data."""
        self.facts["pieces"] = self.pieces + 1
        self.note()

    def forget(self) -> None:
        """Delete the part."""
        self.facts = {}
        for file in (self.path, self._notes):
            file.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """Give the complete file its name."""
        with open(self.path, "rb+") as file:
            os.fsync(file.fileno())
        discard(target)
        os.replace(self.path, target)
        os.replace(self._notes, _notes_file(target, ".json"))


def _notes_file(target: Path, ending: str) -> Path:
    return target.with_name(target.name + ending)


def _read_notes(notes: Path, file: Path, url: str) -> dict[str, Any]:
    """Return the notes on the file of this address; empty if the file or the notes are missing."""
    with suppress(WaygridError, ValueError):
        facts = json.loads(read_bytes(notes, 2**16))
        if isinstance(facts, dict) and facts.get("url") == url and file.is_file():
            return facts
    return {}


def discard(target: Path) -> None:
    """Delete a complete file, so that the next call downloads it again."""
    target.unlink(missing_ok=True)
    _notes_file(target, ".json").unlink(missing_ok=True)


def download(url: str, target: Path, patience: Patience, tell: Tell) -> Downloaded:
    """Download a file; after an interruption, only the rest of it."""
    try:
        facts = _read_notes(_notes_file(target, ".json"), target, url)
        found = bool(facts)
        if not found:
            part = _Part(target, url)
            _fetch_all(part, patience, tell)
            facts = part.facts
            part.finish(target)
        at_once = not found and facts["pieces"] == 1
        size, digest = target.stat().st_size, sha256(target)
        return Downloaded(target, size, digest, at_once, facts.get("etag"), facts.get("last_modified"))
    except OSError as error:
        raise WaygridError(f"cannot write {target}: {reason(error)}") from error


def _fetch_all(part: _Part, patience: Patience, tell: Tell) -> None:
    """Retry, after growing waits, until the file is complete; attempts that deliver data do not count."""
    vain, most = 0, part.have
    for _ in range(patience.rounds):
        if part.length is not None and 0 < part.have == part.length:
            return  # it was only not renamed
        try:
            try:
                _fetch_rest(part, patience, tell)
                return
            except Gone as failure:
                if failure.status != 416 or not part.have:
                    raise WaygridError(f"{part.url}: {failure}") from failure
                part.forget()  # the file is shorter now than what has arrived
                raise TryAgain(str(failure)) from failure
        except TryAgain as failure:
            vain = (
                0 if part.have > most else vain + 1
            )  # counts only new maxima, so that a bad server cannot keep this running
            most = max(most, part.have)
            if vain >= patience.tries:
                raise WaygridError(f"{part.url}: {failure}; gave up after {vain} attempts in a row") from failure
            wait = min(patience.longest_wait, patience.first_wait * 2**vain / 2)
            if isinstance(failure, Wait):
                wait = max(wait, min(failure.seconds, patience.longest_wait))
            tell(part.have, part.length, f"{failure}; retry in {wait:.0f} s")
            patience.sleep(wait)
    raise WaygridError(f"{part.url}: gave up after {patience.rounds} connections that ended early")


def _fetch_rest(part: _Part, patience: Patience, tell: Tell) -> None:
    """Request the missing bytes once and append what arrives."""
    headers = {}
    if part.have and part.validator:
        headers = {"Range": f"bytes={part.have}-", "If-Range": part.validator}
    with get(part.url, headers, patience.timeout) as answer:
        if answer.status == 206 and headers:
            _check_range(part, answer)
        elif answer.status == 200:
            part.begin(answer)  # also for a range request: the file has changed, or the server does not support ranges
        else:
            raise Gone(f"the server answered with unexpected status {answer.status}")
        _check_size(part, patience)
        part.another_piece()
        _append(part, answer, patience, tell)
    if part.length is not None and part.have < part.length:
        raise TryAgain(f"the connection ended after {part.have} of {part.length} bytes")
    if part.length is not None and part.have > part.length:
        part.forget()
        raise TryAgain("the server sent more bytes than it announced")


def _check_range(part: _Part, answer: Answer) -> None:
    """Check that the response is the rest of the same file; otherwise start from the beginning."""
    first, total = answer.range
    same = answer.etag in (None, part.facts.get("etag"))
    if first != part.have or (part.length is not None and total not in (None, part.length)) or not same:
        part.forget()
        raise TryAgain("the server sent another range than requested")
    part.facts["length"] = part.length if total is None else total


def _check_size(part: _Part, patience: Patience) -> None:
    if part.length is None:
        return
    if part.length > patience.largest:
        length = part.length
        part.forget()
        raise Gone(f"{length} bytes; allowed are {patience.largest}")
    free = shutil.disk_usage(part.path.parent).free
    if part.length - part.have > free:
        raise Gone(f"{part.length - part.have} bytes are missing, but the disk has room for {free}")


def _append(part: _Part, answer: Answer, patience: Patience, tell: Tell) -> None:
    """Append the bytes to the file as they arrive."""
    with open(part.path, "ab") as file:
        have, since, began = part.have, 0, time.monotonic()
        while True:
            data = answer.read(_CHUNK)
            if not data:
                return
            file.write(data)
            file.flush()
            have, since = have + len(data), since + len(data)
            if have > patience.largest:
                raise Gone(f"more than the {patience.largest} bytes allowed")
            tell(have, part.length, "")
            passed = time.monotonic() - began
            if passed > patience.timeout:
                if since < patience.slowest * passed:
                    raise TryAgain(f"only {since} bytes arrived in {passed:.0f} s")
                since, began = 0, time.monotonic()


def get_small(url: str, patience: Patience, limit: int = 4096) -> bytes | None:
    """Return a small file, None if the server does not have it."""
    for number in range(patience.tries):
        try:
            with get(url, {}, patience.timeout) as answer:
                return answer.read(limit) if answer.status == 200 else None
        except Gone as failure:
            if failure.status in (401, 403, 404, 410):
                return None
            raise WaygridError(f"{url}: {failure}") from failure
        except TryAgain as failure:
            if number + 1 == patience.tries:
                raise WaygridError(f"{url}: {failure}; gave up after {number + 1} attempts in a row") from failure
            patience.sleep(min(patience.longest_wait, patience.first_wait * 2**number))
    return None


def sha256(path: Path) -> str:
    """Return the checksum of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
