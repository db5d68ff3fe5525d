"""Line and bar charts for reports. matplotlib is an extra: it is imported when the first figure is made."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from PIL.Image import Image

# After Okabe and Ito: told apart by most eyes, and in grey by brightness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def require() -> None:
    """Raise the error for a missing matplotlib now, before anything is computed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise WaygridError("figures need matplotlib; install it with: pip install 'waygrid[papers]'") from error


def sheet(columns: int = 1, *, width: float = 7.0, height: float = 4.2) -> tuple[Any, list[Any]]:
    """Return a figure of so many panels in a row, and the panels; drawn by Agg, without pyplot's global state."""
    require()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(1, columns, k + 1) for k in range(columns)]
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_axisbelow(True)
        panel.grid(axis="y", color="0.9", linewidth=0.8)
    return figure, panels


def png(figure: Any, dpi: int = 110) -> bytes:
    """Return the figure as PNG, with a palette: a third of the size, and no difference to see."""
    from PIL import Image

    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dpi)
    return shrink(Image.open(data))


def shrink(image: Image) -> bytes:
    """Return a picture of few colours as a small PNG."""
    from PIL.Image import Dither

    data = io.BytesIO()
    image.convert("RGB").quantize(128, dither=Dither.NONE).save(data, format="PNG", optimize=True)
    return data.getvalue()
