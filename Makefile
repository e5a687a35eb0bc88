# make demo    tables out of the example pages
# make test    everything that must hold: style, types, walls, tests
# make quality the methods against real pages with truth, where the data is at hand; fails below the pinned floors
# make speed   ratios against lxml, measured in one run
#
# Each does its own set-up: a Python 3.11 or newer and pip are all that it needs.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
SCORE  ?= ../shared/score/score.py

.PHONY: setup demo test lint types walls unit quality speed clean

setup: $(VENV)/.ready

# Made again only when what is to be installed has changed.
$(VENV)/.ready: pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "unweave needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "cannot make $(VENV): on Debian, install the package python3-venv"; exit 1; }
	@echo "Installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]" --group dev
	@touch $@

demo: setup
	@$(BIN)/unweave records --format table examples/products.html examples/twocolumn.html examples/table.html

test: lint types walls unit

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: setup
	@$(BIN)/mypy

walls: setup
	@$(BIN)/lint-imports

unit: setup
	@$(BIN)/pytest

quality: setup
	@$(BIN)/python -m bench.quality --data $(DATA) --score $(SCORE)

speed: setup
	@$(BIN)/python -m bench.speed --data $(DATA)

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .data
