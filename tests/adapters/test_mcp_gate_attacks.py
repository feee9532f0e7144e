"""Ways around the gate: lines in which a server may read a call that the gate does not see, or sees otherwise."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from changing_mcp_server import DefinedByFile
from mcp_gate_bench import ADAPTERS, GATE, Host, call, host_of

from answering import Answer, Reviewer, waiting, yes

CALL = json.dumps(call(1, to="x"))
PARAMS = '{"name":"send","arguments":{"to":"x"}}'
PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
DEEP = "[" * 500 + "]" * 500


@contextmanager
def in_front_of(defined: DefinedByFile, folder: Path, place: Path) -> Iterator[Host]:
    """A host that has shaken hands with a server of the SDK, through the gate."""
    pytest.importorskip("mcp", reason="needs pydantic-ai-slim[mcp]")
    server = [sys.executable, str(ADAPTERS / "changing_mcp_server.py"), str(defined.path)]
    with host_of([*GATE, *server], folder, place) as host:
        yield host.shake_hands()


@pytest.fixture
def defined(tmp_path: Path) -> DefinedByFile:
    return DefinedByFile(tmp_path)


@pytest.fixture
def host(defined: DefinedByFile, workdir: Path, place: Path) -> Iterator[Host]:
    """A host whose calls are reviewed."""
    with in_front_of(defined, workdir, place) as host:
        yield host


class Attacker(NamedTuple):
    """A host of which nothing is let through, for many tests: starting it takes longer than all that they do."""

    host: Host
    defined: DefinedByFile

    def refused(self, line: bytes) -> list[str]:
        """Send a line; returns what the host is told about messages that are not passed on."""
        self.host.lines.clear()
        self.host.say(line)
        return refusals(self.host)


@pytest.fixture(scope="module")
def attacker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacker]:
    folder = tmp_path_factory.mktemp("attacked")
    defined = DefinedByFile(folder)
    with in_front_of(defined, folder, folder / "queue") as host:
        yield Attacker(host, defined)


def refusals(host: Host) -> list[str]:
    """What it was told about messages that were not passed on, once all were taken in."""
    host.ask("ping")
    said = [json.loads(line).get("error", {}).get("message", "") for line in host.lines]
    return [each for each in said if each.startswith("signoff did not pass this on")]


@pytest.mark.parametrize(
    "line",
    [
        f'{{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/call","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{PARAMS},"Paramſ":{{}}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","Name":"send"}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","name":"send"}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":"a","to":"b"}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call\\u0000","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method\\u0000":"tools/call","method":"ping","params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{PARAMS}}}',
        f'{{"jsonrpc":"2.0","id":1,"result":{{}},"method":"tools/call","params":{PARAMS}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["send"]}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":["x"]}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":"\\ud800"}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":NaN}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":1e999}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{DEEP}}}',
        f"{PING}{CALL}",
        f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":\r{CALL}\r}}',
        f"{PING}\r{CALL}",
        f"\ufeff{CALL}",
        "[]",
        "1",
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(line: str, attacker: Attacker) -> None:
    assert len(attacker.refused(line.encode())) == 1
    assert attacker.defined.called == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_a_line_in_another_encoding_is_refused(encoding: str, attacker: Attacker) -> None:
    line = CALL.replace('"x"', '"ä"').encode(encoding)
    assert b"\n" not in line
    assert len(attacker.refused(line)) == 1
    assert attacker.defined.called == []


@pytest.mark.parametrize("of", ["null", "true", "1.0", "1e0", "[1]", "{}", "9007199254740993"])
def test_an_id_that_is_not_the_same_for_everybody_is_refused(of: str, attacker: Attacker) -> None:
    assert len(attacker.refused(CALL.replace('"id": 1', f'"id": {of}').encode())) == 1
    assert attacker.defined.called == []


@pytest.mark.parametrize("of", [7, "7"])
def test_the_id_of_a_held_call_is_not_taken_by_another_message(
    of: object, host: Host, defined: DefinedByFile, reviewed: Callable[[Answer], Reviewer]
) -> None:
    reviewer = reviewed(waiting)
    host.say(call(7, to="anna"))
    reviewer.wait_for(1)
    host.say({"jsonrpc": "2.0", "id": of, "method": "ping"})
    host.say(call(of, to="berta"))
    assert len(refusals(host)) == 2
    assert len(reviewer.seen) == 1
    assert defined.called == []


def test_a_call_without_an_id_is_not_passed_on(attacker: Attacker) -> None:
    attacker.refused(f'{{"jsonrpc":"2.0","method":"tools/call","params":{PARAMS}}}'.encode())
    assert attacker.defined.called == []


def test_each_call_of_a_batch_is_asked_about(
    host: Host, defined: DefinedByFile, reviewed: Callable[[Answer], Reviewer]
) -> None:
    reviewer = reviewed(yes)
    host.say([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, call(2, to="anna"), call(3, to="berta")])
    host.hear(1)
    answers = {host.hear_any()["id"], host.hear_any()["id"]}
    assert answers == {2, 3}
    assert sorted(request.submission.arguments["to"] for request in reviewer.seen) == ["anna", "berta"]


def test_a_call_of_a_batch_within_a_batch_is_refused(attacker: Attacker) -> None:
    assert len(attacker.refused(f"[[{CALL}]]".encode())) == 1
    assert attacker.defined.called == []


def test_nothing_of_a_line_that_is_too_long_is_read(attacker: Attacker) -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"ping"' + b" " * 33 * 2**20 + CALL.encode()
    assert attacker.refused(line) == ["signoff did not pass this on: it is longer than 33554432 bytes"]
    assert attacker.defined.called == []


def test_what_is_written_in_other_characters_is_held_all_the_same(
    host: Host, reviewed: Callable[[Answer], Reviewer]
) -> None:
    reviewer = reviewed(waiting)
    said: dict[str, Any] = json.loads(PARAMS)
    host.say(
        f'{{"jsonrpc":"2.0","id":1,"method":"to\\u006fls\\/call","params":{json.dumps(said)}}}\r'.encode("ascii")
    )
    [asked] = reviewer.wait_for(1)
    assert asked.submission.arguments == {"to": "x"}
