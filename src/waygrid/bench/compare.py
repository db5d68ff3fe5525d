"""Two runs side by side: what got faster or slower, and is it more than chance?

Units are compared where map, rules, algorithm and options are the same: times by the rounds of both runs
(`waygrid.measure.intervals`), costs query by query. An earlier run was made by a machine in another state, so the
interval covers the machine, not only the rounds.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from waygrid.bench.schema import SINCE
from waygrid.bench.store import Store
from waygrid.errors import WaygridError
from waygrid.measure.intervals import (
    FEWEST,
    Scatter,
    learn_scatter,
    machine_change,
    quickest_beside,
    ratio_of_runs,
    ratio_without_rounds,
)
from waygrid.measure.rounds import Round
from waygrid.measure.work import Settings
from waygrid.search.path import Status

_LEAST_US = 1e-3  # a query that the clock did not see
_SAME_WORK = ("max_expansions", "expansions")  # with other ones the searches themselves are others
_SAME_TIMES = ("engine", "threads", "repeat", "cpu")  # with other ones times are apart whatever the code does
_SAME_CODE = ("version", "commit", "cpu", "numba", "numpy", "python")  # runs alike in these scatter by chance alone
_WORTH_SAYING = 0.05  # by so much the machine has to be slower or faster


class Allowed(NamedTuple):
    """What may get worse before it counts as a regression, as fractions."""

    time: float = 0.05
    suboptimality: float = 0.001


class Difference(NamedTuple):
    """One algorithm on one map, the new run against the old one."""

    map: str
    algorithm: str
    options: str
    pairs: int  # queries that both have
    rounds: int  # that both have
    old_us: float  # mean time of a query
    new_us: float
    ratio: float  # new time / old time, by the rounds and beside the yardstick
    low: float  # and its 95 % interval
    high: float
    worse: float | None  # mean of new suboptimality - old one, over paths that both found; None: there are none
    lost: int  # queries solved before and not now, or by a path that breaks the rules
    old_edit_us: float | None = None  # mean time of an edit; None where the map did not change
    new_edit_us: float | None = None

    def time_says(self, allowed: Allowed) -> str:
        """Return slower, faster, or same: what lies beyond what is allowed with its whole interval."""
        return _say_time(self.low, self.high, allowed)

    def edits_say(self, allowed: Allowed) -> str:
        """Return slower, faster, or same for the edits; there are no rounds of them, so only a large change shows."""
        if self.old_edit_us is None or self.new_edit_us is None:
            return "same"
        was, now = max(self.old_edit_us, _LEAST_US), max(self.new_edit_us, _LEAST_US)
        found = ratio_without_rounds(math.log(now / was))
        return _say_time(found.low, found.high, allowed)

    def quality_says(self, allowed: Allowed) -> str:
        """Return worse, better, or same; costs are exact, so there is no interval."""
        if self.lost or (self.worse is not None and self.worse > allowed.suboptimality):
            return "worse"
        return "better" if self.worse is not None and self.worse < -allowed.suboptimality else "same"

    def is_regression(self, allowed: Allowed) -> bool:
        """Tell whether time or quality got worse than allowed."""
        return "slower" in (self.time_says(allowed), self.edits_say(allowed)) or self.quality_says(allowed) == "worse"


def _say_time(low: float, high: float, allowed: Allowed) -> str:
    if low > 1 + allowed.time:
        return "slower"
    return "faster" if high < 1 / (1 + allowed.time) else "same"


class Comparison(NamedTuple):
    """All that two runs share, and what only one of them has."""

    differences: list[Difference]
    only_old: list[str]
    only_new: list[str]
    notes: list[str]  # how the runs were made differently, one sentence each


def compare(store: Store, new: int, old: int, old_file: str | None = None) -> Comparison:
    """Compare a run with an older one, of the same store or of another one's file."""
    home = store.execute("SELECT current_database()").fetchone()[0]
    if old_file is None:
        return _compare(store, f"{_quote(home)}.main", new, old)
    file, there = old_file.replace("'", "''"), _quote(f"{home} before")  # never the name of the store itself
    store.execute(f"ATTACH '{file}' AS {there} (READ_ONLY)")
    try:
        return _compare(store, f"{there}.main", new, old)
    finally:
        store.execute(f"DETACH {there}")


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def refuse_other_work(old: dict[str, Any], settings: Settings) -> None:
    """Refuse a run, as `Store.runs` returns it, whose searches were limited in another way."""
    for name in _SAME_WORK:
        was, now = old[name], getattr(settings, name)
        if was != now:
            raise WaygridError(
                f"run {old['run']} was made with {name} {'unlimited' if was is None else was}, this one has "
                f"{'no limit' if now is None else now}: their searches are not the same and cannot be compared"
            )


def _made_differently(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [
        f"{name} was {old[name]} and is {new[name]}: times differ by that, too"
        for name in _SAME_TIMES
        if old[name] != new[name]
    ]


def _compare(store: Store, here: str, new: int, old: int) -> Comparison:
    (old_run,) = store._records(f"SELECT * FROM {here}.runs WHERE run = {int(old)}")
    (new_run,) = store._records(f"SELECT * FROM runs WHERE run = {int(new)}")
    refuse_other_work(old_run, Settings(new_run["threads"], new_run["repeat"], *(new_run[n] for n in _SAME_WORK)))
    same = "o.map = n.map AND o.map_hash = n.map_hash AND o.algorithm = n.algorithm AND o.options = n.options"
    pairs = (
        "SELECT n.place, n.measurement AS new_one, o.measurement AS old_one, n.map, n.algorithm, n.options, "
        f"greatest(a.time_us, {_LEAST_US}) AS was, "
        f"greatest(b.time_us, {_LEAST_US}) AS is_now, a.suboptimality AS above, b.suboptimality AS above_now, "
        "a.valid AND b.valid AS legal, (a.valid AND NOT b.valid) OR "
        f"(a.status = {int(Status.FOUND)} AND b.status <> {int(Status.FOUND)}) AS lost "
        f"FROM measurements n JOIN {here}.measurements o ON {same} "
        f"JOIN {here}.queries a ON a.measurement = o.measurement "
        "JOIN queries b ON b.measurement = n.measurement AND b.number = a.number AND b.start_x = a.start_x "
        "AND b.start_y = a.start_y AND b.goal_x = a.goal_x AND b.goal_y = a.goal_y "
        f"WHERE n.run = {int(new)} AND o.run = {int(old)}"
    )
    found = store._records(
        "SELECT new_one, old_one, map, algorithm, options, count(*) AS pairs, avg(was) AS old_us, "
        "avg(is_now) AS new_us, avg(ln(is_now / was)) AS mean, "
        f"avg(above_now - above) FILTER (legal) AS worse, count_if(lost) AS lost FROM ({pairs}) "
        "GROUP BY place, new_one, old_one, map, algorithm, options ORDER BY place"
    )
    scatter = _learn_from_store(store, here, old_run, new_run)
    differences, slower = [], []
    for each in found:
        new_one, old_one = each.pop("new_one"), each.pop("old_one")
        now, was = _rounds(store, "main", new_one), _rounds(store, here, old_one)
        each["old_edit_us"], each["new_edit_us"] = _edit_us(store, here, old_one), _edit_us(store, "main", new_one)
        mean = each.pop("mean")
        if _comparable(now, was):
            times = ratio_of_runs(now, was, scatter)
            slower.append(machine_change(now, was))
        else:
            times = ratio_without_rounds(mean)
            now = was = []
        differences.append(Difference(rounds=min(len(now), len(was)), **times._asdict(), **each))
    return Comparison(
        differences,
        _alone(store, f"{here}.measurements", old, "measurements", new),
        _alone(store, "measurements", new, f"{here}.measurements", old),
        [*_made_differently(old_run, new_run), *_note_machine(slower), *_note_rounds(differences)],
    )


def _comparable(now: Sequence[Round], was: Sequence[Round]) -> bool:
    """Tell whether there are enough rounds, all of the same queries beside the same yardstick."""
    return min(len(now), len(was)) >= FEWEST and len({each.sample for each in (*now, *was)}) == 1


def _rounds(store: Store, here: str, measurement: int) -> list[Round]:
    if not _has_table(store, here, "rounds"):
        return []
    found = store.execute(
        f"SELECT round, sample, seconds, yardstick_s FROM {here}.rounds WHERE measurement = ? ORDER BY round",
        [measurement],
    )
    return [Round(*row) for row in found.fetchall()]


def _edit_us(store: Store, here: str, measurement: int) -> float | None:
    """Return the mean time of an edit."""
    if not _has_table(store, here, "edits"):
        return None
    found = store.execute(f"SELECT avg(edit_us) FROM {here}.edits WHERE measurement = ?", [measurement]).fetchone()
    return None if found[0] is None else float(found[0])


def _has_table(store: Store, here: str, table: str) -> bool:
    """Tell whether a store has a table; older ones have not all."""
    found = store.execute(f"SELECT version FROM {here}.about").fetchone()
    return bool(found and found[0] >= SINCE[table])


def _learn_from_store(store: Store, here: str, old_run: dict[str, Any], new_run: dict[str, Any]) -> Scatter:
    """Learn what runs of the same code on the same machine differ by: of the old run's code, and of the new one's.

    The new run itself is left out: what it differs by is the question.
    """
    sources = [(here, old_run)]
    if any(old_run[name] != new_run[name] for name in _SAME_CODE):
        sources.append(("main", new_run))
    groups: list[list[Any]] = []
    for place, run in sources:
        if not _has_table(store, place, "rounds"):
            continue
        alike = " AND ".join(f'"{name}" IS NOT DISTINCT FROM ?' for name in _SAME_CODE)
        found = store.execute(
            "SELECT m.map_hash, m.algorithm, m.options, x.sample, m.run, x.round, x.seconds, x.yardstick_s "
            f"FROM {place}.rounds x JOIN {place}.measurements m USING (measurement) JOIN {place}.runs USING (run) "
            f"WHERE finished IS NOT NULL AND started <> ? AND {alike} ORDER BY m.run, x.round",
            [new_run["started"], *(run[name] for name in _SAME_CODE)],
        )
        by_unit: dict[Any, dict[int, list[Round]]] = defaultdict(lambda: defaultdict(list))
        for *unit, number, turn, seconds, yardstick_s in found.fetchall():
            by_unit[tuple(unit)][number].append(Round(turn, unit[-1], seconds, yardstick_s))
        groups += [
            [quickest_beside(rounds) for rounds in runs.values() if len(rounds) >= FEWEST] for runs in by_unit.values()
        ]
    return learn_scatter(groups)


def _note_machine(changes: Sequence[float]) -> list[str]:
    """Say how much slower or faster the machine was, by its yardstick."""
    change = sum(changes) / max(1, len(changes))
    if abs(change) < _WORTH_SAYING:
        return []
    kind = "slower" if change > 0 else "faster"
    return [f"by the yardstick the machine was {math.exp(abs(change)) - 1:.0%} {kind} than then; ratios allow for that"]


def _note_rounds(differences: Sequence[Difference]) -> list[str]:
    without = sum(each.rounds == 0 for each in differences)
    if not without:
        return []
    return [
        f"{without} of {len(differences)} lines have no rounds of the same queries in both runs: "
        "only a change by a factor of 2 shows there"
    ]


def _alone(store: Store, table: str, run: int, other: str, other_run: int) -> list[str]:
    """Return what one run measured and the other did not."""
    found = store.execute(
        f"SELECT map, algorithm, options FROM {table} m WHERE run = {int(run)} AND NOT EXISTS (SELECT * FROM {other} x "
        f"WHERE x.run = {int(other_run)} AND x.map = m.map AND x.map_hash = m.map_hash "
        "AND x.algorithm = m.algorithm AND x.options = m.options) ORDER BY place"
    ).fetchall()
    return [", ".join(word for word in row if word != "{}") for row in found]
