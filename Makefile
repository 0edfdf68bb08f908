# `make demo`, `make test` and `make check` each set everything up in .venv on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test check format bench killwalk mutants docs clean
setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[sandbox,official]" --group dev
	# An editable install has no bytecode; where Python may not write it, every command would compile what it loads.
	$(BIN)/python -m compileall -q kubectl_kruise
	touch $(STAMP)

demo: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m demo

# One process per core, though collecting in more than eight costs more than they save. A file stays in one process:
# its tests may share a sandbox or a session with kubectl.
test: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest --numprocesses=logical --maxprocesses=8 \
		--dist=loadfile --no-loadscope-reorder

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m benchmarks

# Kills `migrate` at every request, in every mode, on the cluster of $KUBECONFIG, which has to have the CRDs of Kruise
# and a manager, or `kubectl kruise controller run`: no pod may notice. WAYS="forward undo" walks only those.
killwalk: $(STAMP)
	$(BIN)/python -m tests.killwalk $(WAYS)

# Seeds faults into engine and controller, one at a time: the recordings have to notice each of them.
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants

# Everything that is generated and checked in: completions, man pages, the tour.
docs: $(STAMP)
	$(BIN)/python -m kubectl_kruise.cli.manual.generate
	$(BIN)/python -m demo --write-tour

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
