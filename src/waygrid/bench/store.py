"""Results in a DuckDB file: runs, their measurements, and one row for each query.

A slice of queries is written in one transaction, so a run that is killed at any moment leaves whole slices and nothing
else. A run of the same work, by the same code on the same machine, then resumes where it stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from waygrid.bench.recording import Recording
from waygrid.bench.refusals import explain
from waygrid.bench.runner import About, Result
from waygrid.bench.schema import OLDEST, SINCE, TABLES, VERSION, create_table, statements
from waygrid.errors import WaygridError
from waygrid.formats.files import replacing
from waygrid.measure.builds import Made
from waygrid.measure.machine import code, this_machine
from waygrid.measure.rounds import Round
from waygrid.measure.rows import COLUMNS, EDIT_COLUMNS, Column, Rows
from waygrid.measure.work import Settings, Unit, describe_timing, options_text

_DIRECTLY = "USE_TMP_FILE false"  # the file has a temporary name already
EXPORTS = {".parquet": f"FORMAT parquet, COMPRESSION zstd, {_DIRECTLY}", ".csv": f"FORMAT csv, HEADER, {_DIRECTLY}"}
MEMORY = ":memory:"  # in place of a file: gone when the store is closed


class Plan(NamedTuple):
    """A run that is to be stored."""

    units: Sequence[Unit]
    settings: Settings
    engine: str = "threads"
    name: str | None = None
    seed: int | None = None

    @property
    def key(self) -> str:
        """The same for the same work by the same code on the same machine: then a run may go on from another."""
        digest = hashlib.sha256(repr(self._known).encode())
        for unit in self.units:
            digest.update(unit.key.encode())
        return digest.hexdigest()

    @property
    def _known(self) -> tuple[Any, ...]:
        return this_machine(), code(), self.settings, self.engine, self.seed, self.name


class Store:
    """A benchmark store; made by `open_store`."""

    def __init__(self, connection: Any, name: str) -> None:
        self.connection = connection  # for SQL of your own
        self.name = name
        self.tables = {*TABLES}  # fewer in an older store that is only read

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Run SQL; what DuckDB refuses, a full disk or another process that writes, becomes one sentence."""
        try:
            return self.connection.execute(query, list(values))
        except _duckdb().Error as error:
            raise WaygridError(f"{self.name}: {explain(error)}") from error

    def runs(self) -> list[dict[str, Any]]:
        """Return what is known of every run."""
        return self._records("SELECT * FROM runs ORDER BY run")

    def find_run(self, text: str) -> int:
        """Return the number of the run that a number or a name stands for."""
        known = [(run["run"], run["name"]) for run in self.runs()]
        for number, name in known:
            if text == name or (text.isdecimal() and int(text) == number):
                return int(number)
        listed = ", ".join(f"{number} ({name})" if name else str(number) for number, name in known) or "none yet"
        raise WaygridError(f"{self.name}: there is no run {text!r}; the store has {listed}")

    def last_run(self) -> int:
        """Return the number of the last run that is finished."""
        found = self.execute("SELECT max(run) FROM runs WHERE finished IS NOT NULL").fetchone()[0]
        if found is None:
            raise WaygridError(f"{self.name}: the store has no finished run")
        return int(found)

    def begin(self, plan: Plan) -> Recording:
        """Begin a run, or go on with one of the same work that was interrupted."""
        found = self.execute(
            "SELECT run FROM runs WHERE plan = ? AND finished IS NULL ORDER BY run DESC", [plan.key]
        ).fetchone()
        if found is not None:
            return Recording(self, plan, int(found[0]), resumed=True)
        if plan.name is not None and any(run["name"] == plan.name for run in self.runs()):
            raise WaygridError(
                f"{self.name}: there is a run {plan.name!r} of other work, code or machine, or it is finished; "
                "take another name"
            )
        return Recording(self, plan, self._add_run(plan), resumed=False)

    def _add_run(self, plan: Plan) -> int:
        settings, machine = plan.settings, this_machine()
        with self.transaction():
            run = self._next("runs", "run")
            facts = {
                "run": run,
                "name": plan.name,
                "plan": plan.key,
                "started": datetime.now(UTC).replace(tzinfo=None),
                "engine": plan.engine,
                "threads": settings.threads,
                "repeat": settings.repeat,
                "max_expansions": settings.max_expansions,
                "expansions": settings.expansions,
                "seed": plan.seed,
                "timing": describe_timing(plan.units),
                "store_s": 0.0,
                **machine._asdict(),
            }
            self.insert("runs", facts)
            first = self._next("measurements", "measurement")
            for place, unit in enumerate(plan.units):
                self.insert(
                    "measurements", {"measurement": first + place, "run": run, "place": place, **_describe(unit)}
                )
        return run

    def results(self, run: int) -> list[Result]:
        """Return the results of a run, as far as there are any."""
        (known,) = self._records("SELECT * FROM runs WHERE run = ?", [run])
        settings = Settings(known["threads"], known["repeat"], known["max_expansions"], known["expansions"])
        sums = self._records(
            "SELECT measurement, sum(seconds) AS seconds, sum(check_s) AS check_s, max(agent_bytes) AS agent_bytes, "
            "arg_min(fault, first) AS fault FROM slices JOIN measurements USING (measurement) WHERE run = ? "
            "GROUP BY measurement",
            [run],
        )
        by_number = {each["measurement"]: each for each in sums}
        made = []
        for each in self._records("SELECT * FROM measurements WHERE run = ? ORDER BY place", [run]):
            if each["measurement"] in by_number:
                number = each["measurement"]
                about = _about(each, by_number[number])
                about = about._replace(rounds=self.rounds(number), edits=self.edits(number))
                made.append(Result.of(about, self.rows(number), settings))
        return made

    def rows(self, measurement: int) -> Rows:
        """Return the rows of a measurement, in the order of the problems."""
        return self._columns("queries", COLUMNS, measurement, "number")

    def edits(self, measurement: int) -> Rows | None:
        """Return the edits of a measurement of a dynamic scenario, in their order; None if there are none."""
        if "edits" not in self.tables:
            return None
        found = self._columns("edits", EDIT_COLUMNS, measurement, "edit")
        return found if len(found["edit"]) else None

    def _columns(self, table: str, columns: dict[str, Column], measurement: int, order: str) -> Rows:
        found = self.execute(
            f"SELECT {', '.join(columns)} FROM {table} WHERE measurement = ? ORDER BY {order}", [measurement]
        ).fetchnumpy()
        return {
            name: np.asarray(
                np.ma.filled(found[name], np.nan) if np.ma.isMaskedArray(found[name]) else found[name]
            ).astype(column.kind)
            for name, column in columns.items()
        }

    def rounds(self, measurement: int) -> list[Round]:
        """Return the rounds of a measurement, in their order."""
        if "rounds" not in self.tables:
            return []
        found = self.execute(
            "SELECT round, sample, seconds, yardstick_s FROM rounds WHERE measurement = ? ORDER BY round", [measurement]
        )
        return [Round(*row) for row in found.fetchall()]

    def export(self, path: str | PathLike[str], run: int | None = None) -> int:
        """Write all rows, or those of one run, to a .parquet or .csv file; return how many there are."""
        kind = EXPORTS.get(Path(path).suffix.lower())
        if kind is None:
            raise WaygridError(f"cannot export to {fspath(path)}; allowed are names that end in {', '.join(EXPORTS)}")
        chosen = "" if run is None else f" WHERE run = {int(run)}"
        with replacing(path) as temporary:
            target = str(temporary).replace("'", "''")
            query = f"SELECT * FROM whole{chosen} ORDER BY run, map, algorithm, options, number"
            copied = self.execute(f"COPY ({query}) TO '{target}' ({kind})").fetchone()
        return int(copied[0])

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self.connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that the block writes, or nothing of it."""
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def insert(self, table: str, values: dict[str, Any]) -> None:
        """Add one row."""
        names, places = ", ".join(f'"{name}"' for name in values), ", ".join("?" for _ in values)
        self.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", list(values.values()))

    def _next(self, table: str, column: str) -> int:
        return int(self.execute(f"SELECT coalesce(max({column}), 0) + 1 FROM {table}").fetchone()[0])

    def _records(self, query: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        found = self.execute(query, list(values))
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def open_store(path: str | PathLike[str], *, create: bool = True) -> Store:
    """Open a benchmark store, and make it where there is none; ":memory:" keeps it in memory.

    >>> with open_store(":memory:") as store:
    ...     store.runs()
    []
    """
    duckdb = _duckdb()
    name = fspath(path)
    if not create and not Path(name).is_file():
        raise WaygridError(f"cannot read {name}: there is no such store")
    try:
        connection = duckdb.connect(name, read_only=not create)
    except duckdb.Error as error:
        raise WaygridError(f"cannot use {name} as a benchmark store: {explain(error)}") from error
    store = Store(connection, name)
    try:
        _check_or_make(store, create)
    except BaseException:
        store.close()
        raise
    return store


def _check_or_make(store: Store, create: bool) -> None:
    """Make the tables in an empty file; refuse one that holds something else, and leave it as it is."""
    there = {row[0] for row in store.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()}
    if not there and create:
        with store.transaction():
            for statement in statements():
                store.execute(statement)
            store.execute("INSERT INTO about VALUES (?)", [VERSION])
        return
    if not there >= {*TABLES, "about"} - {*SINCE}:
        tables = ", ".join(sorted(there)[:5]) or "no tables"
        raise WaygridError(f"cannot use {store.name} as a benchmark store: it is a DuckDB file with {tables}")
    version = store.execute("SELECT version FROM about").fetchone()
    if version is None or not OLDEST <= version[0] <= VERSION:
        found = version and version[0]
        raise WaygridError(f"{store.name}: a store of version {found}; allowed are {OLDEST} to {VERSION}")
    store.tables = {*TABLES} & there
    if create and store.tables != {*TABLES}:
        with store.transaction():
            for table in SINCE:
                store.execute(create_table(table))
            store.execute("UPDATE about SET version = ?", [VERSION])
        store.tables = {*TABLES}


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise WaygridError("a benchmark store needs duckdb; install it by: pip install 'waygrid[bench]'") from None
    return duckdb


def _describe(unit: Unit) -> dict[str, Any]:
    grid = unit.grid
    return {
        "key": unit.key,
        "map": unit.map,
        "map_hash": unit.map_hash,
        "topology": grid.topology,
        "corners": grid.corners,
        "metric": grid.metric if isinstance(grid.metric, str) else ",".join(map(str, grid.metric)),
        "clearance": grid.clearance,
        "algorithm": unit.algorithm,
        "options": options_text(unit.options),
        "problems": len(unit.problems),
        "source": unit.problems.source,
    }


def _about(each: dict[str, Any], sums: dict[str, Any]) -> About:
    made = Made(each["build_s"], each["fixed_bytes"], each["optimal"])
    options = json.loads(each["options"])
    measured = (sums["seconds"], sums["check_s"], sums["agent_bytes"], sums["fault"])
    return About(each["map"], each["algorithm"], options, each["source"], made, *measured)
