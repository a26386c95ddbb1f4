# Every target sets up what it needs first: quick when nothing changed, and from a fresh clone on a bare Debian 12.
# Variables: PYTHON (the interpreter to use), ARGS (for pytest in test, for trisynapse in app), JOBS (tests at a time),
# SUITES and DATA (bench), PEERS (bench-peers).

.DEFAULT_GOAL := help
.PHONY: help app test check bench bench-peers bundle screenshots clean setup-app setup-dev

SHELL := /bin/sh
BIN := .venv/bin
SUITES ?= locomo multihop beam nfcorpus xquad ids papers abstention answers citations scale pdf
DATA ?= ../shared/data
# Two, because many tests start programs of their own: the window, the engine, its workers.
JOBS ?= 2
# Numeric libraries spread over all cores unless told; tests on a small machine then wait for each other.
export OMP_NUM_THREADS ?= 1

help: ## say what there is (this list)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

app: setup-app ## open the app; without a display: drive it once offscreen and keep a picture
	@sh packaging/scripts/run_app.sh $(ARGS)

test: setup-dev ## all tests, journeys in a real window included where Xvfb is there; JOBS=0: one after the other
	@echo "test: pytest over tests/, $(JOBS) at a time"
	@$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

check: setup-dev ## lint, format, types, import contracts and the house rules; changes no file, stops at none
	@status=0; \
	for tool in "ruff check ." "ruff format --check ." "pyright --project pyproject.toml" "lint-imports --no-logo" "python -m pytest -q tests/house"; do \
		echo "check: $$tool"; \
		$(BIN)/$$tool || status=1; \
	done; \
	exit $$status

bench: setup-dev ## measure quality and speed on the corpora in DATA, one JSON file a suite in build/bench
	@mkdir -p build/bench
	@for suite in $(SUITES); do \
		echo "bench: $$suite -> build/bench/$$suite.json"; \
		$(BIN)/trisynapse-memory bench $$suite --data $(DATA) --json > build/bench/$$suite.json || exit 1; \
	done

bench-peers: setup-dev ## install the programs that bench --peers measures beside ours, each in its own place in build/peers
	@sh packaging/scripts/peers.sh $(PEERS)

bundle: setup-dev ## build dist/trisynapse, one folder that needs no Python, and try it: answers, a local model, the window
	@sh packaging/scripts/bundle.sh $(ARGS)

screenshots: setup-dev ## pictures of the window, at one and two pixels a point, in build/screenshots
	@sh packaging/scripts/screenshots.sh

clean: ## remove what was built and cached; .venv stays
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find engine trisynapse_desktop tests packaging -name __pycache__ -type d -prune -exec rm -rf {} +

setup-app:
	@sh packaging/scripts/setup.sh app

setup-dev:
	@sh packaging/scripts/setup.sh dev
