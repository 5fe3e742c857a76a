# Everything happens in .venv, which is made when it is missing or does not run any more.
# GNU make 3.81 will do. make run ARGS=--demo hands arguments on; PYTHON=… chooses the interpreter,
# VENV=… another directory than .venv, and CONSTRAINTS=… other versions than those of constraints.txt
# (none at all: the newest).

PYTHON =
ARGS =
FOLDER = build/xterm-pictures
VENV = .venv
CONSTRAINTS = constraints.txt
CANDIDATES = $(PYTHON) python3.13 python3.12 python3.11 python3.14 python3
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
# Where there is a uv that runs it saves most of the time; where it fails, or is none, pip installs.
UV = $(shell for uv in .venv/bin/uv uv; do \
    "$$uv" --version >/dev/null 2>&1 && { command -v "$$uv"; break; }; done)
UV_INSTALL = $(UV) pip install --quiet --compile-bytecode --python $(VENV)/bin/python
CONSTRAINED = $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
# Tests wait for terminals and sockets more than they work.
PROCESSES = $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
PARALLEL = --numprocesses=$(PROCESSES) --dist=worksteal
COVERAGE_FLOOR = 90
WITH_TOOLS = --editable ".[serve,ssh,postgres]" --group $(patsubst development,dev,$(@F))
# Every worker, and every program that a test starts, would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test fast lowest check lint docs screenshots xterm-pictures constraints clean

run: $(VENV)/base
	@$(VENV)/bin/pettui $(ARGS)

test: $(VENV)/development
	$(VENV)/bin/python -m pytest $(PARALLEL) $(ARGS)

# The unit and Pilot tests: no third party takes part, no installed command runs in a pipe, and of a
# table times a table one pass will do.
fast: $(VENV)/test
	$(VENV)/bin/python -m pytest $(PARALLEL) --ignore=tests/peers --ignore=tests/cli/one_shot \
	    -m "not exhaustive" $(ARGS)

# The same with the lowest versions that pyproject.toml allows.
lowest: LOWEST_PYTHON = $(or $(PYTHON),$(VENV)/bin/python)
lowest: $(VENV)/development
	$(VENV)/bin/uv pip compile --quiet --no-header --resolution lowest-direct --all-extras \
	    --python $(LOWEST_PYTHON) --output-file $(VENV)/lowest.txt pyproject.toml
	$(MAKE) fast VENV=$(VENV)-lowest PYTHON=$(LOWEST_PYTHON) CONSTRAINTS=$(VENV)/lowest.txt

# Everything once. To measure takes twice as long, and what is exhaustive covers nothing else; nor do the
# examples of hypothesis, and the peers little. They wait for terminals while the others work.
check: lint
	$(VENV)/bin/coverage erase
	$(VENV)/bin/coverage run -m pytest $(PARALLEL) \
	    -m "not exhaustive and not hypothesis and not peers"
	$(VENV)/bin/coverage combine --quiet
	$(VENV)/bin/coverage report --fail-under=$(COVERAGE_FLOOR)
	HYPOTHESIS_PROFILE=ci $(VENV)/bin/python -m pytest $(PARALLEL) \
	    -m "exhaustive or hypothesis or peers"

lint: $(VENV)/development
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# The tables of README.md and docs/, from the program's own declarations.
docs: $(VENV)/development
	$(VENV)/bin/python -m tests.documentation

screenshots: $(VENV)/development
	$(VENV)/bin/python tests/screenshots.py

# Every screen in a real xterm, in 16, 256 and true colours, dark and light, to be looked at. Debian:
# apt install xterm xvfb xdotool imagemagick
xterm-pictures: $(VENV)/development
	$(VENV)/bin/python -m tests.xterm_pictures $(FOLDER)

# What make installs, on every interpreter, until this is called again.
constraints: $(VENV)/development
	$(VENV)/bin/uv pip compile --quiet --no-header --no-annotate --upgrade --universal \
	    --python-version 3.11 --all-extras --group dev --output-file constraints.txt pyproject.toml

clean:
	rm -rf .venv .venv-* build dist .coverage .coverage.*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find pettui tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps stand inside $(VENV), so that they go when it goes.
$(VENV)/base: pyproject.toml $(CONSTRAINTS) | $(VENV)
	@echo "Installing pettui in $(VENV) …"
	@$(if $(UV),$(UV_INSTALL) $(CONSTRAINED) --editable . ||) \
	    $(PIP) install $(CONSTRAINED) --editable .
	@touch $@

$(VENV)/test $(VENV)/development: pyproject.toml $(CONSTRAINTS) | $(VENV)
	@echo "Installing pettui, its extras and its tests' tools in $(VENV) …"
	@$(if $(UV),$(UV_INSTALL) $(CONSTRAINED) $(WITH_TOOLS) ||) { \
	    $(PIP) install --upgrade "pip>=25.1" && $(PIP) install $(CONSTRAINED) $(WITH_TOOLS); }
	@touch $(VENV)/base $@

ifneq ($(shell $(VENV)/bin/python -c "import pip; print('runs')" 2>/dev/null),runs)
.PHONY: $(VENV) $(VENV)/base $(VENV)/test $(VENV)/development
endif

$(VENV):
	@for python in $(CANDIDATES); do \
	    "$$python" -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || continue; \
	    "$$python" -c "import ensurepip, venv" 2>/dev/null || { \
	        echo "$$python has no venv; install it (Debian: apt install python3-venv)" >&2; exit 1; }; \
	    echo "Making $(VENV) with $$("$$python" --version) …"; \
	    "$$python" -m venv --clear $(VENV); exit; \
	done; \
	echo "pettui needs Python 3.11 or later; none of these is: $(strip $(CANDIDATES))" >&2; exit 1
