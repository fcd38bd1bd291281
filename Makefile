# Everything runs in .venv, made from the locks by the first target that needs it.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: serve test check sdl lock conformance fuzz

serve: .venv/.ready  ## start on the sample studio
	$(BIN)/studiograph serve

test: .venv/.ready  ## the whole test suite, with coverage
	$(BIN)/pytest --cov --cov-report=term

check: .venv/.ready  ## lint, types, import contracts, drift of generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/studiograph check
	$(BIN)/studiograph schema --check

conformance: .venv/.ready  ## other people's GraphQL clients and audits (needs node and npm)
	npm ci --silent --prefix tests/conformance
	node tests/conformance/conformance.mjs
	node tests/conformance/envelopes.mjs

fuzz: .venv/.ready  ## ten thousand generated requests from the OpenAPI description
	FUZZ_CASES=10000 FUZZ_SEED=$(or $(FUZZ_SEED),1) $(BIN)/pytest -q tests/walks/test_openapi_cases.py -k asked_for

sdl: .venv/.ready  ## write sdl/public.graphql and sdl/full.graphql
	$(BIN)/studiograph schema --out sdl

lock: .venv/.ready  ## resolve pyproject.toml into requirements/*.txt
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/run.txt
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/dev.txt
	echo uv | $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/uv.txt

.venv/.ready: requirements/uv.txt requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements/uv.txt requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --editable .
	touch $@
