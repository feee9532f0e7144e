"""The reviewer's page as `signoff serve` serves it, in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from signoff.queue import RequestState, ReviewQueue
from signoff.server.tokens import Scope, TokenFile
from stocked import Stock

pytestmark = pytest.mark.system

SIGNOFF = (sys.executable, "-m", "signoff.cli")


@pytest.fixture
def serve(variables: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The process."""
    settings = tmp_path / "signoff.yaml"
    settings.write_text("log_level: info\n")
    trust = [*SIGNOFF, "policy", "trust", "--yes", str(settings)]
    subprocess.run(trust, env=variables, check=True, capture_output=True)
    command = [
        *SIGNOFF,
        "serve",
        "--config",
        str(settings),
        "--data",
        str(tmp_path / "s"),
        "--listen",
        "127.0.0.1:0",
    ]
    with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_says_where_to_open_the_page_and_drops_what_is_held_when_it_ends(
    serve: subprocess.Popen[str], stock: Stock, looking: ReviewQueue
) -> None:
    request = stock.command("build", "make all")
    assert serve.stderr is not None
    found = None
    while found is None:
        line = serve.stderr.readline()
        assert line, "it ended"
        found = re.search(r"in a browser: http://(signoff\.localhost:(\d+))", line)
    token = TokenFile().new("ann", frozenset({Scope.READ, Scope.DECIDE}))
    headers = {"host": found[1], "origin": f"http://{found[1]}", "accept": "text/html"}
    with httpx.Client(base_url=f"http://127.0.0.1:{found[2]}", headers=headers, timeout=30) as http:
        assert http.post("/login", data={"token": token}).status_code == 303
        assert "make all" in http.get("/").text
        fields = {"revision": "1", "digest": request.submission.digest, "answer": "approve"}
        assert http.post(f"/requests/{request.id}/decide", data=fields).status_code == 303
    serve.send_signal(signal.SIGTERM)
    told = [json.loads(line) for line in serve.stderr if line.startswith("{")]
    dropped = [line for line in told if line["message"].startswith("a decision was held when the server ended")]
    assert [line["requests"] for line in dropped] == [[request.id]]
    assert looking.get(request.id).state is RequestState.PENDING
