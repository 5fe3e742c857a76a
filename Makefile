# Everything happens in .venv, which is made when it is missing or does not run any more.
# GNU make 3.81 will do. make run ARGS=--demo hands arguments on; PYTHON=… chooses the interpreter.

PYTHON =
ARGS =
CANDIDATES = $(PYTHON) python3.13 python3.12 python3.11 python3
PIP = .venv/bin/python -m pip --disable-pip-version-check --quiet
PARALLEL = --numprocesses=auto --dist=worksteal
# Minutes of faults and fuzzing: make test runs them, and nothing else would be covered by them.
UNMEASURED = --ignore=tests/peers/test_schemathesis.py --ignore=tests/peers/test_ssh_leaks.py \
    --ignore-glob="tests/peers/test_*kill*.py"
COVERAGE_FLOOR = 90

.PHONY: run test check lint screenshots clean

run: .venv/base
	@.venv/bin/pettui $(ARGS)

test: .venv/development
	.venv/bin/python -m pytest $(PARALLEL) $(ARGS)

check: lint
	.venv/bin/coverage erase
	.venv/bin/coverage run -m pytest $(PARALLEL) $(UNMEASURED)
	.venv/bin/coverage combine --quiet
	.venv/bin/coverage report --fail-under=$(COVERAGE_FLOOR)

lint: .venv/development
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

screenshots: .venv/development
	.venv/bin/python tests/screenshots.py

clean:
	rm -rf .venv build dist .coverage .coverage.*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find pettui tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps stand inside .venv, so that they go when it goes.
.venv/base: pyproject.toml | .venv
	@echo "Installing pettui in .venv …"
	@$(PIP) install --editable .
	@touch $@

.venv/development: pyproject.toml | .venv
	@echo "Installing pettui, its extras and its tests' tools in .venv …"
	@$(PIP) install --upgrade "pip>=25.1"
	@$(PIP) install --editable ".[serve,ssh,postgres]" --group dev
	@touch .venv/base $@

ifneq ($(shell .venv/bin/python -c "import pip; print('runs')" 2>/dev/null),runs)
.PHONY: .venv .venv/base .venv/development
endif

.venv:
	@for python in $(CANDIDATES); do \
	    "$$python" -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || continue; \
	    "$$python" -c "import ensurepip, venv" 2>/dev/null || { \
	        echo "$$python has no venv; install it (Debian: apt install python3-venv)" >&2; exit 1; }; \
	    echo "Making .venv with $$("$$python" --version) …"; \
	    "$$python" -m venv --clear .venv; exit; \
	done; \
	echo "pettui needs Python 3.11 or later; none of these is: $(strip $(CANDIDATES))" >&2; exit 1
