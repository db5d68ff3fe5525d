"""The types of what kernels take: arrays, whose element types are checked by input validation, and 64-bit integers."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

if TYPE_CHECKING:
    int64 = int  # Numba's int() keeps the width of its argument, so kernels widen by this name
else:
    from numpy import int64

__all__ = ["Array", "int64"]
