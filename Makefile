# Needs Python 3.11 or later and make, nothing else: every target sets up .venv by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := requirements-dev.lock
SITE := build/docs
UV := uv==0.13.9
AUDIT := pip-audit==2.9.0
# Those of a guest are in its folder.
THEOREMS := parte/proofs/rocq $(wildcard parte/languages/*/proofs/rocq)

.PHONY: help setup demo test test-all test-whole quick campaign lint format types imports unit docs regenerate benchmark artefact paper release lock audit clean rocq rocq-setup rocq-told go-setup playground playground-setup

help:
	@echo "make demo       run the worked examples"
	@echo "make test       lint, types, import rules, tests"
	@echo "make test-all   the same with the exhaustive tests, which take longer than these"
	@echo "make test-whole the same with every test, where test-all takes a sample of many that are alike"
	@echo "make quick      the tests that the change since the last commit calls for, for two minutes"
	@echo "make docs       build the documentation as a site, to be opened at $(SITE)/index.html"
	@echo "make playground build the playground, for 'parte playground' and the site; make playground-setup installs what it needs, as root"
	@echo "make rocq       rebuild the theorems, of a guest too, checked by Rocq; make rocq-setup installs what it needs, as root"
	@echo "make campaign   attack at random, ten minutes each: CAMPAIGN=name SECONDS=n SEED=n PROCESSES=n"
	@echo "make regenerate everything in the sources that is made from other sources"
	@echo "make benchmark  measure"
	@echo "make artefact   make the numbers of the documentation again: build/artefact/artefact.md; with QUICK=1 in ten minutes"
	@echo "make paper      build the paper with the numbers of make artefact: build/paper/parte.pdf"
	@echo "make release    build and try sdist, wheel and archives of the suites, with a report, in dist/; needs the network"
	@echo "make format     reformat the sources"
	@echo "make lock       resolve $(LOCK) anew from pyproject.toml"
	@echo "make audit      ask for known vulnerabilities of what $(LOCK) pins; needs the network"
	@echo "make clean      remove $(VENV) and the caches"

setup: $(STAMP)

$(STAMP): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "error: Python 3.11 or later is needed, but '$(PYTHON)' is not one; name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "error: '$(PYTHON)' cannot create virtual environments (modules venv and ensurepip); on Debian and Ubuntu install the package python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(LOCK)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP)
	$(BIN)/parte demo

test: SELECTED := -m 'not exhaustive'
test-all: SELECTED := -m 'not whole'
test test-all test-whole: lint types imports unit rocq-told

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadgroup --hypothesis-profile=ci $(SELECTED)

rocq-setup:
	@command -v apt-get >/dev/null || { echo "error: no apt-get here; install Coq 8.16 and OCaml by other means, so that 'coqc' and 'ocamlopt' are found" >&2; exit 1; }
	@test "$$(id -u)" = 0 || { echo "error: apt-get installs as root only; call 'make rocq-setup' as root" >&2; exit 1; }
	apt-get update --quiet --quiet
	DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends coq ocaml-nox libzarith-ocaml-dev

# A template of adapters is written in Go; without it the tests build none.
go-setup:
	@command -v go >/dev/null || { apt-get update --quiet --quiet && DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends golang-go; }

rocq:
	@command -v coqc >/dev/null || { echo "error: 'coqc' is not found; 'make rocq-setup' installs it" >&2; exit 1; }
	@set -e; for folder in $(THEOREMS); do $(MAKE) --no-print-directory -C $$folder; done

rocq-told:
	@for folder in $(THEOREMS); do $(MAKE) --no-print-directory --question -C $$folder 2>/dev/null || echo "The theorems in $$folder were not rebuilt: 'make rocq' does that."; done

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

quick: $(STAMP)
	$(BIN)/python -m tests.quick

campaign: $(STAMP)
	$(BIN)/python -m tests.campaigns $(CAMPAIGN) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(PROCESSES),--processes $(PROCESSES))

# Node and npm build the page, Chromium is what its tests drive.
playground-setup:
	@missing=; for each in node:nodejs npm:npm chromium:chromium; do command -v "$${each%:*}" >/dev/null || missing="$$missing $${each#*:}"; done; \
	test -z "$$missing" || { apt-get update --quiet --quiet && DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends $$missing; }

playground: $(STAMP)
	$(BIN)/python -m playground.build

# From nothing, for what is not read again warns of nothing.
docs: $(STAMP)
	@test -e build/playground || ! command -v npm >/dev/null || $(BIN)/python -m playground.build || true
	@test -e build/playground || echo "The playground will not be in the site: 'make playground' builds it, with Node and npm."
	rm -rf $(SITE)
	$(BIN)/python -m sphinx -W -q -d $(SITE).trees -E docs $(SITE)
	@echo "The site: $(SITE)/index.html; 'parte playground' serves it together with the playground"

# Which rules fire in the cases, which case tells each mutant and which lemma each control, the generated files that git keeps, formatting, lock: in the order of need.
regenerate: $(STAMP)
	$(BIN)/parte suite admit --all
	$(BIN)/python -m parte.conformance.mutants
	$(BIN)/python -m parte.conformance.controls
	$(BIN)/python -m docs.generate
	$(BIN)/ruff format .
	$(MAKE) lock

# Twice, in empty environments, with the suites of all languages; needs the network.
release: $(STAMP)
	$(BIN)/python -m release

benchmark: $(STAMP)
	$(BIN)/python -m benchmarks

artefact: $(STAMP)
	$(BIN)/python -m docs.artefact $(if $(QUICK),--quick)

# The compiler is large and nothing else needs it, so that it has an environment of its own.
paper:
	@$(PYTHON) -m docs.paper --check
	$(PYTHON) -m venv --clear $(VENV)/paper-tools
	$(VENV)/paper-tools/bin/python -m pip install --quiet --disable-pip-version-check $$($(VENV)/paper-tools/bin/python -m docs.paper --needs)
	$(VENV)/paper-tools/bin/python -m docs.paper

# Pins and hashes for every supported Python and platform; no index is named, so any mirror serves.
lock:
	$(PYTHON) -m venv --clear $(VENV)/lock-tools
	$(VENV)/lock-tools/bin/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	$(VENV)/lock-tools/bin/uv pip compile pyproject.toml --extra dev --extra z3 --extra spark --extra experiments --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --upgrade \
		--quiet --output-file $(LOCK)

# In an environment of its own, as the lock is resolved; --no-deps, for the lock is complete, and --disable-pip, for nothing is installed.
audit:
	$(PYTHON) -m venv --clear $(VENV)/audit-tools
	$(VENV)/audit-tools/bin/python -m pip install --quiet --disable-pip-version-check '$(AUDIT)'
	$(VENV)/audit-tools/bin/pip-audit --strict --require-hashes --disable-pip --no-deps -r $(LOCK)

clean:
	for folder in $(THEOREMS); do $(MAKE) --no-print-directory -C $$folder clean; done
	rm -rf $(VENV) playground/node_modules build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
