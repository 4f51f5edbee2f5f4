# make lab          the tour notebook in JupyterLab
# make test         everything: types, lint, Python, front end, browser, notebooks
# make check        the part of it that can be run while one works: no browser, nothing that explores or soaks
# make test-adapters  the recorders of other frameworks, with their CPU builds, in an environment of its own
# make bench        measured beside PyTorch, TensorFlow, JAX and autograd (installs them into .venv-bench)
# make array-api    the array API tests of the data-apis consortium (fetches them), by tests/array_api/run.py
# make strangers    programs that others wrote for TensorFlow, fetched and run with tapeviz in its place
# make nightly      many more examples than `make test` tries, a soak of a million ops, thirty minutes of a training
#                   that is watched (TAPEVIZ_LIVE_MINUTES=3 for three), and 20,000 random programs
#                   (after a stop the same again goes on with the programs: .fuzz says which were run)
# make wheel       dist/: the source distribution and the wheel, tried in an environment with nothing else
# make gpu         all tests and rows that need a GPU, into gpu-results.json; CUDA=cuda12 or cuda13
# make generated    every file that is written from a declaration or a table; a test compares each
# make docs         the documentation as a site, in build/site: notebooks run, tapes alive; opens from disk
# make docs-test    the browser's tests of all of it, where `make test` builds a part and tests that
# make screenshots  the pictures under docs/images, from the running product
#
# Each makes its own environment on first use. PYTHON=... chooses the interpreter.

# Python 3.11 reads where an editable installation lies in the locale's letters, and C has none beyond ASCII.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif

CUDA ?= cuda12
PYTHON ?= $(shell for python in python3.14 python3.13 python3.12 python3.11 python3; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null \
	&& echo $$python && break; done)
RUN := .venv/bin/python
# A process for each core; a browser has all of them.
PYTEST := $(RUN) -m pytest -n auto --dist loadfile
FRONT_END := $(RUN) labextension/front_end.py

.PHONY: lab test test-adapters check bench array-api strangers nightly generated docs docs-test screenshots wheel gpu python environment static

lab: python
	@$(PYTHON) tools/environment.py .venv '.[lab]'
	@$(RUN) -m tools.lab notebooks/tour.ipynb

# What needs other frameworks: one environment, and a process for each. PyTorch's CPU build, where an index has one.
test-adapters: python
	@$(PYTHON) tools/environment.py .venv-adapters '.[torch,cluster]' -rtests/adapters/requirements.txt
	.venv-adapters/bin/python tests/browser/chromium.py
	.venv-adapters/bin/python -m pytest -q tests/adapters/torch tests/notebooks/test_pytorch.py
	.venv-adapters/bin/python -m pytest -q tests/adapters/tensorflow tests/notebooks/test_tensorflow.py
	.venv-adapters/bin/python -m pytest -q tests/adapters/autograd
	.venv-adapters/bin/python -m pytest -q tests/adapters/cluster

test: static
	$(FRONT_END) npm run test
	$(RUN) tests/browser/chromium.py
	$(RUN) -m pytest -m browser
	$(PYTEST) -m 'not browser'

check: static
	$(FRONT_END) npm run test
	$(PYTEST) -q -m 'not slow and not browser and not gpu'

bench: python
	@$(PYTHON) tools/environment.py .venv-bench '.[jit]' -rbenchmarks/requirements.txt
	.venv-bench/bin/python -m benchmarks.run

array-api: python
	@$(PYTHON) tools/environment.py .venv-array-api '.[test]' -rtests/array_api/requirements.txt
	.venv-array-api/bin/python tests/array_api/run.py

strangers: environment
	$(RUN) tests/strangers/run.py

nightly: environment
	$(PYTEST) -q -m nightly
	$(RUN) -m tests.fuzz --seed 100000 --count 20000 --keep .fuzz

wheel: environment
	$(RUN) -m tools.wheel

gpu: python
	@$(PYTHON) tools/environment.py .venv '.[lab,test,$(CUDA)]'
	$(RUN) -m tools.gpu gpu-results.json

generated: environment
	$(RUN) -m tapeviz.recording.codegen
	$(RUN) -m tests.recording.fixtures
	$(RUN) -m tools.view_names
	$(RUN) -m tools.op_index
	$(RUN) -m tools.stubs
	$(RUN) -m tools.reference_page
	$(RUN) -m tools.tensorflow_page
	$(RUN) -m tools.training_page
	$(RUN) tests/structure/public_names.py > public_names.new && mv public_names.new tests/structure/public_names.txt

docs: python
	@$(PYTHON) tools/environment.py .venv '.[lab,docs]'
	$(RUN) -m tools.site build/site

docs-test: environment docs
	$(RUN) tests/browser/chromium.py
	TAPEVIZ_SITE=build/site $(RUN) -m pytest -m browser tests/browser/test_site.py

screenshots: environment
	$(RUN) tests/browser/chromium.py
	$(RUN) -m tools.screenshots

static: environment
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check --quiet
	$(RUN) -m mypy
	$(FRONT_END) npm run check

environment: python
	@$(PYTHON) tools/environment.py .venv '.[lab,test]'

python:
	@test -n '$(PYTHON)' || { echo 'tapeviz needs Python 3.11 to 3.14: apt-get install python3' >&2; exit 1; }
