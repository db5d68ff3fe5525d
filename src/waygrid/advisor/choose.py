"""The rule by which one candidate is recommended, and the reasons of all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from waygrid.advisor.candidate import ENOUGH, Candidate
from waygrid.advisor.limits import FRAME_S, Limits, share_words, size_words, time_words

RULE = (
    "Of all that surely meet the limits, the one that takes the least time for a whole path, where a path twice as "
    "long as the optimum counts twice. Those within 10 % of it count as equally quick; of them the one with the "
    "shortest paths is taken, or, within 0.1 % of these, the smallest index."
)
_AS_QUICK = 1.10
_AS_GOOD = 0.001
_LONG = 0.1  # such a difference between paths is worth a word
_NEAREST = 3


def front_of(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return those that no other beats in quality, response and memory at once, the quickest to respond first."""
    all_of_them = [one for one in candidates if one.measured]
    front = [one for one in all_of_them if not any(_beats(other, one) for other in all_of_them)]
    return sorted(front, key=lambda one: (one.response_us or 0.0, one.name))


def _beats(one: Candidate, other: Candidate) -> bool:
    mine, theirs = (
        (float(each.suboptimality or 0), float(each.response_us or 0), float(each.fixed_bytes or 0))
        for each in (one, other)
    )
    return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def promise(candidate: Candidate, limits: Limits) -> tuple[bool, bool, float]:
    """Return what to sort by when few can be measured further: those within the limits, then the quick ones."""
    within, perhaps = not candidate.find_broken(limits), not candidate.find_broken(limits, surely=True)
    return not perhaps, not within, candidate.effort_us


def choose(candidates: Sequence[Candidate], limits: Limits) -> Candidate | None:
    """Mark those that meet the limits, give all a reason, and return the recommended one, None if none meets them."""
    for one in candidates:
        one.feasible = one.measured and not one.few and not one.find_broken(limits)
    able = [one for one in candidates if one.feasible]
    best = _best(able)
    for one in candidates:
        one.reason = _reason(one, best, limits)
    if best is not None:
        best.reason = _why(best, able)
    return best


def _why(best: Candidate, able: list[Candidate]) -> str:
    if len(able) == 1:
        return "recommended: the only one that meets the limits"
    if best.effort_us == min(one.effort_us for one in able):
        return f"recommended: of the {len(able)} that meet the limits it takes the least time for a whole path"
    return (
        f"recommended: of the {len(able)} that meet the limits none is more than 10 % quicker, "
        "and of those as quick it has the shortest paths, or nearly so and the smallest index"
    )


def _best(able: list[Candidate]) -> Candidate | None:
    if not able:
        return None
    quickest = min(one.effort_us for one in able)
    quick = [one for one in able if one.effort_us <= _AS_QUICK * quickest]
    shortest = min(_above(one) for one in quick)
    good = [one for one in quick if _above(one) <= shortest + _AS_GOOD]
    return min(good, key=lambda one: (one.fixed_bytes or 0, one.effort_us, one.name))


def _above(one: Candidate) -> float:
    return one.suboptimality or 0.0


def _reason(one: Candidate, best: Candidate | None, limits: Limits) -> str:
    if one.out is not None:
        return one.out
    broken = one.find_broken(limits)
    if one.few and not broken:
        return f"measured on {one.problems} problems only, and {ENOUGH} are needed to recommend it"
    if broken or best is None:
        return "; ".join(broken.values())
    if one.effort_us > _AS_QUICK * best.effort_us:
        took, instead = (time_words((each.total_us or 0.0) / 1e6) for each in (one, best))
        longer = f", {share_words(_above(one))} longer than optimal" if _above(one) > _above(best) + _LONG else ""
        return f"meets the limits, but takes {took} for a whole path{longer}; {best.name} takes {instead}"
    if _above(one) > _above(best) + _AS_GOOD:
        longer = share_words(_above(one))
        return f"meets the limits, as quick as {best.name}, but its paths are {longer} longer than optimal"
    return f"meets the limits, as quick and as good as {best.name}, but needs {size_words(one.fixed_bytes or 0)}"


def hard_limit(candidates: Iterable[Candidate], limits: Limits) -> str | None:
    """Name the limit without which most candidates would do, None if no single one stands in the way."""
    freed: dict[str, int] = {}
    for one in candidates:
        broken = one.find_broken(limits) if one.measured else {}
        if len(broken) == 1:
            (name,) = broken
            freed[name] = freed.get(name, 0) + 1
    return max(freed, key=lambda name: freed[name]) if freed else None


def nearest(candidates: Iterable[Candidate], limits: Limits) -> list[Candidate]:
    """Return the candidates that miss the limits by the least factor."""
    measured = [one for one in candidates if one.measured]
    return sorted(measured, key=lambda one: (miss(one, limits), one.name))[:_NEAREST]


def miss(one: Candidate, limits: Limits) -> float:
    """Return the largest factor by which a limit is missed; below 1 none is."""
    pairs = (
        (one.fixed_bytes, limits.memory),
        (one.suboptimality_bound, limits.suboptimality),
        ((one.response_bound_us or 0) / 1e6, limits.response),
        (one.build_s, FRAME_S if limits.updates else None),
    )
    return max((value / max(limit, 1e-6) for value, limit in pairs if value and limit is not None), default=0.0)


def almost(candidates: Iterable[Candidate], best: Candidate, limits: Limits) -> list[str]:
    """Say what would have better paths than the recommended one, and which limit it breaks; one for each limit."""
    said: dict[str, str] = {}
    better = [one for one in candidates if one.measured and one is not best and _above(one) < _above(best) - _AS_GOOD]
    for one in sorted(better, key=lambda each: each.effort_us):
        broken = one.find_broken(limits)
        kind = "+".join(broken)
        if len(broken) == 1 and kind not in said:
            quality = "optimal" if _above(one) == 0 else f"{share_words(_above(one))} above the optimum"
            said[kind] = f"{one.name} would be {quality} but {'; '.join(broken.values())}"
    return list(said.values())
