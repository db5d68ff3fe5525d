"""Two runs side by side: what got faster or slower, and is it more than chance?

Runs are compared query by query, where map, rules, algorithm and options are the same. Of the ratios of their times
the geometric mean counts, with an interval that holds the true one with 95 % (Student's t over the logarithms): slow
queries then weigh no more than quick ones, and a ratio and its inverse the same.

The interval knows the chance of single queries, not that of a whole run: a machine that was busy in one of them slows
all queries alike. The threshold is for that.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from waygrid.bench.store import Store
from waygrid.bench.student import student
from waygrid.bench.work import Settings
from waygrid.errors import WaygridError
from waygrid.finders.path import Status

_SHARE = 0.975  # below its upper end; as much above the lower one
_LEAST_US = 1e-3  # a query that the clock did not see
_SAME_WORK = ("max_expansions", "expansions")  # with other ones the searches themselves are others
_SAME_TIMES = ("engine", "threads", "repeat", "cpu")  # with other ones times are apart whatever the code does


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
    old_us: float  # mean time
    new_us: float
    ratio: float  # geometric mean of new time / old time
    low: float  # and its interval
    high: float
    worse: float | None  # mean of new suboptimality - old one, over paths that both found; None: there are none
    lost: int  # queries solved before and not now, or by a path that breaks the rules

    def time_says(self, allowed: Allowed) -> str:
        """Return slower, faster, or same: what lies beyond what is allowed with its whole interval."""
        if self.low > 1 + allowed.time:
            return "slower"
        return "faster" if self.high < 1 / (1 + allowed.time) else "same"

    def quality_says(self, allowed: Allowed) -> str:
        """Return worse, better, or same; costs are exact, so there is no interval."""
        if self.lost or (self.worse is not None and self.worse > allowed.suboptimality):
            return "worse"
        return "better" if self.worse is not None and self.worse < -allowed.suboptimality else "same"

    def regressed(self, allowed: Allowed) -> bool:
        """Tell whether time or quality got worse than allowed."""
        return self.time_says(allowed) == "slower" or self.quality_says(allowed) == "worse"


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
        return _compare(store, f"{_quoted(home)}.main", new, old)
    file, there = old_file.replace("'", "''"), _quoted(f"{home} before")  # never the name of the store itself
    store.execute(f"ATTACH '{file}' AS {there} (READ_ONLY)")
    try:
        return _compare(store, f"{there}.main", new, old)
    finally:
        store.execute(f"DETACH {there}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def refuse_other_work(old: dict[str, Any], settings: Settings) -> None:
    """Refuse a run, as `Store.runs` tells it, whose searches were limited in another way."""
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
        f"SELECT n.place, n.map, n.algorithm, n.options, greatest(a.time_us, {_LEAST_US}) AS was, "
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
        "SELECT map, algorithm, options, count(*) AS pairs, avg(was) AS old_us, avg(is_now) AS new_us, "
        "avg(ln(is_now / was)) AS mean, stddev_samp(ln(is_now / was)) AS spread, "
        f"avg(above_now - above) FILTER (legal) AS worse, count_if(lost) AS lost FROM ({pairs}) "
        "GROUP BY place, map, algorithm, options ORDER BY place"
    )
    return Comparison(
        [_difference(each) for each in found],
        _alone(store, f"{here}.measurements", old, "measurements", new),
        _alone(store, "measurements", new, f"{here}.measurements", old),
        _made_differently(old_run, new_run),
    )


def _alone(store: Store, table: str, run: int, other: str, other_run: int) -> list[str]:
    """Return what one run measured and the other did not."""
    found = store.execute(
        f"SELECT map, algorithm, options FROM {table} m WHERE run = {int(run)} AND NOT EXISTS (SELECT * FROM {other} x "
        f"WHERE x.run = {int(other_run)} AND x.map = m.map AND x.map_hash = m.map_hash "
        "AND x.algorithm = m.algorithm AND x.options = m.options) ORDER BY place"
    ).fetchall()
    return [", ".join(word for word in row if word != "{}") for row in found]


def _difference(found: dict[str, Any]) -> Difference:
    mean, spread, pairs = found.pop("mean"), found.pop("spread"), found["pairs"]
    half = math.inf if pairs < 2 else student(pairs - 1, _SHARE) * spread / math.sqrt(pairs)
    return Difference(ratio=math.exp(mean), low=math.exp(mean - half), high=_exp(mean + half), **found)


def _exp(value: float) -> float:
    return math.inf if value > 700 else math.exp(value)
