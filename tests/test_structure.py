"""The shape of the source tree: which package may import which, no cycles, unique names, small files."""

import ast
import collections
import subprocess
from functools import cache
from pathlib import Path

import pytest

import waygrid

pytestmark = pytest.mark.quick

SOURCE = Path(waygrid.__file__).parent

# A package imports from its own level or below, in functions and for type hints too.
LEVELS = (
    ("errors", "folders", "interrupts", "options", "version"),
    ("core", "formats", "maps"),
    ("draw", "grid"),  # a grid draws itself
    ("search",),
    ("build",),
    ("algorithms", "graph"),
    ("crowd",),
    ("measure", "warm"),
    ("bench",),
    ("advisor", "papers", "studio"),
    ("cli",),
    ("__init__", "__main__"),
)
LEVEL = {name: number for number, names in enumerate(LEVELS) for name in names}
LONGEST_FILE = 450


def name_of(file):
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache  # when a test asks, not in every process that collects the tests
def modules():
    return {name_of(file): ast.parse(file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py"))}


def package_of(module):
    return module.split(".")[1] if "." in module else "__init__"


def typing_only(tree):
    """Return the nodes below `if TYPE_CHECKING`."""
    tests = [n for n in ast.walk(tree) if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    return {id(below) for test in tests for below in ast.walk(test)}


def imports(module):
    """Yield what a module imports, anywhere in it, and whether that is for type hints only."""
    tree = modules()[module]
    hints = typing_only(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "waygrid":
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole if whole in modules() else node.module), id(node) in hints
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "waygrid":
                    yield alias.name, id(node) in hints


@cache
def edges():
    return {module: set(imports(module)) for module in modules()}


def test_imports_point_down_only():
    level = {module: LEVEL[package_of(module)] for module in modules()}
    wrong = [
        f"{module} imports {other}" for module in level for other, _ in edges()[module] if level[other] > level[module]
    ]
    assert not wrong, "imports from above"


def test_no_modules_import_each_other_in_a_circle():
    """Type hints do not count: they are not imported when the program runs."""
    left = {
        module: {other for other, hint in others if not hint} & set(modules()) for module, others in edges().items()
    }
    while leaves := [module for module, others in left.items() if not others & set(left)]:
        for module in leaves:
            del left[module]
    # What remains also holds what only imports a circle: take away what nobody in it imports.
    while unwanted := [module for module in left if not any(module in others for others in left.values())]:
        for module in unwanted:
            del left[module]
    assert not left, f"a circle of imports among {sorted(left)}"


def test_names_of_named_tuples_are_unique():
    """Numba tells types of named tuples apart by their names and fields alone."""
    places = collections.defaultdict(list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") == "NamedTuple" for base in node.bases):
                places[node.name].append(module)
    twice = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert not twice


def test_files_are_short():
    lines = {str(file): len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCE.rglob("*.py")}
    assert not {file: count for file, count in lines.items() if count > LONGEST_FILE}


def is_compiled(function):
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)


def parameters(function):
    every = function.args
    return [*every.posonlyargs, *every.args, *every.kwonlyargs]


@cache
def functions():
    return [
        (f"{module}.{node.name}", node)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]


def test_compiled_functions_take_few_arguments():
    """What travels together is a tuple where Python calls compiled code; inside, a function takes what it reads."""
    long = {
        name: len(parameters(node)) for name, node in functions() if is_compiled(node) and len(parameters(node)) > 14
    }
    assert not long


def test_only_compiled_functions_leave_types_out():
    """In kernels a parameter without a type is an array; everywhere else the type checker sees all types."""
    bare = [
        name
        for name, node in functions()
        if not is_compiled(node)
        and (
            any(one.annotation is None and one.arg not in ("self", "cls") for one in parameters(node))
            or not node.returns
        )
    ]
    assert not bare


def test_no_source_file_is_ignored():
    """A wheel leaves out what .gitignore names, such as a package called build."""
    listing = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    done = subprocess.run(listing, cwd=SOURCE.parent.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("this is no checkout")
    assert done.stdout == ""


def test_every_folder_is_a_package():
    folders = {file.parent for file in SOURCE.rglob("*.py")}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]
