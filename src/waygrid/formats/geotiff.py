"""Rasters as GeoTIFF files, through rasterio (``pip install 'waygrid[gis]'``).

As a map, a band holds the cost of entering each cell. Cells without data are walls: those of the band's nodata value,
of its mask, of an alpha band, NaN and infinite ones. A factor that the band declares (GDAL's scale) is what a cost of 1
stands for. waygrid writes weights with nodata 0 for walls, and its scale as that factor, so maps are read back exactly.

`read_raster` and `write_raster` take any numbers, such as elevations.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.costs import Rows, read_cost_source
from waygrid.formats.files import PathLike, reason, replacing
from waygrid.formats.georeference import Affine, Georeference
from waygrid.formats.gis import load_package
from waygrid.formats.mapdata import MapData, check_map, check_size
from waygrid.formats.rules import row_spans

_TILE = 256  # cells per side of the tiles that are written
_CACHE = 2**26  # bytes for blocks of files, which are read once and in order; GDAL would take 5 % of all memory
_NOWHERE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)  # the transform of a file that has none


class Raster(NamedTuple):
    """A band of a raster: its numbers, masked where there is no data, and where its cells lie."""

    values: np.ma.MaskedArray[Any, Any]
    georeference: Georeference | None


@contextmanager
def _opened(path: PathLike) -> Iterator[Any]:
    """Open a GeoTIFF; whatever rasterio and GDAL raise becomes one error."""
    name = os.fspath(path)
    rasterio = load_package("rasterio", f"reading {name}")
    try:
        with open(path, "rb"):  # the system's own message, and no addresses of other machines
            pass
    except (OSError, ValueError) as error:
        raise WaygridError(f"cannot read {name}: {reason(error)}") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # files without coordinates
            with rasterio.Env(GDAL_CACHEMAX=_CACHE), rasterio.open(path, driver="GTiff") as dataset:
                yield dataset
    except WaygridError:
        raise
    except Exception as error:  # rasterio and GDAL raise errors of many classes
        said = " ".join(str(error.__cause__ or error).split())[:200]
        raise WaygridError(f"{name}: a GeoTIFF that cannot be read ({said})") from error


class _BandSource:
    """The costs of a band, read a few rows at a time."""

    def __init__(self, dataset: Any, band: int) -> None:
        self._dataset, self._band = dataset, band
        self.shape: tuple[int, ...] = (dataset.height, dataset.width)
        self.stored = np.dtype(dataset.dtypes[band - 1])
        self.factor, self.offset = float(dataset.scales[band - 1]), float(dataset.offsets[band - 1])
        # A factor on whole numbers is the scale of weights; with floats or an offset, costs are computed.
        self.factor_is_scale = self.offset == 0 and self.factor > 0 and self.stored.kind in "iu"
        self.computed = not self.factor_is_scale and (self.factor, self.offset) != (1, 0)
        self.dtype: np.dtype[Any] = np.dtype(np.float64) if self.computed else self.stored
        self.block_rows = int(dataset.block_shapes[band - 1][0])
        self._masked = [flag.name for flag in dataset.mask_flag_enums[band - 1]] != ["all_valid"]

    def rows(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        window = ((first, last), (0, self.shape[1]))
        values = self._dataset.read(self._band, window=window)
        walls = self._dataset.read_masks(self._band, window=window) == 0 if self._masked else None
        return Rows(values * self.factor + self.offset if self.computed else values, walls)


def read_size(path: PathLike) -> tuple[int, int]:
    """Return width and height without reading any cell: a small file may hold a large map."""
    with _opened(path) as dataset:
        return int(dataset.width), int(dataset.height)


def _choose_band(dataset: Any, band: Any, name: str) -> _BandSource:
    """Return a band by its number, from 1; refuse what is no map."""
    check_size(dataset.width, dataset.height, name)
    if not isinstance(band, (int, np.integer)) or isinstance(band, bool) or not 1 <= band <= dataset.count:
        raise WaygridError(f"{name}: band is {show(band)}; allowed are the integers 1 to {dataset.count}")
    source = _BandSource(dataset, int(band))
    if source.stored.kind not in "iuf":
        raise WaygridError(f"{name}: band {band} holds {source.stored}; allowed are integers and floats")
    return source


def _read_place(dataset: Any, name: str, distortion: str) -> Georeference | None:
    transform, crs = tuple(dataset.transform)[:6], dataset.crs
    if transform == _NOWHERE and not crs:
        return None
    try:
        return Georeference(Affine(*transform), crs, distortion)
    except WaygridError as error:
        raise WaygridError(f"{name}: {error}") from None


def read(
    path: PathLike, *, band: int = 1, scale: Any = None, nodata: Any = None, distortion: str = "refuse"
) -> MapData:
    """Read a map: the costs of a band, a few rows at a time. scale, nodata: as for `Grid.from_costs`."""
    name = os.fspath(path)
    with _opened(path) as dataset:
        source = _choose_band(dataset, band, name)
        place = _read_place(dataset, name, distortion)
        if source.factor_is_scale and source.factor != 1 and scale is not None:
            raise WaygridError(
                f"{name}: scale is {show(scale)}, and band {band} declares its own, {source.factor:g}; leave out scale"
            )
        costs = read_cost_source(source, scale, nodata, f"{name}: ")
    unit = costs.scale * (source.factor if source.factor_is_scale else 1)
    return MapData(costs.walls.view(np.bool_), costs.weights, None, place, unit, costs.rounding)


def write(path: PathLike, data: MapData) -> None:
    """Write a map: 1 for passable cells, or their weights; 0, which is declared as nodata, for walls."""
    data = check_map(data, os.fspath(path))
    kind = np.uint8 if data.weights is None else np.uint16
    with _created(path, data.passable.shape, np.dtype(kind), data.georeference, 0) as dataset:
        if data.scale != 1:
            dataset.scales = (data.scale,)
        for rows in row_spans(data.passable.shape, _TILE):
            block: Any = data.passable[rows].astype(kind)
            if data.weights is not None:
                block *= data.weights[rows]
            _write_rows(dataset, rows, block)


def read_raster(path: PathLike, *, band: int = 1, distortion: str = "refuse") -> Raster:
    """Return the numbers of a band as they are, such as elevations, masked where there is no data, and their place.

    distortion: see `waygrid.Georeference`; cells that are no squares are refused unless it is "ignore".

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_raster(f"{folder}/dem.tif", np.array([[310.5, -1.0]]), Georeference.from_resolution(30), nodata=-1)
    ...     dem = read_raster(f"{folder}/dem.tif")
    >>> dem.values.tolist(), dem.georeference.cell_size
    ([[310.5, None]], 30.0)
    """
    name = os.fspath(path)
    with _opened(path) as dataset:
        source = _choose_band(dataset, band, name)
        values = dataset.read(int(band), masked=True)
        place = _read_place(dataset, name, distortion)
    if (source.factor, source.offset) != (1, 0):
        values = values * source.factor + source.offset
    return Raster(values, place)


def write_raster(
    path: PathLike, values: npt.ArrayLike, georeference: Georeference | None = None, *, nodata: float | None = None
) -> None:
    """Write numbers, such as distances, as a GeoTIFF; masked cells become nodata (default: NaN for floats)."""
    array = np.asanyarray(values)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "biuf":
        raise WaygridError(
            f"{os.fspath(path)}: a raster is an array of (height, width) of numbers, not {array.dtype} of shape "
            f"{array.shape}"
        )
    kind = np.dtype(np.uint8) if array.dtype.kind == "b" else array.dtype
    if nodata is None and kind.kind == "f":
        nodata = np.nan
    masked: Any = np.ma.getmask(array)
    if np.ndim(masked) and masked.any() and nodata is None:
        raise WaygridError(f"{os.fspath(path)}: some cells are masked; pass nodata=, the number that marks them")
    with _created(path, array.shape, kind, georeference, nodata) as dataset:
        for rows in row_spans(array.shape, _TILE):
            block = np.asarray(np.ma.getdata(array[rows])).astype(kind)
            if np.ndim(masked):
                block[masked[rows]] = nodata
            _write_rows(dataset, rows, block)


@contextmanager
def _created(
    path: PathLike, shape: tuple[int, ...], kind: np.dtype[Any], place: Georeference | None, nodata: float | None
) -> Iterator[Any]:
    """Create a GeoTIFF that replaces `path` when it is complete."""
    name = os.fspath(path)
    rasterio = load_package("rasterio", f"writing {name}")
    profile: dict[str, Any] = {
        "driver": "GTiff",
        "height": shape[0],
        "width": shape[1],
        "count": 1,
        "dtype": kind.name,
        "nodata": nodata,
        "compress": "deflate",
        "zlevel": 1,  # costs of 6,000 x 4,000 cells in 0.7 of the time of level 6, and no larger
        "predictor": 3 if kind.kind == "f" else 2 if kind.itemsize < 8 else 1,  # not all versions take 64-bit integers
        "tiled": True,
        "blockxsize": _TILE,
        "blockysize": _TILE,
        "bigtiff": "if_safer",
    }
    if place is not None:
        profile |= {"transform": rasterio.Affine(*place.transform), "crs": place.crs}
    with replacing(path) as temporary:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # files without coordinates
                with rasterio.Env(GDAL_CACHEMAX=_CACHE), rasterio.open(Path(temporary), "w", **profile) as dataset:
                    yield dataset
                with rasterio.Env(GDAL_CACHEMAX=_CACHE), rasterio.open(Path(temporary)) as dataset:
                    _read_all(dataset)
        except WaygridError:
            raise
        except (rasterio.errors.RasterioError, ValueError, TypeError) as error:
            said = " ".join(str(error.__cause__ or error).split())[:200]
            raise WaygridError(f"cannot write {name}: {said}") from error


def _read_all(dataset: Any) -> None:
    """Read all cells that were written: GDAL does not report when the disk is full while it closes a file."""
    for rows in row_spans(dataset.shape, _TILE):
        dataset.read(1, window=((rows.start, rows.stop), (0, dataset.width)))


def _write_rows(dataset: Any, rows: slice, block: npt.NDArray[Any]) -> None:
    dataset.write(block, 1, window=((rows.start, rows.stop), (0, block.shape[1])))
