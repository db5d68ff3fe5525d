# `make run` and `make test` set up everything they need in .venv; only Python 3.11+, pip and make must be there.
# On Windows they run in Git Bash.
SHELL  := bash
PYTHON ?= $(if $(filter Windows_NT,$(OS)),python,python3)
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TREES  := src tests benchmarks examples docs
unexport PYTHONDONTWRITEBYTECODE  # pytest would rewrite every test module in every process again

.PHONY: run test check lint types unit quick lowest coverage lists docs notebooks bounds torture browser wheel pure-wheel clean

run: $(VENV)/.run
	$(BIN)/python examples/first_path.py --out out

test: lint types unit  # everything that must pass before a change lands

check: lint types quick  # what finds most mistakes, in under two minutes

lint: $(VENV)/.test
	$(BIN)/ruff check $(TREES)
	$(BIN)/ruff format --check $(TREES)

types: $(VENV)/.test
	$(BIN)/mypy

unit: $(VENV)/.test browser
	$(BIN)/python -m pytest -n 2 $(PYTEST)

quick: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m quick tests $(PYTEST)

lowest:  # the quick tests with the lowest versions that pyproject.toml allows; Python 3.11 or 3.12
	PIP_CONSTRAINT=$(CURDIR)/requirements-lowest.txt $(MAKE) quick VENV=.venv-lowest

# The tests as they are, and then every algorithm as plain Python, where the lines of kernels count.
coverage: $(VENV)/.test browser
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -n 2 --cov --cov-report= $(PYTEST)
	for script in tests/core/test_without_jit.py tests/graph/test_without_jit.py; do \
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run $$script >/dev/null || exit 1; done
	$(BIN)/python -m coverage combine --append --quiet
	$(BIN)/python -m coverage report --sort=cover

lists: $(VENV)/.run  # the lists in README and docs that come from the code
	$(BIN)/python docs/lists.py

docs: $(VENV)/.docs  # the site, in out/site
	$(BIN)/python -m sphinx -W --keep-going -n -q -d out/doctrees docs out/site
	@echo "open out/site/index.html"

notebooks: $(VENV)/.docs  # runs docs/notebooks/*.ipynb and stores what they show
	$(BIN)/python docs/run_notebooks.py

bounds: $(VENV)/.test  # the kernels with every index checked; slow to compile, not part of `test`
	WAYGRID_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 tests/algorithms tests/core tests/grid tests/search

torture: $(VENV)/.test  # attacks with random inputs, MINUTES for each program: docs/hardening.md
	$(BIN)/python tests/torture/all.py --minutes $(or $(MINUTES),10)

browser:  # of the studio's tests; they are left out where it cannot be installed
	@command -v chromium >/dev/null || test -n "$$WAYGRID_CHROMIUM" \
	|| { test "$$(id -u)" = 0 && apt-get -qq update && apt-get -qq -y install --no-install-recommends chromium; } >/dev/null 2>&1 \
	|| echo "Chromium is not installed: the studio's tests in a browser are left out (apt-get install chromium)"

wheel: pure-wheel  # and one with kernels compiled for this Python, Numba and kind of processor; takes minutes
	rm -rf out/packs
	$(BIN)/python -m waygrid.warm.packs out/packs
	WAYGRID_PACKS=$(CURDIR)/out/packs $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	ls -l dist/*.whl

pure-wheel: $(VENV)/.run
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/pyvenv.cfg
	$(PIP) --editable '.[bench,cluster,gis,papers,robots,studio]'
	touch $@

$(VENV)/.docs: requirements-docs.txt $(VENV)/.run
	$(PIP) --requirement requirements-docs.txt
	touch $@

$(VENV)/.test: requirements-test.txt requirements-docs.txt $(VENV)/.run
	$(PIP) --requirement requirements-test.txt
	touch $@

clean:
	rm -rf $(VENV) .venv-lowest dist out .coverage .pytest_cache .mypy_cache .ruff_cache
