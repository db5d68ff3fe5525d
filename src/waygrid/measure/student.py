"""Student's t: how far a mean of few numbers may be from the true one."""

from __future__ import annotations

import math
from statistics import NormalDist


def student(degrees: int, share: float) -> float:
    """Return the quantile of Student's t: exact for 1 and 2 degrees of freedom, else by Cornish and Fisher's series.

    From 3 degrees on it is within 0.3 % for a share of 0.975, from 4 on within 0.5 % for 0.99.

    >>> [round(student(degrees, 0.975), 2) for degrees in (1, 2, 5, 1000)]
    [12.71, 4.3, 2.57, 1.96]
    """
    if degrees == 1:
        return math.tan(math.pi * (share - 0.5))
    if degrees == 2:
        return (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    z, n = NormalDist().inv_cdf(share), float(degrees)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )
