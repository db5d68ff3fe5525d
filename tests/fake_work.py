"""A build that is quick and known in advance, for tests; run as a program it builds in a process of its own."""

import sys
import time

import numpy as np

KEY = "fake-1"


class FakeWork:
    """Pieces that only depend on the source: one row each, or none to three; may nap, fail, and notes what it ran."""

    scratch_bytes = 1000

    def __init__(self, total, *, even=False, nap=0.0, fail=None, output_bytes=None):
        self.total, self.even, self.nap, self.fail = total, even, nap, fail
        self.output_bytes = sum(a.nbytes for a in self.truth().values()) if output_bytes is None else output_bytes
        self.ran = []

    def truth(self, first=0, last=None):
        sources = np.arange(first, self.total if last is None else last)
        boxes = np.stack([sources * 7, sources % 5], axis=1).astype(np.uint16)
        if self.even:
            return {"boxes": boxes, "sums": (sources * sources).astype(np.int64)}
        return {"boxes": boxes, "runs": np.repeat(sources, sources * 7919 % 4).astype(np.int32)}

    def scratch(self):
        return []

    def run(self, scratch, first, last):
        for source in range(first, last):
            if self.nap:
                time.sleep(self.nap)
            if source == self.fail:
                raise ArithmeticError(f"source {source}")
        self.ran.append((first, last))
        return self.truth(first, last)

    @property
    def sources_run(self):
        return sum(last - first for first, last in self.ran)


def same(made, truth):
    """Tell whether arrays are equal to the byte, and read-only."""
    return list(made) == list(truth) and all(
        made[name].dtype == array.dtype
        and made[name].shape == array.shape
        and made[name].tobytes() == array.tobytes()
        and not made[name].flags.writeable
        for name, array in truth.items()
    )


def register(total=4000, nap=0.01):
    """Add an algorithm `slow` whose index is the fake one."""
    import sys
    from types import ModuleType

    from waygrid.algorithms.classic.best_first import Dijkstra
    from waygrid.build.indexed import IndexedFinder
    from waygrid.build.sweep import sweep
    from waygrid.search.declaration import AlgorithmInfo
    from waygrid.search.registry import declared

    class Slow(IndexedFinder, Dijkstra):
        def _build(self):
            return sweep(FakeWork(total, nap=nap), self._plan, KEY)

    module = sys.modules["waygrid.algorithms.fake_slow"] = ModuleType("fake_slow")
    module.Slow = Slow
    declared()["slow"] = AlgorithmInfo(
        "slow", "a slow build", "none", index=True, blocked=False, place="fake_slow:Slow"
    )


def main():
    """Build slowly and say so; end by Ctrl-C with what it tells, by kill -9 with nothing."""
    from waygrid.build.sweep import BuildInterrupted, plan_of, sweep

    def tell(done, total, left):
        print(done, flush=True)

    options = {"progress": tell, "threads": 2}
    if len(sys.argv) > 1:
        options["memory"] = int(sys.argv[1])
    try:
        sweep(FakeWork(4000, nap=0.01), plan_of(options), KEY)
    except BuildInterrupted as stop:
        print("stopped", stop.done, stop.total, stop.kept, flush=True)
        sys.exit(130)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "cli":
        from waygrid.cli import main as command_line

        register(int(sys.argv[2]))
        sys.exit(command_line(sys.argv[3:]))
    main()
