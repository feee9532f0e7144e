"""The server answers as its OpenAPI description says, whatever is sent.

SIGNOFF_API_CASES=1000 makes so many examples for each operation, and sequences of operations.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server_bench import HOSTED, RULES, Served, served

pytestmark = pytest.mark.system

CASES = os.environ.get("SIGNOFF_API_CASES")
LOOK = ["--max-examples", CASES] if CASES else ["--max-examples", "5", "--phases", "fuzzing"]

STREAMS = """\
[[operations]]
include-operation-id = "followRun"
max-stream-events = 2
request-timeout = 1.0
"""
"""The stream of a run that waits does not end by itself."""

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
DOCS = Path(__file__).resolve().parents[2] / "docs"


METHODS = {"get", "post", "put", "patch", "delete", "options", "trace"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve"), RULES + HOSTED) as there:
        yield there


@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="needs schemathesis")
def test_every_answer_conforms_and_none_is_a_fault(server: Served, tmp_path: Path) -> None:
    description = tmp_path / "openapi.json"
    description.write_text(server.client("read").get("/openapi.json").text)
    (tmp_path / "schemathesis.toml").write_text(STREAMS)
    bearer = f"Authorization: Bearer {server.token('ask', 'read', 'decide')}"
    words = ["--url", server.url, "-H", bearer, "--rate-limit", "90/s", "--checks", "all", *LOOK]
    # The document answers 400, not 409, when a run is not paused.
    words += ["--exclude-checks", "positive_data_acceptance"]
    done = subprocess.run(
        [SCHEMATHESIS, "run", description, *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout[-5000:]


def test_a_wrong_method_is_told_the_right_ones(server: Served) -> None:
    client = server.client("ask", "read", "decide")
    paths = {**client.get("/openapi.json").json()["paths"], "/login": ["get", "post"], "/live": ["get"]}
    for path, operations in paths.items():
        allowed = METHODS.intersection(operations)
        for method in METHODS - allowed:
            answer = client.request(method.upper(), path.format(run_id="x", tool_call_id="y"))
            assert (answer.status_code, answer.json()) == (405, {"error": "Method Not Allowed"}), (method, path)
            told = {each.lower() for each in answer.headers["allow"].split(", ")}
            assert told - {"head"} == allowed, (method, path)


def test_the_description_in_the_docs_is_current_else_run_make_api() -> None:
    from signoff.server.app import openapi

    assert json.loads((DOCS / "openapi.json").read_text()) == openapi()
