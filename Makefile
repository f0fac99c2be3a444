# Every target sets up what it needs first; a second run does nothing twice.
# PYTHON=python3.13 uses that interpreter, in an environment of its own (.venv-python3.13).

.DEFAULT_GOAL := help
SHELL := /bin/bash

VENV := $(if $(PYTHON),.venv-$(notdir $(PYTHON)),.venv)
BIN := $(VENV)/bin
# More words for pytest, for example: make test-fast TESTS="tests/cluster -k codec"
TESTS :=
BENCHMARKS := cli_start describe reassign merge_logs verify_replicas broker replication failover groups compaction
# On all cores; what needs one server stays in one process.  Without bytecode, which containers often
# forbid, collecting takes twice as long, and every process that a test starts compiles kadmin anew.
# The run ends when make is gone, or one who waits for make (tests/support/belongings.py).
ENDS_WITH := TEST_RUN_ENDS_WITH="$$TEST_RUN_ENDS_WITH $$PPID"
PYTEST := $(ENDS_WITH) PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist loadgroup
COMPILE := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 0 --collect-only -q
# Where many tests wait for servers: four processes on two cores.
MANY := $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 2)
# These start no server, speak with none, and are no long computations.  Who is done first takes
# tests from another.
FAST := --dist worksteal -m "not (slow or zk or interop or spark or clients or sockets or browser or faults)"
# COVERAGE=1 also prints the branches that the tests of test-fast reach, by package (tests/conftest.py
# says why not all tests count).
COVERAGE :=
COVER := $(if $(COVERAGE),--cov --cov-report=)
SHOW_COVERAGE := $(if $(COVERAGE),$(BIN)/python -m scripts.coverage_by_package)
# pytest's 5: these words chose no test; without words that would be a mistake.
OR_NONE := $(if $(TESTS),|| [ $$? = 5 ])
RESULTS := .cache/results
into = --junitxml=$(RESULTS)/$(1).xml -o junit_family=xunit1

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Make .venv from the lock and find (or install) a Java 17
	@scripts/setup $(VENV) $(PYTHON)

# The first run of a checkout compiles all tests, which takes a core half a minute: not in each of its
# processes.
.PHONY: compiled
compiled: setup
	@compgen -G 'tests/__pycache__/conftest.*pytest*' >/dev/null || { \
	    $(COMPILE) tests/kadmin & $(COMPILE) tests --ignore tests/kadmin & wait; \
	} >/dev/null

.PHONY: demo
demo: setup ## See kadmin at work on a cluster of its own
	@scripts/demo $(BIN)/kadmin

.PHONY: pictures
pictures: setup ## Draw the pictures of the documents anew, by Chromium
	@$(BIN)/python -m scripts.pictures

.PHONY: test
test: compiled ## Run the tests but for long ones and real Kafka
	SEEDS=$${SEEDS:-10} CRASH_SEEDS=$${CRASH_SEEDS:-100} EXAMPLES=$${EXAMPLES:-20} \
	    $(PYTEST) -n $(MANY) $(COVER) -m "not (interop or long)" $(TESTS) $(OR_NONE)
	@$(SHOW_COVERAGE)

.PHONY: test-all
test-all: compiled ## Run all tests, those with real Kafka where Maven answers, and count them
	@rm -rf $(RESULTS); failed=0; \
	$(PYTEST) $(call into,ours) -m "not interop" $(TESTS) $(OR_NONE) || failed=1; \
	$(PYTEST) $(call into,interop) -m interop $(TESTS) $(OR_NONE) || failed=1; \
	$(BIN)/python -m scripts.results $(RESULTS)/ours.xml $(RESULTS)/interop.xml || failed=1; \
	exit $$failed

.PHONY: flakes
flakes: setup ## Run `make test` RUNS times beside LOADS busy loops, and name what failed once
	@$(BIN)/python -m scripts.flakes --runs $${RUNS:-10} --loads $${LOADS:-4} --together $${TOGETHER:-1}

.PHONY: test-fast
test-fast: compiled ## Run the tests that start no server and compute little: under a minute
	SEEDS=$${SEEDS:-10} CRASH_SEEDS=$${CRASH_SEEDS:-100} EXAMPLES=$${EXAMPLES:-10} $(PYTEST) $(COVER) $(FAST) $(TESTS)
	@$(SHOW_COVERAGE)

.PHONY: sim
sim: setup ## Play SEEDS stories of each plot of the simulator, where the last run stopped
	$(BIN)/python -m tests.sim --seeds $${SEEDS:-1000}

.PHONY: faults
faults: setup ## Break brokers, ZooKeepers, machines, networks for MINUTES under load, as SEED draws it
	$(BIN)/python -m tests.faults --minutes $${MINUTES:-10} --seed $${SEED:-1}

.PHONY: mutants
mutants: setup ## Make MUTANTS small mistakes, drawn by SEED, and print those that no test notices
	$(BIN)/python -m scripts.mutants --count $${MUTANTS:-20} --seed $${SEED:-0}

.PHONY: interop
interop: setup ## Run kadmin against real Kafka releases, which Maven fetches
	$(PYTEST) -m interop $(TESTS) $(OR_NONE)

.PHONY: interop-smoke
interop-smoke: setup ## Run each command once against Kafka 2.8.2 and 3.9.1: under 4 minutes
	$(PYTEST) -m smoke $(or $(TESTS),tests/interop tests/clients) $(OR_NONE)

.PHONY: format
format: setup ## Format the code and sort its imports
	$(BIN)/ruff check --select I --fix --quiet
	$(BIN)/ruff format

# All of them run, so that one run shows all that is to be mended; then it fails if one of them did.
LINTERS := \
	"ruff format --check" \
	"ruff check" \
	"mypy" \
	"mypy docs" \
	"mypy tests bench scripts" \
	"lint-imports" \
	"python docs/generate.py --check" \
	"towncrier build --draft --version next"

.PHONY: lint
lint: setup ## Check format, style, types, layers and generated files
	@failed=(); \
	for linter in $(LINTERS); do \
	    echo "== $$linter"; \
	    $(BIN)/$$linter || failed+=("$$linter"); \
	done; \
	$(BIN)/python -m scripts.sizes; \
	if [ $${#failed[@]} -gt 0 ]; then printf 'failed: %s\n' "$${failed[@]}" >&2; exit 1; fi

.PHONY: docs
docs: setup ## Write completions, man pages and docs/commands.md from the commands
	$(BIN)/python docs/generate.py

.PHONY: bench
bench: setup ## Measure, and print the figures
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python -m bench.$$name || exit 1; done

.PHONY: lock
lock: ## Write the locks anew from pyproject.toml (UPGRADE=1 takes newer versions)
	@scripts/lock $(if $(UPGRADE),--upgrade)

.PHONY: clean
clean: ## Remove environments and caches, not the downloaded Kafka releases
	rm -rf .venv .venv-* .venv*.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
