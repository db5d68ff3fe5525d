"""What DuckDB refuses, in our words."""

from __future__ import annotations

import re

_WORDS = (
    (r"not a valid DuckDB database file", "it is not a DuckDB file"),
    (r"Conflicting lock is held in .*\(PID (\d+)", "process {} has it open; wait until it has ended"),
    (r"Could not set lock", "another process has it open; wait until it has ended"),
    (r'Cannot open database "(.*)" in read-only mode', "there is no store {}"),
    (r"No such file or directory", "there is no such file or folder"),
    (r"Is a directory", "it is a folder"),
    (r"Permission denied", "it may not be opened: permission denied"),
    (r"No space left|Disk quota exceeded|not enough space|max_temp_directory_size", "the disk is full"),
    (r"Out of Memory", "there is not enough memory"),
    (r"read-only", "it may only be read"),
    (r"checksum|Corrupt|Could not read enough bytes|Failed to deserialize|INTERNAL|Serialization", "it is damaged"),
    (r"(?:Table|View) with name (\S+) does not exist", "its table {} is missing; this is no store of waygrid's"),
    (r'Referenced column "(\w+)" not found', "its column {} is missing; this is no store of waygrid's"),
)


def explain(error: Exception) -> str:
    """Say in one clause why DuckDB refused something.

    >>> explain(OSError('IO Error: The file "a.txt" exists, but it is not a valid DuckDB database file!'))
    'it is not a DuckDB file'
    >>> explain(OSError("Rare Error: something else"))
    'DuckDB says: something else'
    """
    text = str(error)
    for pattern, words in _WORDS:
        found = re.search(pattern, text)
        if found is not None:
            return words.format(*found.groups())
    first = text.splitlines()[0] if text else type(error).__name__
    return f"DuckDB says: {re.sub(r'^[A-Z][A-Za-z ]* Error: ', '', first)}"
