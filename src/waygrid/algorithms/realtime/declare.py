"""Real-time searches: bounded work for each move of an agent."""

from waygrid.algorithms.realtime import steps
from waygrid.algorithms.regions.declare import DATABASE, UNPRICED
from waygrid.options import Choice, Integer, Mask, Number
from waygrid.search.declaration import AlgorithmInfo, Detail

_LOOKAHEAD = Integer(1, "moves that are looked ahead", least=1, greatest=16, unit="moves")
_MAX_MOVES = Integer(None, "give up after so many; default: 100 per passable cell", least=1, unit="moves")

LEARNED = {"learned": Detail("Learned values", "cells whose h the agent has raised so far")}

ALGORITHMS = (
    AlgorithmInfo(
        "lrta",
        "LRTA*: looks a few moves ahead, learns and moves; real-time, not optimal",
        f"{DATABASE}, section 2.3; Korf",
        real_time=True,
        one_way=False,
        find_walks=True,
        options={"lookahead": _LOOKAHEAD, "max_moves": _MAX_MOVES},
        settings=({"lookahead": 1}, {"lookahead": 2}),
        pseudo_code=steps.LRTA,
        details=LEARNED,
        place="realtime.lrta:Lrta",
        page="real-time.md#lrta",
        memory="none; 11 to 21 bytes per learned cell",
    ),
    AlgorithmInfo(
        "tba",
        "TBA*: one A* spread over the moves of an agent; real-time, not optimal",
        f"{DATABASE}, section 2.3; Björnsson, Bulitko and Sturtevant",
        real_time=True,
        one_way=False,
        find_walks=True,
        options={
            "expansions": Integer(10, "work per move of `find`, in expansions", least=1, unit="expansions"),
            "split": Number(0.9, "share of it that expands; the rest traces paths back", above=0, greatest=1),
            "max_moves": _MAX_MOVES,
        },
        # Work per move: shorter ways for longer steps.
        settings=({"expansions": 10}, {"expansions": 50}, {"expansions": 250}),
        open_list="f",
        pseudo_code=steps.TBA,
        place="realtime.tba:Tba",
        page="real-time.md#tba",
        memory="none; 64 to 128 bytes per generated cell",
    ),
    AlgorithmInfo(
        "dstar-lite",
        "D* Lite: an agent whose map may be wrong repairs its plan when it sees walls; waits while it plans",
        "D* Lite (Koenig and Likhachev)",
        real_time=True,
        one_way=False,
        find_walks=True,
        options={
            "radius": Integer(5, "how far an agent sees, diagonals count as one", least=1, unit="cells"),
            "known": Mask(None, "cells that agents believe to be passable; default: those that are when they start"),
            "max_moves": _MAX_MOVES,
        },
        pseudo_code=steps.DSTAR_LITE,
        open_list="hidden",
        place="realtime.dstar_lite:DstarLite",
        aliases=("d* lite", "dstar", "d*"),
        page="real-time.md#dstar-lite",
        memory="none; 53 to 107 bytes per touched cell",
    ),
    AlgorithmInfo(
        "dlrta",
        "D LRTA*: LRTA* towards subgoals from a table over groups of cells; real-time, not optimal",
        f"{DATABASE}, section 2.3; Bulitko et al.",
        index=True,
        follows="checked",
        falls_back=("lrta",),
        agents_fall_back=("lrta",),
        real_time=True,
        **UNPRICED,
        find_walks=True,
        options={
            "level": Integer(
                None, "of the abstraction; default: the first with at most 2500 nodes", least=1, greatest=16
            ),
            "lookahead": _LOOKAHEAD,
            "max_moves": _MAX_MOVES,
        },
        # Lower levels have more groups: shorter ways, larger tables, longer builds.
        settings=({}, {"level": 3}, {"level": 5}),
        pseudo_code=steps.DLRTA,
        details=LEARNED,
        place="realtime.dlrta:Dlrta",
        page="real-time.md#dlrta",
        memory="none; about 5 bytes of index per passable cell",
    ),
    AlgorithmInfo(
        "knn-lrta",
        "kNN LRTA*: LRTA* along the subgoals of a similar problem, solved before; real-time, not optimal",
        f"{DATABASE}, section 2.3; Bulitko, Björnsson and Lawrence",
        index=True,
        follows="checked",
        falls_back=("lrta",),
        agents_fall_back=("lrta",),
        real_time=True,
        **UNPRICED,
        find_walks=True,
        options={
            "records": Integer(
                None, "random problems solved; default: one per 2 cells, 256 to 8192", least=1, unit="problems"
            ),
            "nearest": Integer(10, "records that are tried", least=1, unit="records"),
            "fallback": Choice(
                "record",
                "where none can be climbed to and from: the nearest, or the goal as in the paper",
                choices=("record", "goal"),
            ),
            "seed": Integer(0, "of the random problems", least=0),
            "max_moves": _MAX_MOVES,
        },
        settings=({}, {"nearest": 50}),
        pseudo_code=steps.KNN_LRTA,
        details=LEARNED,
        place="realtime.knn_lrta:KnnLrta",
        page="real-time.md#knn-lrta",
        memory="some 15 bytes of index at most, and as `lrta`",
    ),
    AlgorithmInfo(
        "sglrta",
        "sgLRTA*: LRTA* along a tree of subgoals made for its goal; real-time, small maps only",
        f"{DATABASE}, section 2.4; Hernández and Baier",
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("jps+", "astar"),
        agents_fall_back=("lrta",),
        real_time=True,
        **UNPRICED,
        find_walks=True,
        options={
            "max_cells": Integer(
                50_000, "larger maps are refused: time and memory grow by the square", least=1, unit="cells"
            ),
            "max_moves": _MAX_MOVES,
        },
        pseudo_code=steps.SGLRTA,
        details=LEARNED,
        place="realtime.sglrta:SgLrta",
        page="real-time.md#sglrta",
        memory="8 bytes of index per node, some hundreds of nodes",
    ),
)
