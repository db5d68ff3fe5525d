"""The parts of an index, one after the other: the graph of the spots, its hierarchy, the labels; and what is kept."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from waygrid import interrupts
from waygrid.algorithms.contraction.hierarchy import STRIP, Arcs, contract
from waygrid.algorithms.contraction.labels import HubLabels, write_labels
from waygrid.algorithms.contraction.neighbours import join_spots
from waygrid.algorithms.contraction.tiles import Tiles
from waygrid.build.pieces import Pieces
from waygrid.build.progress_bar import split_progress
from waygrid.build.sweep import BuildInterrupted, Plan, build_key
from waygrid.build.workers import Piece
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid

VERSION = 1  # of what is kept; a higher one when it means something else, or nodes go in another order
_ENDLESS = 2**62


class _Kept:
    """What later builds need not repeat: the strips that are contracted, then in their place the whole hierarchy."""

    def __init__(self, grid: Grid, nodes: int, strip: int, plan: Plan) -> None:
        key, self._nodes = {"strip": strip}, nodes
        self.strips, self.hierarchy = (
            Pieces(
                build_key(f"ch-{part}", grid.fingerprint(), key, VERSION),
                total,
                _ENDLESS,
                spooling=False,
                watch=plan.watch,
            )
            for part, total in (("strips", max(1, nodes)), ("hierarchy", 1))
        )

    @property
    def sources(self) -> int:
        """The sources of the graph and the hierarchy that need not be repeated; strips need the graph drawn again."""
        return 2 * self._nodes if self.hierarchy.kept else self.strips.kept_rows("order")

    def find(self) -> Arcs | None:
        """Return the hierarchy of an earlier build."""
        pieces = self.hierarchy.take()
        return Arcs(**pieces[0].arrays) if pieces else None

    def add(self, made: Arcs) -> None:
        """Keep the hierarchy, from now on instead of the strips."""
        self.hierarchy.add(Piece(0, 1, made._asdict()))
        self.hierarchy.save()
        if self.hierarchy.kept:
            self.strips.close(remove=True)

    def save(self) -> None:
        """Write what is not in a file yet, if the build has run long enough."""
        with interrupts.saving(), suppress(WaygridError):
            self.strips.save()
            self.hierarchy.save()

    def close(self, *, remove: bool = False) -> None:
        """Close the files, and remove them if the build has succeeded."""
        self.strips.close(remove=remove)
        self.hierarchy.close(remove=remove)


def build_labels(grid: Grid, tiles: Tiles, plan: Plan, strip: int = STRIP) -> tuple[Arcs, HubLabels]:
    """Return the hierarchy of the spots and their labels.

    The spots are the sources of three parts, each of which counts them once.
    """
    nodes, threads = len(tiles.spots), plan.threads
    parts, done = split_progress(plan.progress, 3 * [nodes]), 0
    kept = _Kept(grid, nodes, strip, plan)
    try:
        made = kept.find()
        if made is None:
            edges = join_spots(grid, tiles, replace(plan, progress=parts[0]))
            done = nodes
            made = contract(edges, threads, strip, parts[1], kept.strips)
            del edges
            kept.add(made)
        done = 2 * nodes
        labels = write_labels(made, threads, progress=parts[2])
        kept.close(remove=True)
    except BaseException as end:
        kept.save()
        if not isinstance(end, KeyboardInterrupt) or nodes == 0:
            raise
        drawn = end.kept if isinstance(end, BuildInterrupted) else 0
        done += end.done if isinstance(end, BuildInterrupted) else 0
        raise BuildInterrupted(done, 3 * nodes, drawn + kept.sources) from end
    finally:
        kept.close()
    return made, labels
