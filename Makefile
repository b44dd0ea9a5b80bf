# Every command a person needs; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

DEVICE ?= cpu
ifeq ($(DEVICE),cpu)
VENV := .venv
SET := requirements/cpu.lock
else ifeq ($(DEVICE),gpu)
VENV := .venv-gpu
SET := requirements/gpu.txt
else
$(error DEVICE is '$(DEVICE)': it is cpu or gpu)
endif
PY := $(VENV)/bin/python

.PHONY: help serve install test check lint prompts format bench docs resolve-gpu clean dev system

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
	@echo "DEVICE=gpu uses the GPU set, in .venv-gpu; settings: docs/settings.md"

serve: install  ## install what is missing, then start everything and answer on 127.0.0.1:8000
	@$(if $(filter gpu,$(DEVICE)),HOTSHELF_DEVICE=gpu) exec $(VENV)/bin/hotshelf serve

install: $(VENV)/.hotshelf  ## install the pinned set and the project into .venv

test: dev system lint prompts  ## check the code and the templates, then run every test, the real language model's too
	@$(PY) -m pytest $(if $(shell command -v nvidia-smi),,-m "not gpu") $(ARGS)

check: dev lint  ## check the code and run the tests that need no language model
	@$(PY) -m pytest -m "not engine and not gpu" $(ARGS)

lint: dev  ## ruff, its formatter, mypy and the layers
	@$(PY) -m ruff check --no-cache .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-cache >$(VENV)/layers.log || { cat $(VENV)/layers.log; exit 1; }
	@echo "Layers kept"

prompts: install  ## name what in the templates would cost reuse: hotshelf check prompt
	@$(VENV)/bin/hotshelf check prompt \
	    $(if $(HOTSHELF_TEST_MODEL_DIR),--model $(HOTSHELF_TEST_MODEL_DIR))

format: dev  ## let ruff mend and format the code
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

bench: install  ## time to first token, beside the bare engine
	@exec $(PY) -m benchmarks.ttft $(ARGS)

docs: install  ## write the tables that are made from the code
	@$(VENV)/bin/hotshelf settings --markdown >docs/settings.md
	@for page in events openai metrics catalog-api; do \
	    $(PY) -m serving.documents $$page >docs/$$page.md; \
	done

resolve-gpu: $(VENV)/.venv-made  ## see that the GPU set's dependencies resolve, installing nothing
	@echo "Resolving the GPU set"
	@timeout 600 $(PY) -m pip install --disable-pip-version-check --quiet --dry-run \
	    --ignore-installed --report $(VENV)/gpu.json -r requirements/gpu.txt 2>$(VENV)/gpu.log \
	    || { tail -n 20 $(VENV)/gpu.log >&2; echo "hotshelf: the GPU set does not resolve" >&2; exit 1; }
	@$(PY) -c 'import json; \
	    found = {i["metadata"]["name"].lower(): i["metadata"]["version"] \
	             for i in json.load(open("$(VENV)/gpu.json"))["install"]}; \
	    print("The GPU set resolves:", len(found), "packages, vllm", found["vllm"], \
	          "torch", found["torch"])'

clean:  ## remove the environments and caches; your data in .hotshelf stays
	@rm -rf .venv .venv-gpu .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

dev: $(VENV)/.dev

system:
	@requirements/system.sh

# The stamps: each is newer than what it was made from, and made only by a whole installation.
$(VENV)/.venv-made:
	@for python in python3.11 python3 python; do \
	    $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' \
	        2>/dev/null && break; \
	    python=; \
	done; \
	[ -n "$$python" ] || { echo "hotshelf: needs Python 3.11 with venv (Debian: python3.11-venv);" \
	    "none of python3.11, python3 and python is that" >&2; exit 1; }; \
	[ "$$(uname -sm)" = "Linux x86_64" ] || { echo "hotshelf: the pinned sets are for Linux x86_64;" \
	    "this is $$(uname -sm)" >&2; exit 1; }; \
	echo "Making $(VENV)"; \
	$$python -m venv $(VENV)
	@touch $@

$(VENV)/.set: $(SET) requirements/install.sh $(VENV)/.venv-made
	@echo "Installing the pinned $(DEVICE) set into $(VENV) (once)"
	@requirements/install.sh $(VENV) $(DEVICE)
	@touch $@

$(VENV)/.hotshelf: pyproject.toml $(VENV)/.set
	@requirements/install.sh $(VENV) hotshelf
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.hotshelf
	@requirements/install.sh $(VENV) dev
	@touch $@
