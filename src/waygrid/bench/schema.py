"""The tables of a benchmark store, and what its columns mean."""

from __future__ import annotations

from waygrid.measure.rows import COLUMNS, EDIT_COLUMNS

VERSION = 3  # of the tables; an older store, without some of them, is read, and gets them when it is written to
OLDEST = 1

RUNS = {
    "run": "INTEGER PRIMARY KEY",
    "name": "VARCHAR UNIQUE",  # given by the user, or null
    "plan": "VARCHAR NOT NULL",  # the same for the same work; by it an interrupted run is found again
    "started": "TIMESTAMP NOT NULL",
    "finished": "TIMESTAMP",  # null while it runs, and after it was interrupted
    "engine": "VARCHAR NOT NULL",  # threads or cluster
    "threads": "INTEGER NOT NULL",  # of a batch
    "repeat": "INTEGER NOT NULL",
    "max_expansions": "BIGINT",
    "expansions": "INTEGER NOT NULL",  # of a real-time agent in one step
    "seed": "INTEGER",  # of random problems
    "timing": "VARCHAR NOT NULL",  # how times were taken
    "store_s": "DOUBLE NOT NULL",  # seconds that storing took; in no other time
    "cpu": "VARCHAR",
    "cores": "INTEGER",
    "system": "VARCHAR",
    "python": "VARCHAR",
    "numpy": "VARCHAR",
    "numba": "VARCHAR",
    "version": "VARCHAR",
    "commit": "VARCHAR",
}

MEASUREMENTS = {
    "measurement": "INTEGER PRIMARY KEY",
    "run": "INTEGER NOT NULL",
    "place": "INTEGER NOT NULL",  # in the order of the run
    "key": "VARCHAR NOT NULL",  # of map, rules, problems, algorithm and options
    "map": "VARCHAR NOT NULL",
    "map_hash": "VARCHAR NOT NULL",  # of the map, its rules and its changes
    "topology": "VARCHAR NOT NULL",
    "corners": "VARCHAR NOT NULL",
    "metric": "VARCHAR NOT NULL",
    "clearance": "INTEGER NOT NULL",
    "algorithm": "VARCHAR NOT NULL",
    "options": "VARCHAR NOT NULL",  # JSON
    "problems": "INTEGER NOT NULL",  # how many there are
    "source": "VARCHAR NOT NULL",  # of the optima: scenario or dijkstra
    "optimal": "BOOLEAN",  # whether the cheapest path is claimed; null until the finder is made
    "build_s": "DOUBLE",
    "fixed_bytes": "BIGINT",
}

SLICES = {
    "measurement": "INTEGER NOT NULL",
    "first": "INTEGER NOT NULL",  # queries first to last - 1 of the measurement
    "last": "INTEGER NOT NULL",
    "seconds": "DOUBLE NOT NULL",  # of the whole batch
    "check_s": "DOUBLE NOT NULL",  # of checking its paths
    "agent_bytes": "BIGINT NOT NULL",
    "fault": "VARCHAR",  # the first path that breaks the rules
}

ROUNDS = {
    "measurement": "INTEGER NOT NULL",
    "round": "INTEGER NOT NULL",
    "sample": "VARCHAR NOT NULL",  # names the queries of the round and its yardstick
    "seconds": "DOUBLE NOT NULL",  # processor time of asking them once, on one thread
    "yardstick_s": "DOUBLE NOT NULL",  # of the yardstick, right before and after
}

QUERIES = {"measurement": "INTEGER NOT NULL", **{name: column.sql for name, column in COLUMNS.items()}}

EDITS = {"measurement": "INTEGER NOT NULL", **{name: column.sql for name, column in EDIT_COLUMNS.items()}}

TABLES = {
    "runs": RUNS,
    "measurements": MEASUREMENTS,
    "slices": SLICES,
    "rounds": ROUNDS,
    "queries": QUERIES,
    "edits": EDITS,
}
SINCE = {"rounds": 2, "edits": 3}  # the version that brought a table; older stores do not have it

_OF_RUN = ("run", "name", "started", "cpu", "version", "commit", "threads")
_OF_MEASUREMENT = ("map", "map_hash", "topology", "corners", "metric", "clearance", "algorithm", "options", "build_s")
WHOLE = (
    "CREATE VIEW IF NOT EXISTS whole AS SELECT "
    + ", ".join([*(f'runs."{name}"' for name in _OF_RUN), *(f"measurements.{name}" for name in _OF_MEASUREMENT)])
    + ", measurements.fixed_bytes, "
    + ", ".join(f"queries.{name}" for name in COLUMNS)
    + " FROM queries JOIN measurements USING (measurement) JOIN runs USING (run)"
)
"""One wide row for each query: what is exported."""


def statements() -> list[str]:
    """Return the SQL that makes an empty store."""
    made = [create_table(table) for table in TABLES]
    return [*made, "CREATE TABLE IF NOT EXISTS about (version INTEGER)", WHOLE]


def create_table(table: str) -> str:
    """Return the SQL that makes a table where there is none."""
    columns = ", ".join(f'"{name}" {kind}' for name, kind in TABLES[table].items())
    return f"CREATE TABLE IF NOT EXISTS {table} ({columns})"
