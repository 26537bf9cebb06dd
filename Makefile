PYTHON ?= python3
PIP = .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
# The one dependency without a wheel, pure Python: built by the pinned setuptools, not by whatever is newest.
SOURCE = --no-build-isolation --no-binary connection-pool
BIN = .venv/bin
# A comparison and a gate, so that docs/dag.md shows their rules too.
DAG_EXAMPLE = 'comparisons=[{a: smollm2/warmup, b: smollm2/warmup-prose}]' 'gates=[truncated <= 50 %]'

.PHONY: help run summary report test test-unit check test-browser test-dynamo test-slurm bench format dag

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  %-13s %s\n", $$1, $$2 }'

run: .venv/run.ok  ## set up, evaluate the demonstration, show its table
	@started=$$($(BIN)/python -c 'import time; print(time.time())'); $(BIN)/snakemake --cores all --quiet rules progress host && $(BIN)/python -m seedbed summary --skip-if-reported-since $$started

summary: .venv/run.ok  ## the tables, the verdict and the report of what is there, also while a run goes on
	@$(BIN)/python -m seedbed summary

report: .venv/run.ok  ## results/report-single.html: the report in one file, to send; long texts are shortened
	@$(BIN)/python -m seedbed report --single-file

test: .venv/test.ok check  ## all tests, linters, formatters, types
	$(BIN)/python -m pytest --numprocesses 3 --dist loadfile --ignore tests/slurm --ignore tests/dynamo --ignore tests/browser --ignore tests/client/test_dynamo.py
	$(MAKE) --no-print-directory test-browser test-slurm test-dynamo

test-unit: .venv/test.ok  ## the unit tests, in less than a minute
	$(BIN)/python -m pytest tests/unit --numprocesses 3 --dist worksteal

bench: .venv/test.ok  ## what things cost: figures and ratios, some minutes on a quiet machine
	@for part in client scoring reruns statistics catalogue report report_page; do $(BIN)/python -m tests.bench.$$part; done

test-browser: .venv/test.ok  ## the report in a real Chromium; its scripts and style, linted
	PYTHON=$(BIN)/python sh tests/browser/run.sh

test-dynamo: .venv/test.ok .venv-dynamo/ok  ## against NVIDIA Dynamo's own frontend and simulated workers
	PYTHON=$(BIN)/python DYNAMO_PYTHON=$(CURDIR)/.venv-dynamo/bin/python sh tests/dynamo/run.sh

test-slurm: .venv/test.ok  ## the failure matrix on a real Slurm of its own, loopback only
	PYTHON=$(BIN)/python sh tests/slurm/run.sh

check: .venv/test.ok  ## linters, formatters and types
	$(BIN)/ruff check scripts tests
	$(BIN)/ruff format --check scripts tests
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache pyproject.toml
	$(BIN)/python -m tests.workflow.lint

format: .venv/test.ok  ## write the code in the form that check asks for
	$(BIN)/ruff check --fix scripts tests
	$(BIN)/ruff format scripts tests
	$(BIN)/snakefmt Snakefile rules

dag: .venv/run.ok  ## results/dag.svg: the jobs of the run and their states; docs/dag.md: the rules and their files
	@$(BIN)/python -m seedbed dag
	@$(BIN)/python -m seedbed dag --rules docs/dag.md --config $(DAG_EXAMPLE)

.venv/run.ok: envs/build.lock envs/run.lock pyproject.toml
	@echo "setting up .venv: about a minute"
	@$(PYTHON) -m venv .venv
	@$(PIP) --requirement envs/build.lock
	@$(PIP) $(SOURCE) --requirement envs/run.lock
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/test.ok: .venv/run.ok envs/test.lock
	@$(PIP) $(SOURCE) --requirement envs/test.lock
	@touch $@

# What Dynamo declares besides asks for a host that is not always there: hence itself without dependencies.
.venv-dynamo/ok: envs/dynamo.lock envs/dynamo-itself.lock
	@echo "setting up .venv-dynamo: a minute or two"
	@$(PYTHON) -m venv .venv-dynamo
	@$(subst .venv/,.venv-dynamo/,$(PIP)) --requirement envs/dynamo.lock
	@$(subst .venv/,.venv-dynamo/,$(PIP)) --no-deps --requirement envs/dynamo-itself.lock
	@touch $@
