"""Connects to a Dask cluster, for builds and benchmarks that are too large for one machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waygrid.errors import WaygridError

_WAIT_S = 10.0


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a Dask scheduler, such as tcp://10.0.0.1:8786; inside a task, through its worker.

    All workers must have the same version of waygrid.
    """
    distributed = the_library()
    if _is_task(distributed):
        with distributed.worker_client() as client:  # the task's thread is free for other tasks meanwhile
            yield client
        return
    try:
        client = distributed.Client(address, timeout=_WAIT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise WaygridError(f"cannot reach a Dask scheduler at {address}: {_reason(error)}") from error
    try:
        _check(client, address)
        yield client
    finally:
        client.close()


def the_library() -> Any:
    """Return dask.distributed."""
    try:
        import distributed
    except ImportError:
        raise WaygridError("a cluster needs dask.distributed; pip install 'waygrid[cluster]'") from None
    return distributed


def slots(client: Any) -> int:
    """Return the number of tasks that run at once."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))


def spread(client: Any, future: Any, workers: int) -> None:
    """Copy a result to several workers before tasks use it.

    The scheduler prefers workers that have the data; others only get tasks by stealing, once a second.
    """
    if workers > 1:
        client.replicate([future], n=workers)


def same(value: Any) -> Any:
    """Return the value: a task that holds data for others and runs again if its worker is lost."""
    return value


def version() -> str:
    """Return the version of waygrid on the worker."""
    from waygrid.version import __version__

    return __version__


def _is_task(distributed: Any) -> bool:
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def _check(client: Any, address: str) -> None:
    """Refuse a cluster without workers, and workers with another version of waygrid."""
    try:
        found = client.run(version)
    except Exception as error:
        raise WaygridError(f"the workers at {address} cannot run this version of waygrid: {_reason(error)}") from error
    if not found:
        raise WaygridError(f"the cluster at {address} has no workers")
    for worker, theirs in found.items():
        if theirs != version():
            raise WaygridError(f"worker {worker} has waygrid {theirs}; allowed is {version()}, as here")


def _reason(error: Exception) -> str:
    text = (str(error) or type(error).__name__).splitlines()[0]
    return text[:1].lower() + text[1:]
