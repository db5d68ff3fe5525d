"""A bench that only pretends to build and measure, by a clock that it turns itself."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from waygrid.advisor.builds import Forecast, TooLong
from waygrid.advisor.measure import Sample, Times
from waygrid.errors import WaygridError


class Kind(NamedTuple):
    """What an algorithm is like."""

    above: float = 0.0
    spread: float = 0.0  # of `above`, between problems
    response_us: float = 10.0
    move_us: float = 1.0
    size: int = 0
    build_s: float = 0.0
    forecast_s: float | None = None
    query_s: float = 1e-4
    unsolved: int = 0
    refused: str = ""
    gain: float | None = None  # on a small copy of the map


class FakeMemory(NamedTuple):
    fixed_bytes: int
    agent_bytes: int = 0


class FakeFinder(NamedTuple):
    memory: FakeMemory


class FakeBench:
    """Knows kinds by the names of ways, or of algorithms."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.now = 0.0
        self.taken = []

    def clock(self):
        return self.now

    def _kind(self, way):
        return self.kinds.get(way.name) or self.kinds[way.algorithm]

    def compile(self, way):
        self.now += 100.0  # however long it takes, it is not counted
        if self._kind(way).refused:
            raise WaygridError(self._kind(way).refused)

    def forecast(self, way, enough_s):
        seconds = self._kind(way).forecast_s
        return None if seconds is None else Forecast(seconds, self._kind(way).size)

    def build(self, way, allowed_s):
        kind = self._kind(way)
        self.now += min(kind.build_s, allowed_s)
        if kind.build_s > allowed_s:
            raise TooLong(kind.build_s)
        return FakeFinder(FakeMemory(kind.size)), kind.build_s

    def probe_s(self, finder, way):
        self.now += self._kind(way).query_s
        return self._kind(way).query_s

    def measure_sample(self, finder, way, count, each_s):
        kind = self._kind(way)
        self.now += 3 * count * kind.query_s
        self.taken.append((way.name, count))
        above = np.full(count - kind.unsolved, kind.above)
        above[::2] += kind.spread
        above[1::2] -= kind.spread
        times = np.full(count, kind.response_us)
        return Sample(
            above,
            times,
            kind.response_us,
            100 * kind.move_us,
            kind.move_us,
            count,
            kind.unsolved,
            None,
            8,
            kind.above == 0,
        )

    def time_again(self, finder, way, count):
        kind = self._kind(way)
        self.now += count * kind.query_s
        return Times(kind.response_us, 100 * kind.move_us)

    def gain_on_copy(self, way, best):
        return self._kind(way).gain


class NoisyBench(FakeBench):
    """On a machine that is busy half of the time, for a while each time."""

    def __init__(self, kinds, seed):
        super().__init__(kinds)
        self._chance = np.random.default_rng(seed)
        self._slow, self._until = 1.0, 0.0

    def _slowdown(self):
        if self.now > self._until:
            self._slow = float(self._chance.choice([1.0, self._chance.uniform(1.2, 2.0)]))
            self._until = self.now + self._chance.exponential(0.5)
        return self._slow * float(self._chance.normal(1, 0.01))

    def measure_sample(self, finder, way, count, each_s):
        sample, slow = super().measure_sample(finder, way, count, each_s), self._slowdown()
        slower = (sample.response_us * slow, sample.response_mean_us * slow, sample.total_us * slow)
        return replace(sample, response_us=slower[0], response_mean_us=slower[1], total_us=slower[2])

    def time_again(self, finder, way, count):
        response, total = super().time_again(finder, way, count)
        slow = self._slowdown()
        return Times(response * slow, total * slow)
