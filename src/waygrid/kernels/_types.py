"""The one type of all arrays that kernels take; their element types are checked at the door, not by the checker."""

from typing import Any, TypeAlias

import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
