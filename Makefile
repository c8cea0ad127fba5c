# Each target does all its own set-up: a fresh machine needs Python >= 3.10, make, gcc and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Steps of the set-up; each is redone when pyproject.toml changes.
BASE := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

.PHONY: dataset test test-slow explore test-compat check format tokenizer bench clean

dataset: $(BASE)  ## build the default dataset, print three rows and the stats
	$(BIN)/warp-cuda-pairs build paired --num-proc $$(nproc) --show 3

test: $(DEV)  ## the whole fast suite
	$(BIN)/pytest -m "not slow and not browser and not train and not gpu and not ray and not slurm and not s3" -n $$(nproc) --dist loadfile

test-slow: $(DEV)  ## what takes longer than 30 seconds a test
	$(BIN)/pytest -m "slow and not ray and not slurm and not s3"

.PHONY: test-gpu
test-gpu: $(DEV)  ## level gpu on this machine's GPU; skips where there is none
	$(BIN)/pytest -m gpu -rs tests/verify

explore: $(DEV)  ## the property tests on examples that no run has seen
	HYPOTHESIS_PROFILE=explore $(BIN)/pytest -m "not slow" tests/kernels tests/curate tests/codegen

test-compat: $(DEV)  ## load a built folder with old and new versions of datasets; downloads them
	$(BIN)/python -m tests.compat.run

check: $(DEV)  ## formatting, lint, types, import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

BROWSER := $(VENV)/.installed-browser
.PHONY: test-browser
test-browser: $(BROWSER)  ## the report page in headless Chromium, which is installed if missing
	@if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then \
	  if [ "$$(id -u)" != 0 ]; then \
	    echo "Chromium is missing. As root: apt-get install chromium chromium-driver" >&2; exit 1; fi; \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver; fi
	$(BIN)/pytest -m browser tests/browser

TRAIN := $(VENV)/.installed-train
.PHONY: test-train
test-train: $(DEV)  ## three steps of training with the trainers' own commands, on the CPU; installs PyTorch and TRL
	@if [ $(TRAIN) -nt pyproject.toml ] || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[train]"; then \
	  touch $(TRAIN) && HF_HUB_OFFLINE=1 $(BIN)/pytest -m train tests/train; \
	else echo "make test-train: PyTorch and TRL cannot be installed here; the training tests are SKIPPED" >&2; fi

tokenizer: $(BASE)  ## train configs/tokenizer.json again
	$(BIN)/python tools/train_tokenizer.py

BENCH ?=
bench: $(BASE)  ## one table of ratios: beside Warp, datasets, tokenizers; memory; growth. BENCH=--quick or --long
	$(BIN)/python -m benchmarks $(BENCH)

.PHONY: test-faults audit
test-faults: $(DEV)  ## what a build survives: kills, disks, damage, candidates that crash, hostile inputs; a table at the end
	$(BIN)/pytest -s tests/scale/test_fault_table.py tests/scale/test_attempts.py tests/scale/test_faults.py \
	  tests/cli/test_hostile.py tests/test_security.py

.PHONY: test-ray test-slurm test-s3
test-ray: $(DEV)  ## a build on a Ray cluster of two nodes on this machine, its workers, a node and the driver killed
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[ray]"; then \
	  $(BIN)/pytest -s -m ray tests/scale/test_ray.py; \
	else echo "make test-ray: Ray cannot be installed here; its tests are SKIPPED" >&2; fi

test-slurm: $(DEV)  ## a build through a Slurm cluster of this machine alone; installs slurm-wlm if missing, as root
	@if ! command -v slurmctld >/dev/null && { [ "$$(id -u)" != 0 ] || \
	    ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm >/dev/null; }; }; then \
	  echo "make test-slurm: slurm-wlm cannot be installed here; its tests are SKIPPED" >&2; \
	elif ! $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[slurm]"; then \
	  echo "make test-slurm: datatrove cannot be installed here; its tests are SKIPPED" >&2; \
	else $(BIN)/pytest -m slurm tests/scale/test_slurm.py; fi

S3_SERVER := $(VENV)/s3-server
test-s3: $(DEV)  ## a folder sent to a server of S3 (moto, in an environment of its own), senders killed
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[s3]" && $(PYTHON) -m venv $(S3_SERVER) && \
	  $(S3_SERVER)/bin/python -m pip install --quiet --disable-pip-version-check "moto[server]>=5"; then \
	  S3_SERVER=$(S3_SERVER)/bin/moto_server $(BIN)/pytest -m s3 tests/scale/test_s3.py; \
	else echo "make test-s3: s3fs and moto cannot be installed here; its tests are SKIPPED" >&2; fi

audit: $(BASE)  ## known weaknesses of the installed packages, as far as pip-audit's database knows them
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit || true
	@$(BIN)/python -m tools.audit

.PHONY: mutation
mutation: $(BASE)  ## plant errors in generated code and count how many verification finds; takes minutes
	$(BIN)/python -m tools.mutation

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(BASE): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@ $(BASE)

$(BROWSER): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[browser]"
	touch $@ $(BASE)
