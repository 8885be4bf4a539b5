# `make run` and `make test` need nothing but Python 3.11 or newer with its `venv`; all else lands in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
RUNS := $(VENV)/.runs
FIXTURE ?= fixtures/hermes_json_tags.jinja
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help setup run test lint check format golden schema readme bench deep e2e clean

help: ## this list
	@sed -n 's/^\([a-z0-9]*\):.*## /\1	/p' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "untemplate needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

$(RUNS): pyproject.toml | $(BIN)/python
	@echo "installing untemplate and what it needs into $(VENV) …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "installing untemplate and all that its tests need into $(VENV): this takes minutes …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(RUNS)

setup: $(INSTALLED) ## .venv with everything the other targets need

run: $(RUNS) ## compile a template and show what was found: the first thing to try
	$(BIN)/untemplate compile $(FIXTURE) -o out
	$(BIN)/untemplate inspect $(FIXTURE)

test: setup ## all tests but the long ones
	$(PYTEST)

lint: setup ## format, style, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: lint test ## what CI runs

format: setup ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: setup ## rewrite golden/ from fixtures/; read the diff before you commit it
	$(BIN)/untemplate golden update

schema: setup ## rewrite docs/spec.schema.json from the model
	$(BIN)/python -m untemplate.spec.schema docs/spec.schema.json

readme: setup ## rewrite the output of the README's examples
	$(BIN)/python -m tests.readme

bench: setup ## what is measured of speed and size, each as a ratio within one run; FULL=1: over whole corpora
	$(BIN)/python -m benchmarks $(if $(FULL),--full)

deep: setup ## thousands of random cases, whole corpora
	HYPOTHESIS_PROFILE=deep $(PYTEST) -m deep
	HYPOTHESIS_PROFILE=deep $(PYTEST) tests/property

e2e: setup ## generate turns under our grammars in real engines
	UNTEMPLATE_E2E=full $(PYTEST) tests/e2e

clean: ## all that the other targets made
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
