"""What the library loads, seen from a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.queue import AgentQueue
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder
from signoff.queue.keys.identity import load_or_make
from system_bench import note_submission

TERMINAL_AND_FRAMEWORKS = (
    "textual",
    "rich",
    "pygments",
    "pydantic_ai",
    "langchain",
    "langchain_core",
    "langgraph",
)

# Plugins of pydantic are other people's, found wherever they are installed.
ALONE = {**os.environ, "PYDANTIC_DISABLE_PLUGINS": "__all__"}


def modules_after(statement: str) -> set[str]:
    """Names of all modules that a fresh interpreter holds after a statement."""
    program = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=ALONE)
    return set(done.stdout.splitlines())


def imported_by(statement: str) -> set[str]:
    """Names of all modules that a statement really executes, also those it drops again."""
    return imported_in("-c", statement)


def imported_in(*arguments: str, **variables: str) -> set[str]:
    """Names of all modules that a fresh interpreter executes."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**ALONE, **variables})
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "import time:" in line}


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("statement", ["import signoff", "from signoff import *"])
def test_an_agent_process_loads_no_terminal_toolkit_and_no_framework(statement: str) -> None:
    assert packages(modules_after(statement)).isdisjoint(TERMINAL_AND_FRAMEWORKS)
    assert packages(imported_by(statement)).isdisjoint(TERMINAL_AND_FRAMEWORKS)


@pytest.mark.parametrize(
    "statement",
    [
        "import signoff",
        "from signoff import ApprovalController",
        "import signoff.queue",
        "import signoff.queue.sql.agent_queue",
        "import signoff.present.snapshot.snapshot",
    ],
)
def test_what_short_lived_commands_need_loads_no_pydantic(statement: str) -> None:
    assert "pydantic" not in packages(modules_after(statement))


NEEDED_BY_REQUESTS = (
    "asyncio",
    "concurrent",
    "cryptography",
    "msgspec",
    "pydantic",
    "signoff.connection",
    "signoff.policy",
    "signoff.present",
    "signoff.queue.sql",
    "signoff.submission",
    "signoff.tools",
    "signoff.types",
    "sqlite3",
    "yaml",
)


def test_the_controller_loads_what_a_request_needs_with_the_first_one() -> None:
    loaded = modules_after("from signoff import ApprovalController\nApprovalController()")
    of_requests = tuple(f"{name}." for name in NEEDED_BY_REQUESTS)
    assert [each for each in sorted(loaded) if f"{each}.".startswith(of_requests)] == []


def test_what_was_read_is_marked_without_the_library_for_signatures(tmp_path: Path) -> None:
    load_or_make(KeysFolder(tmp_path / "keys"))
    mark = "from signoff.queue.keys.identity import own_code\nassert own_code('what was read', b'')"
    loaded = imported_in("-c", mark, **{KEYS_VARIABLE: str(tmp_path / "keys")})
    assert "cryptography" not in packages(loaded)


def test_the_queue_loads_no_event_loop_until_somebody_waits_in_one() -> None:
    assert "asyncio" not in modules_after("import signoff.queue.sql.agent_queue")


FOR_CONTENT_AND_HISTORY = {
    "signoff.history_export",
    "signoff.policy.redaction.masking",
    "signoff.present.document.build",
}


@pytest.mark.parametrize("words", ["list", "status", "grants", "token list"])
def test_a_command_with_nothing_to_mask_loads_no_masking_and_no_export(words: str, place: Path) -> None:
    loaded = imported_in("-m", "signoff.cli", *words.split(), SIGNOFF_QUEUE=str(place))
    assert "signoff.cli.main" in loaded
    assert loaded.isdisjoint(FOR_CONTENT_AND_HISTORY)


def test_a_list_of_requests_loads_masking_but_no_documents_and_no_export(asking: AgentQueue, place: Path) -> None:
    asking.submit(note_submission("notes.md", cwd=str(place.parent)))
    loaded = imported_in("-m", "signoff.cli", "list", SIGNOFF_QUEUE=str(place))
    assert loaded & FOR_CONTENT_AND_HISTORY == {"signoff.policy.redaction.masking"}


def test_settings_and_the_sandbox_load_no_event_loop() -> None:
    assert "asyncio" not in modules_after("import signoff.config, signoff.tools.os_sandbox, signoff.cli.sandbox")


def test_settings_are_read_without_the_sources_of_their_models() -> None:
    program = "import linecache\nimport signoff.config\nprint(sorted(linecache.cache))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=ALONE)
    assert done.stdout == "[]\n"


def test_these_tests_can_fail() -> None:
    assert "pydantic" in packages(modules_after("import signoff.types"))
    assert "pydantic" in packages(imported_by("import signoff.types"))
