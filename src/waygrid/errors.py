"""The one error that bad input raises."""


class WaygridError(ValueError):
    """Bad input, told in one sentence: the value, the place and what is allowed.

    >>> raise WaygridError("cell (3, 9) is outside the map of 4 x 4 cells")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: cell (3, 9) is outside the map of 4 x 4 cells
    """
