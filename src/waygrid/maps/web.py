"""One HTTP request with the standard library; failures are of three kinds: try again, wait first, give up."""

import email.utils
import http.client
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import urljoin

from waygrid.formats.files import reason
from waygrid.version import __version__

_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")
_TEMPORARY = (408, 425, 429, 500, 502, 503, 504)


class TryAgain(Exception):  # noqa: N818 (not an error yet)
    """A failure that may be temporary."""


class Wait(TryAgain):
    """The server asks for a pause before the next request."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Gone(Exception):  # noqa: N818 (turned into a WaygridError by the caller, who knows the address)
    """A permanent failure."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to web addresses only, and from https only to https."""

    max_redirections = 5

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        target = urljoin(req.full_url, headers.get("location") or headers.get("uri") or "")
        scheme = target.partition(":")[0].lower()
        if scheme != "https" and (scheme != "http" or req.type == "https"):
            fp.close()
            raise Gone(f"the server redirects to {target[:200]!r}; allowed are https addresses, http from http only")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener() -> urllib.request.OpenerDirector:
    """Only what is needed: no handlers for file, ftp and data addresses."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


class Answer:
    """The response of a server: status, headers about the file, and its bytes."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.etag = self._header("ETag")
        self.last_modified = self._header("Last-Modified")
        if (self._header("Content-Encoding") or "identity").lower() != "identity":
            raise Gone(f"the server encodes the file ({self._header('Content-Encoding')!r}), which was not requested")

    def _header(self, name: str) -> str | None:
        value = self._response.headers.get(name)
        return value.strip()[:200] if value and value.isascii() else None

    @property
    def length(self) -> int | None:
        """The announced number of bytes."""
        value = self._header("Content-Length")
        if value is None or self._header("Transfer-Encoding"):
            return None
        return int(value) if re.fullmatch(r"\d{1,18}", value) else None

    @property
    def range(self) -> tuple[int, int | None]:
        """Where the bytes begin (-1 if the header is invalid) and the size of the whole file."""
        found = _RANGE.fullmatch(self._header("Content-Range") or "")
        if not found:
            return -1, None
        first, last, total = found.groups()
        if int(last) < int(first) or (total != "*" and int(last) != int(total) - 1):
            return -1, None
        return int(first), None if total == "*" else int(total)

    def read(self, limit: int) -> bytes:
        """Return some bytes as soon as they arrive, none at the end."""
        try:
            return self._response.read1(limit)
        except (OSError, http.client.HTTPException) as error:
            raise TryAgain(_explain_failure(error)) from error


@contextmanager
def get(url: str, headers: dict[str, str], timeout: float) -> Iterator[Answer]:
    """Request a file; the block reads the response."""
    sent_headers = {"User-Agent": f"waygrid/{__version__}", "Accept-Encoding": "identity", **headers}
    request = urllib.request.Request(url, headers=sent_headers)
    try:
        response = cast(http.client.HTTPResponse, _opener().open(request, timeout=timeout))
    except urllib.error.HTTPError as error:
        with error:
            raise _explain_status(error) from error
    except (OSError, http.client.HTTPException) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise Gone(f"the server's certificate is not valid: {cause.verify_message}") from error
        raise TryAgain(_explain_failure(cause)) from error
    except ValueError as error:
        raise Gone(f"the server redirects to an invalid address ({error})") from error
    with response:
        yield Answer(response)


def _explain_status(error: urllib.error.HTTPError) -> TryAgain | Gone:
    message = f"the server answered {error.code} {http.client.responses.get(error.code, '')}".rstrip()
    if error.code in _TEMPORARY:
        return Wait(message, _read_pause(error.headers.get("Retry-After")))
    if 300 <= error.code < 400:
        return Gone(f"{message} without an address", error.code)
    return Gone(message, error.code)


def _read_pause(text: str | None) -> float:
    """Return the seconds of Retry-After: a number or a date (RFC 9110, 10.2.3)."""
    if not text:
        return 0.0
    if re.fullmatch(r"\d{1,9}", text.strip()):
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _explain_failure(error: object) -> str:
    """Describe the failure of a connection."""
    if isinstance(error, TimeoutError):
        return "the server did not answer in time"
    if isinstance(error, http.client.IncompleteRead):
        return "the connection ended early"
    return reason(error) or type(error).__name__ if isinstance(error, Exception) else str(error)
