"""A machine that is never quiet, by a clock that it turns itself."""

import math
import random

from waygrid.measure.rounds import ROUNDS, RoundPlan, time_turn

YARDSTICK_S = 1e-3


class NoisyMachine:
    """One run's machine: slower or faster than in other runs, drifting, and now and then busy with something else."""

    def __init__(self, seed, *, offset=0.05, unseen=0.02, drift=0.03, bursts=0.5):
        self.chance = random.Random(seed)
        self.now = 0.0
        self.offset = self.chance.gauss(0, offset)  # of all work in this run
        self.unseen = {}  # of single works, which no yardstick shows
        self._unseen, self._drift, self._bursts = unseen, drift, bursts
        self._phase, self._period = self.chance.uniform(0, 6), self.chance.uniform(0.3, 3)
        self._quiet_until, self._busy_until = self.chance.expovariate(bursts), 0.0
        self._factor = 0.0

    def clock(self):
        return self.now

    def work(self, name, seconds):
        """Return work that takes so long on a quiet machine."""
        own = self.unseen.setdefault(name, 0.0 if name == "yardstick" else self.chance.gauss(0, self._unseen))

        def run():
            slow = self.offset + own + self._drift * math.sin(self._phase + self.now / self._period) + self._burst()
            self.now += seconds * math.exp(slow + self.chance.gauss(0, 0.003))

        return run

    def _burst(self):
        """Return how much slower all is while another process is busy."""
        if self.now > self._quiet_until:
            self._busy_until = self.now + self.chance.expovariate(4)
            self._quiet_until = self._busy_until + self.chance.expovariate(self._bursts)
            self._factor = self.chance.uniform(0.2, 0.8)
        return self._factor if self.now < self._busy_until else 0.0


def simulate_run(seed, works, **noise):
    """Return the rounds of each work, by its name, as a benchmark measures them."""
    machine = NoisyMachine(seed, **noise)
    units = [
        RoundPlan(number, "sample", machine.work(name, seconds), 1, list(range(ROUNDS)))
        for number, (name, seconds) in enumerate(works.items())
    ]
    names, rounds = list(works), {name: [] for name in works}
    yardstick = machine.work("yardstick", YARDSTICK_S)
    for _ in range(ROUNDS):
        for number, measured in time_turn(units, yardstick, machine.clock):
            rounds[names[number]].append(measured)
            machine.now += 0.1
    return rounds
