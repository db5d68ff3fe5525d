"""The notebooks of the documentation run, and store what they print and show; no Jupyter is needed for that."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 400_000  # bytes


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def code_cells(file):
    return [cell for cell in read(file)["cells"] if cell["cell_type"] == "code"]


def run_cell(source, namespace):
    """Run a cell and return what its last line gives, as a notebook does; None if that is no expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)


@pytest.mark.quick
def test_there_are_two():
    assert [file.stem for file in NOTEBOOKS] == ["first_steps", "watching_a_search"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_gives_what_it_stores(file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"display": lambda *values: None}
    for cell in code_cells(file):
        value = run_cell("".join(cell["source"]), namespace)
        printed = ["".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream"]
        assert capsys.readouterr().out == "".join(printed), "run `make notebooks`"
        results = [output["data"] for output in cell["outputs"] if output["output_type"] == "execute_result"]
        assert len(results) == (value is not None)
        if value is not None and "text/html" in results[0] and not isinstance(value, np.ndarray):  # NumPy's may change
            assert "".join(results[0]["text/plain"]) == repr(value), "run `make notebooks`"
            assert "".join(results[0]["text/html"]).startswith("<div><div><b>")


@pytest.mark.quick
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_small_and_says_nothing_of_the_machine(file):
    text = file.read_text(encoding="utf-8")
    assert len(text) < LARGEST
    notebook = read(file)
    assert notebook["metadata"]["kernelspec"] == {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert sorted(notebook["metadata"]) == ["kernelspec", "language_info"]
    shown = json.dumps(notebook["cells"])
    shown = re.sub(r"base64,[\w+/=]+", "", re.sub(r'"image/png": "[\w+/=\\]+"', "", shown))
    assert not re.search(r"/home/|/root|/tmp|/Users/|[A-Z]:\\\\|\.venv| at 0x|site-packages", shown)
    cells = code_cells(file)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["outputs"] for cell in cells)
    assert not any(output["output_type"] == "error" for cell in cells for output in cell["outputs"])
    assert "data:image/png;base64," in text


@pytest.mark.quick
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_links_of_a_notebook_lead_somewhere(file):
    texts = "".join("".join(cell["source"]) for cell in read(file)["cells"] if cell["cell_type"] == "markdown")
    links = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", texts)
    assert links
    for target in links:
        assert (FOLDER / target).is_file(), target
