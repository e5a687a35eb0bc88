# make demo    tables of the example pages
# make test    style, types, layer contracts and all tests
# make fast    the tests without a browser, a database or a cluster that are not slow, about a minute
# make quality the methods against real pages with truth, if the data is available; fails below the
#              pinned floors (METHODS=auto measures the default only; the papers' methods take longest)
# make speed   ratios to lxml, measured in one run, and the time from dropping a page to its table
# make docs    the documentation as a site in site/; fails at a warning or a link that leads nowhere
# make release sdist and wheel in dist/, checked, and the wheel installed and run in a new environment
# make fuzz    mutated pages through all verbs for MINUTES=5, from SEED=0 on; failures go to .fuzz site dist
#
# Each target sets up .venv itself: it needs Python 3.11 or newer and pip.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
SCORE  ?= ../shared/score/score.py
METHODS ?= auto,mdr,depta,depta:improved,ctvs,ctvs:improved
SEED    ?= 0
MINUTES ?= 5

.PHONY: setup browser postgres venv-without-ensurepip demo test lint types imports unit fast quality speed docs release fuzz clean

setup: $(VENV)/.ready

# Installed again only when pyproject.toml or this file has changed.
$(VENV)/.ready: pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "unweave needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || $(MAKE) --no-print-directory venv-without-ensurepip
	@echo "Installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]" --group dev
	@touch $@

# Debian has ensurepip in a separate package: install it, or use a pip that exists already.
venv-without-ensurepip:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Debian's python3-venv ..."; \
	  (apt-get update -qq && apt-get install -y -qq python3-venv) >/dev/null && $(PYTHON) -m venv --clear $(VENV); \
	else \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; \
	fi || { echo "cannot make $(VENV): on Debian, install the package python3-venv"; exit 1; }

demo: setup
	@$(BIN)/unweave records --format table examples/twocolumn.html examples/products.html examples/table.html

test: lint types imports unit

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: setup
	@$(BIN)/mypy

imports: setup
	@$(BIN)/lint-imports

# Browser tests run in the system's Chromium or the one in UNWEAVE_CHROMIUM; Playwright needs libatomic.
browser:
	@have() { [ -n "$$UNWEAVE_CHROMIUM" ] || command -v chromium chromium-browser google-chrome >/dev/null; }; \
	loads() { $(PYTHON) -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null; }; \
	if ! have || ! loads; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Debian's chromium and libatomic1 ..."; \
	    (apt-get update -qq && apt-get install -y -qq chromium libatomic1) >/dev/null; \
	  else \
	    echo "The browser tests need Chromium and libatomic (Debian: apt-get install chromium libatomic1)"; exit 1; \
	  fi; \
	fi

# Tests of databases start their own PostgreSQL server on a socket; only the programs are needed.
postgres:
	@if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Debian's postgresql ..."; \
	    (apt-get update -qq && apt-get install -y -qq postgresql) >/dev/null; \
	  else \
	    echo "The tests of databases need PostgreSQL (Debian: apt-get install postgresql)"; exit 1; \
	  fi; \
	fi

unit: setup browser postgres
	@$(BIN)/pytest -n auto --dist loadfile

fast: setup
	@$(BIN)/pytest -n auto --dist loadfile -m "not slow and not browser and not postgres and not ray"

quality: setup
	@$(BIN)/python -m bench.quality --data $(DATA) --score $(SCORE) --methods $(METHODS)
	@$(BIN)/python -m bench.list_names --data $(DATA) --score $(SCORE)
	@$(BIN)/python -m bench.fit --data $(DATA) --score $(SCORE)
	@$(BIN)/python -m bench.clusters --data $(DATA)
	@$(BIN)/python -m bench.news --data $(DATA) --score $(SCORE)
	@$(BIN)/python -m bench.text_shipped --data $(DATA) --score $(SCORE)
	@$(BIN)/python -m bench.detail --data $(DATA) --score $(SCORE) --seeds 1
	@$(BIN)/python -m bench.site --pages 1000

speed: setup browser
	@$(BIN)/python -m bench.speed --data $(DATA)
	@$(BIN)/python -m bench.growth
	@$(BIN)/python -m bench.studio --data $(DATA)

$(VENV)/.docs $(VENV)/.release: $(VENV)/.%: $(VENV)/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group $*
	@touch $@

docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

release: $(VENV)/.release
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/check-wheel-contents dist/*.whl
	@$(BIN)/python -m bench.install dist/*.whl --check

fuzz: setup
	@$(BIN)/python -m fuzz --seed $(SEED) --minutes $(MINUTES)

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .data .fuzz site dist
