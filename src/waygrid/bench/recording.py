"""A run while it is written to a store: slices and rounds as they come, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

from waygrid.bench.runner import Result, gaps_between
from waygrid.measure.builds import Made
from waygrid.measure.machine import Machine
from waygrid.measure.rounds import Round
from waygrid.measure.rows import COLUMNS, EDIT_COLUMNS, Rows
from waygrid.measure.work import Slice

if TYPE_CHECKING:
    from waygrid.bench.store import Plan, Store


class Recording:
    """A run that is being written; a sink of `waygrid.measure.work`."""

    def __init__(self, store: Store, plan: Plan, run: int, *, resumed: bool) -> None:
        self._store, self._plan = store, plan
        self.run, self.resumed = run, resumed
        (before,) = store.execute("SELECT store_s FROM runs WHERE run = ?", [run]).fetchone()
        self.store_s = float(before)  # seconds, those before an interruption included
        known = store._records("SELECT measurement FROM measurements WHERE run = ? ORDER BY place", [run])
        self._numbers = [each["measurement"] for each in known]

    @property
    def done(self) -> int:
        """Queries that are there already."""
        found = self._store.execute(
            "SELECT coalesce(sum(last - first), 0) FROM slices JOIN measurements USING (measurement) WHERE run = ?",
            [self.run],
        ).fetchone()
        return int(found[0])

    def gaps(self, number: int) -> list[tuple[int, int]]:
        """Return the ranges of queries of a unit that are not there yet."""
        done = self._store.execute(
            "SELECT first, last FROM slices WHERE measurement = ?", [self._numbers[number]]
        ).fetchall()
        return gaps_between(done, len(self._plan.units[number].problems))

    def begin(self, number: int, made: Made) -> None:
        """Take note of a unit's finder; of one that is built again after an interruption the first time stays."""
        self._store.execute(
            "UPDATE measurements SET build_s = coalesce(build_s, ?), fixed_bytes = ?, optimal = ? "
            "WHERE measurement = ?",
            [made.build_s, made.fixed_bytes, made.optimal, self._numbers[number]],
        )

    def add(self, number: int, part: Slice) -> None:
        """Write a slice: all of it or nothing."""
        began = perf_counter()
        measurement = self._numbers[number]
        known = part._asdict()
        rows, edits = known.pop("rows"), known.pop("edits")
        with self._store.transaction():
            self._insert_rows("queries", measurement, rows, COLUMNS)
            if edits is not None and len(edits["edit"]):
                self._insert_rows("edits", measurement, edits, EDIT_COLUMNS)
            self._store.insert("slices", {"measurement": measurement, **known})
            self._keep_store_s(perf_counter() - began)  # in the same transaction: a killed run knows it, too
        self.store_s += perf_counter() - began

    def _insert_rows(self, table: str, measurement: int, rows: Rows, columns: Iterable[str]) -> None:
        connection = self._store.connection
        # DuckDB reads arrays in a dictionary as a table, without a copy in Python.
        connection.register("new_rows", rows)
        try:
            self._store.execute(f"INSERT INTO {table} SELECT {measurement}, {', '.join(columns)} FROM new_rows")
        finally:
            connection.unregister("new_rows")

    def rounds(self, number: int) -> list[Round]:
        """Return the rounds of a unit that are there."""
        return self._store.rounds(self._numbers[number])

    def add_round(self, number: int, measured: Round) -> None:
        """Write a round."""
        began = perf_counter()
        self._store.insert("rounds", {"measurement": self._numbers[number], **_columns(measured)})
        self.store_s += perf_counter() - began

    def ran_on(self, machines: Sequence[Machine]) -> None:
        """Take note of the machines that measure: what they have in common once, what differs side by side.

        Of a run that is resumed those that measured before stay, so that no row is said to come from another machine.
        """
        names = ("cpu", "system", "python", "numpy", "numba")
        (known,) = self._store._records(f"SELECT {', '.join(names)} FROM runs WHERE run = ?", [self.run])
        for name in names:
            before = (known[name] or "").split("; ") if self.done else []
            words = "; ".join(dict.fromkeys([*before, *(getattr(machine, name) for machine in machines)]))
            self._store.execute(f"UPDATE runs SET {name} = ? WHERE run = ?", [words, self.run])

    @property
    def machine(self) -> str:
        """The processors that measured, in words."""
        return str(self._store.execute("SELECT cpu FROM runs WHERE run = ?", [self.run]).fetchone()[0])

    def _keep_store_s(self, more: float = 0.0) -> None:
        self._store.execute("UPDATE runs SET store_s = ? WHERE run = ?", [self.store_s + more, self.run])

    def finish(self) -> list[Result]:
        """Mark the run as done and return its results."""
        now = datetime.now(UTC).replace(tzinfo=None)
        self._keep_store_s()
        self._store.execute("UPDATE runs SET finished = ? WHERE run = ?", [now, self.run])
        return self._store.results(self.run)


def _columns(measured: Round) -> dict[str, object]:
    known = measured._asdict()
    return {"round": known.pop("number"), **known}
