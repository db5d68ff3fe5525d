"""Run the notebooks of the documentation and store what they show: `make notebooks`."""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def run(file: Path) -> None:
    """Run one notebook in an empty folder, and store outputs without anything that differs from run to run."""
    notebook = nbformat.read(file, as_version=4)
    notebook.metadata = METADATA
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        NotebookClient(notebook, record_timing=False, coalesce_streams=True, resources=place).execute()
    notebook.metadata = METADATA  # the kernel has added its own
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":  # what is compiled at the first run is reported on standard error
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                output.get("data", {}).pop("image/jpeg", None)  # Pillow shows its images as PNG too
    nbformat.validate(notebook)
    nbformat.write(notebook, file)
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(FOLDER.glob("*.ipynb")):
        run(Path(name))
