# On a fresh machine with python3 (3.11 or newer) and make, every target sets itself up.
#   make demo    set up, then real agents and the screen on them
#   make test    set up, then the whole test suite
#   make test-quick    what needs no screen, queue or framework: about a minute, for the one who changes a line
# Another Python: make test PYTHON=python3.13 VENV=.venv-313

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Tests start hundreds of processes of ours; compiling what each loads, each time, would take most of their time.
unexport PYTHONDONTWRITEBYTECODE

# A file goes to one worker, so that what its fixtures make once is made once; tests/conftest.py says in which order.
# Most tests wait for two thirds of their time, so that seven workers keep two cores busy.
SIDE_BY_SIDE := --numprocesses 7 --dist loadfile --no-loadscope-reorder

comma := ,

.PHONY: clients client-screenshot demo test test-quick test-floors torture probes differential mutants corpora fuzz check format bench usability api screenshots clean help

help:
	@sed -n '1,6p' Makefile

$(VENV)/.demo: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "signoff needs Python 3.11 or newer; $(PYTHON) is older. Try: make $(MAKECMDGOALS) PYTHON=python3.13"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once) ..."
	@$(PIP) install -e '.[demo]'
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.demo
	@echo "setting up $(VENV) for tests (once) ..."
	@$(PIP) install -e '.[dev]'
	@touch $@

$(VENV)/.bench: pyproject.toml $(VENV)/.dev
	@echo "setting up $(VENV) for measurements (once) ..."
	@$(PIP) install -e '.[bench]'
	@# It asks for all of pydantic-ai, and needs what the slim package has.
	@$(PIP) install --no-deps 'pydantic-ai-blocking-approval>=0.9'
	@touch $@

demo: $(VENV)/.demo
	@$(BIN)/signoff demo

test: $(VENV)/.dev
	@sh scripts/install-programs.sh tmux strace zsh vim chromium curl jq bwrap faketime pgbouncer
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

QUICK := $(addprefix tests/,config core filter policy present seeds text tools tui/guard tui/state tui/text)
# These measure limits, check types, play with random data, or try what many programs say of themselves.
THOROUGH := $(addprefix tests/,core/test_import_weight.py policy/test_help_options.py policy/test_shell_limits.py \
	policy/test_shell_parsing.py policy/test_redaction_limits.py present/test_reveal_properties.py \
	present/test_reveal_typing.py tools/test_beneath_swapped.py tools/test_os_profile.py tools/test_paths_kernel.py \
	tools/test_unchanged_files.py tui/guard/test_guard_robots.py)

test-quick: $(VENV)/.dev
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) --numprocesses 2 $(QUICK) $(THOROUGH:%=--ignore=%)

# The tests with the oldest versions of everything that pyproject.toml allows, in two environments: frameworks ask for
# newer versions of pydantic, websockets and Jinja2 than the rest. What wants the tools of `make check`, or a server of
# MCP, is left out. Agents of ConnectOnion run here with its oldest version, in `make test` with its newest: of what we
# use it pins nothing, so that it changes no other version there.
FLOORS := .venv-floors
LIBRARY := $(FLOORS)/policy+postgres+server
FRAMEWORKS := $(FLOORS)/connectonion+langchain+mcp+openai-agents+policy+postgres+pydantic-ai+server
WITH_FRAMEWORKS := tests/adapters tests/demo tests/docs tests/flows tests/seeds tests/config/test_config_guide.py \
	tests/server/test_runs_api.py tests/system/test_system_demo.py tests/system/test_system_tmux.py

# uv finds the oldest versions; pip cannot.
$(FLOORS)/%/.done: pyproject.toml
	@echo "setting up $(@D) (once) ..."
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip --disable-pip-version-check --quiet install uv
	@$(@D)/bin/uv --quiet pip compile --upgrade --resolution lowest-direct --python $(@D)/bin/python --only-binary :all: \
		--no-annotate --no-header $(foreach extra,$(subst +, ,$*),--extra $(extra)) -o $(@D)/floors.txt pyproject.toml
	@$(@D)/bin/uv --quiet pip install --python $(@D)/bin/python --constraint $(@D)/floors.txt -e '.[$(subst +,$(comma),$*),test]'
	@touch $@

test-floors: $(LIBRARY)/.done $(FRAMEWORKS)/.done
	@sh scripts/install-programs.sh tmux strace zsh vim curl jq bwrap faketime pgbouncer
	$(LIBRARY)/bin/python -m pytest $(SIDE_BY_SIDE) $(WITH_FRAMEWORKS:%=--ignore=%)
	$(FRAMEWORKS)/bin/python -m pytest $(SIDE_BY_SIDE) $(WITH_FRAMEWORKS)

# Kills agents and reviewers for five minutes, on each kind of queue; SECONDS=60 for a shorter look.
SECONDS ?= 300
torture: $(VENV)/.dev
	SIGNOFF_TORTURE_SECONDS=$(SECONDS) $(BIN)/python -m pytest tests/system/test_system_torture.py

# What a hostile command may try, tried on the sandbox: by root and by an ordinary user; PROBES="w p07" for some alone,
# PROBES=--network for a sandbox that allows the network.
probes: $(VENV)/.dev
	@sh scripts/install-programs.sh bwrap git
	PYTHONPATH=.:tests $(BIN)/python -m probes $(PROBES)

# Every path of random trees tried in real sandboxes: what could be done against what the profiles say.
TREES ?= 1000
differential: $(VENV)/.dev
	@sh scripts/install-programs.sh bwrap
	$(BIN)/python tests/confine/differential.py $(TREES)

# One fault at a time in a copy of the sandbox: the quick tests must find each.
mutants: $(VENV)/.dev
	$(BIN)/python tests/confine/mutants.py

# The real programs that ask through signoff, each against a model on loopback. They are installed into a folder of
# their own; nothing of yours is touched.
CLIENTS ?= .clients
# Mistral Vibe needs Python 3.12 or newer; another than those that are found: make clients VIBE_PYTHON=...
VIBE_PYTHON ?= $(firstword $(foreach name,$(PYTHON) python3.14 python3.13 python3.12,$(shell $(name) -c \
	'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $(name))) \
	$(wildcard $(HOME)/.pyenv/versions/3.1[2-9].*/bin/python3) python3.12)

$(CLIENTS)/.done: Makefile
	@sh scripts/install-programs.sh npm
	@mkdir -p $(CLIENTS)
	@npm --prefix $(CLIENTS) --no-audit --no-fund --silent install \
		@anthropic-ai/claude-code@latest @github/copilot@latest @google/gemini-cli@latest @openai/codex@latest \
		@qwen-code/qwen-code@latest opencode-ai@latest \
		@modelcontextprotocol/server-filesystem@latest
	@$(PYTHON) -m venv $(CLIENTS)/frameworks
	@$(CLIENTS)/frameworks/bin/python -m pip --disable-pip-version-check --quiet install \
		-e '.[connectonion,langchain,mcp,openai-agents,pydantic-ai]' langchain-openai
	@# Apart from those, for they need MCP 1.
	@$(PYTHON) -m venv $(CLIENTS)/python
	@$(CLIENTS)/python/bin/python -m pip --disable-pip-version-check --quiet install \
		-e '.[claude-agent-sdk]' autogen-core crewai google-adk mcp-server-git smolagents
	@$(VIBE_PYTHON) -m venv $(CLIENTS)/vibe
	@$(CLIENTS)/vibe/bin/python -m pip --disable-pip-version-check --quiet install mistral-vibe
	@touch $@

clients: $(VENV)/.dev $(CLIENTS)/.done
	SIGNOFF_CLIENTS=$(CLIENTS) $(BIN)/python -m pytest tests/clients

# Three of them at once, and the screen beside them: screenshots/clients-*.svg.
client-screenshot: $(VENV)/.dev $(CLIENTS)/.done
	PYTHONPATH=tests:tests/adapters:scripts SIGNOFF_CLIENTS=$(CLIENTS) $(BIN)/python scripts/client_screenshot.py

# Every case of the corpora: what is let through although it must not be, and what is stopped for nothing.
# SIGNOFF_CORPORA=DIR make corpora runs the cases in another folder.
corpora: $(VENV)/.dev
	$(BIN)/python tests/corpora_report.py

# Random commands through the rules and through real bash among stub programs, and options from the help of installed
# programs through the table of known programs and through these; FUZZ_SECONDS=60 for a shorter look.
FUZZ_SECONDS ?= 600
fuzz: $(VENV)/.dev
	PYTHONPATH=.:tests $(BIN)/python -m benchmarks.fuzz --seconds $(FUZZ_SECONDS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Programs and widgets that ours are measured beside, in an environment of their own: one of them is under the AGPL.
PEERS := .venv-peers

$(PEERS)/.done:
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@echo "setting up $(PEERS) for measurements (once) ..."
	@$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install ydiff icdiff textual-diff-view
	@touch $@

bench: $(VENV)/.bench $(PEERS)/.done
	PYTHONPATH=.:tests $(BIN)/python -m benchmarks --large

# What the screen promises to people, measured: a table of targets and figures. It takes minutes, and the machine must
# have nothing else to do. Some targets alone: ONLY=UT-08,UT-20 make usability
usability: $(VENV)/.dev
	@sh scripts/install-programs.sh tmux
	PYTHONPATH=.:tests:tests/tui:tests/tui/screens:tests/system $(BIN)/python -m benchmarks.usability --only "$(ONLY)"

# The reference in docs/reference-*.md, from the docstrings; settings and keys in the guides, from the models.
api: $(VENV)/.dev
	$(BIN)/python scripts/api_reference.py
	$(BIN)/python scripts/guides.py

screenshots: $(VENV)/.dev
	@sh scripts/install-programs.sh chromium
	$(BIN)/python scripts/screenshots.py
	$(BIN)/python scripts/page_screenshots.py
	$(BIN)/python scripts/recording.py

clean:
	rm -rf $(VENV) $(PEERS) $(FLOORS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
