"""Packages for rasters, loaded when they are first needed."""

from importlib import import_module
from typing import Any

from waygrid.errors import WaygridError


def load_package(name: str, what: str) -> Any:
    """Return a package of the extra `gis`; without it, an error that says how to install it.

    >>> load_package("no_such_package", "reading a GeoTIFF")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: reading a GeoTIFF needs no_such_package: pip install 'waygrid[gis]'
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise WaygridError(f"{what} needs {name.partition('.')[0]}: pip install 'waygrid[gis]'") from error
