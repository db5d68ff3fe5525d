"""What the authors' own Java does on the same maps and problems: figures to stand beside ours.

Source: the group's public repository ubco-db/database-pathfinding, run by us on a warmed-up JVM 17 on another machine:
the ten maps, the 100 longest problems of each, costs 10/14, corners never; means over the maps. Two states of it: that
of the paper's time (DBA* of all levels, with trimming) and that of 2024 (PRA*, and DBA* of level 1 without trimming).
"""

from __future__ import annotations

from typing import NamedTuple


class Java(NamedTuple):
    """One configuration; suboptimality in percent, times in microseconds, sizes in KB."""

    above: float
    worst: float
    us: float
    us_move: float
    kb: float  # DBA*: paths and the run-length table of next hops
    build_s: float
    slowest_s: float | None = None  # of the ten maps
    paths_kb: float | None = None  # paths alone
    matrix_kb: float | None = None  # paths and the R x R matrix that the paper describes
    regions: int | None = None
    paths: int | None = None
    subgoals: int | None = None


def _dba(
    regions: int,
    above: tuple[float, float],
    us: tuple[float, float],
    paths: tuple[int, int],
    kb: tuple[float, float, float],
    build_s: tuple[float, float],
) -> Java:
    return Java(*above, *us, kb[1], *build_s, kb[0], kb[2], regions, *paths)


# By sector and level: regions; mean and worst; us and us per move; paths and subgoals; KB; seconds.
DBA: dict[tuple[int, int], Java] = {
    (16, 1): _dba(736, (2.33, 9.2), (597, 0.50), (3637, 434), (47, 278, 4476), (0.24, 0.45)),
    (16, 2): _dba(736, (0.93, 5.3), (569, 0.49), (9783, 2872), (129, 539, 4558), (0.51, 0.84)),
    (16, 3): _dba(736, (0.50, 4.0), (539, 0.46), (17739, 8577), (244, 792, 4673), (1.14, 2.00)),
    (16, 4): _dba(736, (0.37, 3.4), (519, 0.44), (27052, 18380), (392, 1067, 4821), (2.50, 4.30)),
    (32, 1): _dba(271, (3.94, 10.8), (595, 0.49), (1080, 315), (15, 61, 613), (0.06, 0.09)),
    (32, 2): _dba(271, (1.63, 7.9), (524, 0.45), (2991, 2046), (44, 131, 642), (0.29, 0.45)),
    (32, 3): _dba(271, (0.87, 5.9), (498, 0.43), (5469, 5946), (88, 208, 686), (1.05, 1.69)),
    (32, 4): _dba(271, (0.70, 5.9), (483, 0.42), (8400, 12626), (149, 297, 746), (2.91, 4.86)),
    (64, 1): _dba(108, (6.65, 23.8), (602, 0.51), (354, 269), (5.6, 16, 102), (0.06, 0.10)),
    (64, 2): _dba(108, (2.23, 9.9), (563, 0.50), (1018, 1565), (18, 40, 115), (0.36, 0.60)),
    (64, 3): _dba(108, (1.18, 8.7), (511, 0.46), (1889, 4386), (40, 70, 136), (1.40, 2.30)),
    (64, 4): _dba(108, (0.79, 8.7), (508, 0.45), (2902, 8960), (69, 109, 166), (3.87, 6.55)),
    (128, 1): _dba(44, (10.00, 29.1), (852, 0.76), (121, 207), (2.4, 5, 19), (0.09, 0.14)),
    (128, 2): _dba(44, (3.43, 19.0), (806, 0.77), (364, 1092), (8.7, 15, 26), (0.54, 0.84)),
    (128, 3): _dba(44, (1.87, 17.3), (769, 0.76), (660, 2800), (19, 27, 36), (1.73, 2.77)),
    (128, 4): _dba(44, (1.49, 17.3), (761, 0.75), (926, 4878), (30, 40, 47), (3.58, 6.24)),
}
# PRA* with its 10 % of trimming (the first leg repaired) and without, by sector.
PRA: dict[int, Java] = {
    16: Java(4.40, 12.2, 782, 0.70, 17, 0.014),
    32: Java(5.59, 14.7, 1117, 0.98, 5.3, 0.014),
    64: Java(7.99, 23.7, 2751, 2.52, 1.8, 0.013),
    128: Java(11.13, 27.2, 7401, 6.25, 0.6, 0.013),
}
PRA_UNTRIMMED: dict[int, Java] = {
    16: Java(5.50, 16.0, 757, 0.66, 17, 0.014),
    32: Java(7.74, 17.0, 1016, 0.87, 5.3, 0.014),
    64: Java(11.67, 34.3, 2481, 2.20, 1.8, 0.013),
    128: Java(16.36, 36.9, 6692, 5.34, 0.6, 0.013),
}
# DBA* of 2024, level 1, as shipped: no trimming; a path's first and last legs by A*.
DBA_UNTRIMMED: dict[int, Java] = {
    16: Java(4.94, 11.7, 156, 0.14, 62, 0.041),
    32: Java(7.34, 16.0, 131, 0.11, 20, 0.037),
    64: Java(11.11, 31.8, 135, 0.11, 7.5, 0.044),
    128: Java(16.03, 36.9, 245, 0.20, 3.4, 0.069),
}
ASTAR = Java(0.0, 0.0, 23836, 22.7, 0.0, 0.0)


def java_of(algorithm: str, sector: int | None, level: int | None, trimmed: bool) -> Java | None:
    """Return the authors' figures for a configuration, None where there are none.

    >>> java_of("dba", 16, 1, True).above, java_of("pra", 128, None, False).us, java_of("hcdps", None, 1, True)
    (2.33, 6692, None)
    """
    if algorithm == "astar":
        return ASTAR
    if algorithm == "pra" and sector is not None:
        return (PRA if trimmed else PRA_UNTRIMMED).get(sector)
    if algorithm == "dba" and sector is not None and level is not None:
        return DBA.get((sector, level)) if trimmed else DBA_UNTRIMMED.get(sector) if level == 1 else None
    return None
