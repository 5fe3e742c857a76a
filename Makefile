# Everything is installed in .venv, which is created if it is missing or broken. GNU make 3.81 is enough.
# make run ARGS=--demo passes arguments; PYTHON=… chooses the interpreter, VENV=… another directory,
# and CONSTRAINTS=… other versions than those of constraints.txt (if empty, the newest).

PYTHON =
ARGS =
FOLDER = build/xterm-pictures
VENV = .venv
CONSTRAINTS = constraints.txt
CANDIDATES = $(PYTHON) python3.13 python3.12 python3.11 python3.14 python3
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
# uv saves most of the time; if there is none, or it fails, pip installs.
UV = $(shell for uv in .venv/bin/uv uv; do \
    "$$uv" --version >/dev/null 2>&1 && { command -v "$$uv"; break; }; done)
UV_INSTALL = $(UV) pip install --quiet --compile-bytecode --python $(VENV)/bin/python
CONSTRAINED = $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
# Tests mostly wait for terminals and sockets.
PROCESSES = $(shell echo $$((3 * $$(getconf _NPROCESSORS_ONLN))))
PARALLEL = --numprocesses=$(PROCESSES) --dist=worksteal
COVERAGE_FLOOR = 95
WITH_TOOLS = --editable ".[serve,ssh,metrics,postgres,keyring,sheets]" --group $(patsubst development,dev,$(@F))
# Otherwise every worker, and every program that a test starts, compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test fast lowest exhaustive check coverage lint docs screenshots xterm-pictures constraints clean

# The servers need extras, which the tests have, too.
run: $(VENV)/$(if $(filter serve ssh,$(ARGS)),development,base)
	@$(VENV)/bin/pettui $(ARGS)

# Every behaviour, also beside other programs; of a product of tables each value once.
test: $(VENV)/development
	$(VENV)/bin/python -m pytest $(PARALLEL) -m "not exhaustive" $(ARGS)

# The unit and Pilot tests: the same without other programs and without commands in pipes. Some that take
# seconds come first, and again: six processes read all tests before the first one of all runs.
QUICK = $(addprefix tests/,models text rows keyboard settings appearance)
fast: $(VENV)/test
	$(VENV)/bin/python -m pytest -m "not exhaustive" $(QUICK)
	$(VENV)/bin/python -m pytest $(PARALLEL) --ignore=tests/peers --ignore=tests/cli/commands \
	    -m "not exhaustive" $(ARGS)

# The same with the lowest versions that pyproject.toml allows, but for the folders of tui that use
# libraries through its widgets and session alone: they take half of the time.
THROUGH_WIDGETS = detail form list outbox screens transfer
lowest: LOWEST_PYTHON = $(or $(PYTHON),$(VENV)/bin/python)
lowest: $(VENV)/development
	$(VENV)/bin/uv pip compile --quiet --no-header --resolution lowest-direct --all-extras \
	    --python $(LOWEST_PYTHON) --output-file $(VENV)/lowest.txt pyproject.toml
	$(MAKE) fast VENV=$(VENV)-lowest PYTHON=$(LOWEST_PYTHON) CONSTRAINTS=$(VENV)/lowest.txt \
	    ARGS="$(THROUGH_WIDGETS:%=--ignore=tests/tui/%)"

# Products of tables whole, and the long runs with all their kills and clients, of which `make check` makes
# a tenth.
exhaustive: $(VENV)/development
	PETTUI_WHOLE_RUNS=1 HYPOTHESIS_PROFILE=ci $(VENV)/bin/python -m pytest $(PARALLEL) \
	    -m "exhaustive or hypothesis" $(ARGS)

# Every test once.
check: lint $(VENV)/peers
	HYPOTHESIS_PROFILE=ci $(VENV)/bin/python -m pytest $(PARALLEL) $(ARGS)

# Which lines the tests reach; exhaustive tests, hypothesis and peers reach few more. Before Python 3.12,
# which has sys.monitoring, it doubles the time.
coverage: $(VENV)/test
	$(VENV)/bin/coverage erase
	$(VENV)/bin/coverage run -m pytest $(PARALLEL) --ignore=tests/peers \
	    -m "not exhaustive and not hypothesis"
	$(VENV)/bin/coverage combine --quiet
	$(VENV)/bin/coverage report --fail-under=$(COVERAGE_FLOOR)

lint: $(VENV)/development
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/python -m tests.tracked_files

# Fills the tables of README.md and docs/ from the program's own declarations.
docs: $(VENV)/development
	$(VENV)/bin/python -m tests.documentation

screenshots: $(VENV)/development
	$(VENV)/bin/python tests/screenshots.py

# Every screen in a real xterm, in 16, 256 and true colours, dark and light, for a look. Debian:
# apt install xterm xvfb xdotool imagemagick
xterm-pictures: $(VENV)/development
	xvfb-run -a -s "-screen 0 1280x1024x24" $(VENV)/bin/python -m tests.xterm_pictures $(FOLDER)

# Updates the versions that make installs, on every interpreter.
constraints: $(VENV)/development
	$(VENV)/bin/uv pip compile --quiet --no-header --no-annotate --upgrade --universal \
	    --python-version 3.11 --all-extras --group peers --output-file constraints.txt pyproject.toml

clean:
	rm -rf .venv .venv-* build dist .coverage .coverage.*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find pettui tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are inside $(VENV), so that they disappear with it.
$(VENV)/base: pyproject.toml $(CONSTRAINTS) | $(VENV)
	@echo "Installing pettui in $(VENV) …"
	@$(if $(UV),$(UV_INSTALL) $(CONSTRAINED) --editable . ||) \
	    $(PIP) install $(CONSTRAINED) --editable .
	@touch $@

$(VENV)/test $(VENV)/development $(VENV)/peers: pyproject.toml $(CONSTRAINTS) | $(VENV)
	@echo "Installing pettui, its extras and its tests' tools in $(VENV) …"
	@$(if $(UV),$(UV_INSTALL) $(CONSTRAINED) $(WITH_TOOLS) ||) { \
	    $(PIP) install --upgrade "pip>=25.1" && $(PIP) install $(CONSTRAINED) $(WITH_TOOLS); }
	@touch $(VENV)/base $@

ifneq ($(shell $(VENV)/bin/python -c "import pip; print('runs')" 2>/dev/null),runs)
.PHONY: $(VENV) $(VENV)/base $(VENV)/test $(VENV)/development $(VENV)/peers
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
