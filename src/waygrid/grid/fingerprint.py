"""The hash of a map and its rules, by which index files know their map."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.formats.rules import row_spans


def hash_map(
    rules: tuple[Any, ...],
    passable: npt.NDArray[np.uint8],
    weights: npt.NDArray[np.uint16] | None,
    exits: npt.NDArray[np.uint8] | None,
) -> str:
    """Return the hash of rules, walls, weights and one-way tiles.

    Of weights only those of passable cells matter, and all ones are none.

    >>> ground = np.array([[1, 0]], np.uint8)
    >>> one, other = (hash_map((), ground, np.array([[1, wall]], np.uint16), None) for wall in (7, 9))
    >>> one == other == hash_map((), ground, None, None)
    True
    """
    digest = hashlib.sha256(repr(rules).encode())
    shares = list(row_spans(passable.shape))

    def priced(rows: slice) -> npt.NDArray[np.uint16]:
        assert weights is not None
        return np.where(passable[rows], weights[rows], np.uint16(1))

    weighted = weights is not None and any((priced(rows) != 1).any() for rows in shares)
    _add(digest, (passable[rows] for rows in shares))
    _add(digest, (priced(rows) for rows in shares) if weighted else None)
    _add(digest, None if exits is None else (exits[rows] for rows in shares))
    return digest.hexdigest()


def _add(digest: Any, pieces: Any) -> None:
    """Add the bytes of an array, piece by piece; a dash stands for none."""
    if pieces is None:
        digest.update(b"-")
        return
    for piece in pieces:
        digest.update(np.ascontiguousarray(piece))
