"""Tests of programs that ask: a fixture of pytest with a queue of its own, and a reviewer who answers as told.

```python
def test_it_deploys_where_it_may(signoff_reviewer):
    signoff_reviewer.approves("deploy")
    signoff_reviewer.rejects("drop table", note="never")
    run_my_agent()
    assert signoff_reviewer.calls == [("deploy", {"to": "staging"}), ("drop table", {"name": "orders"})]
```

Installing signoff is enough for pytest to find the fixture. Nothing of the queue and the keys of whoever runs the
tests is read or written. A call that the test says nothing about is rejected, and fails the test.

Make an `ApprovalController` within the test: the calls of one that asked in an earlier test are refused, since the
queue of that test is gone. One that is made before the fixture has the settings of then, so the fixture fails if
``SIGNOFF_MODE`` is ``approve_all``, by which it would ask nobody.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pytest

if TYPE_CHECKING:
    from signoff.queue import Decision, StoredRequest

__all__ = ["ScriptedReviewer", "signoff_reviewer"]

_SECONDS = 30.0
"""Longest wait for the reviewer to begin and to leave."""


class _Answer(NamedTuple):
    tool: str
    decision: Decision


class ScriptedReviewer:
    """A reviewer who decides at once, in a thread of its own.

    Args:
        place: The directory of the queue, which is made if there is none.

    Attributes:
        requests: All that was asked, in order.
    """

    def __init__(self, place: Path) -> None:
        self.requests: list[StoredRequest] = []
        self._place = place
        self._answers: list[_Answer] = []
        self._unexpected: list[str] = []
        self._failure: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._looks = threading.Event()
        self._thread = threading.Thread(target=self._run, name="signoff reviewer", daemon=True)

    def approves(self, tool: str, *, note: str | None = None, remember: bool = False) -> None:
        """Approve calls of a tool from now on; ``remember`` approves equal calls for the whole session."""
        from signoff.queue import Decision

        self._answers.append(_Answer(tool, Decision(approved=True, note=note, remember=remember)))

    def rejects(self, tool: str, *, note: str | None = None, hard: bool = False) -> None:
        """Reject calls of a tool from now on; a hard rejection stops the turn of the agent."""
        from signoff.queue import Decision

        self._answers.append(_Answer(tool, Decision(approved=False, note=note, hard=hard)))

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """Tool and arguments of all that was asked, in order."""
        return [(each.submission.tool_name, dict(each.submission.arguments)) for each in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        begun = self._looks.wait(_SECONDS)
        if not begun or self._failure is not None:
            self._leave()
            raise self._failure or AssertionError(f"the reviewer did not begin within {_SECONDS:g} seconds")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._leave()
        if kind is not None:
            return
        if self._failure is not None:
            raise self._failure
        if self._unexpected:
            raise AssertionError(f"nobody said what to answer to {', '.join(self._unexpected)}")

    def _leave(self) -> None:
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(self._loop)])
        self._thread.join(_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._review())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised where the test is
            self._failure = error
        self._looks.set()

    async def _review(self) -> None:
        from signoff.queue import open_review_queue

        with open_review_queue(self._place, reviewer="test") as queue:
            async for found in queue.watch():
                self._looks.set()
                for request in (change.request for change in found.changes):
                    if request.pending:
                        self.requests.append(request)
                        decision = self._answer(request)
                        queue.decide(request.id, request.revision, request.submission.digest, decision)

    def _answer(self, request: StoredRequest) -> Decision:
        from signoff.queue import Decision

        tool = request.submission.tool_name
        for answer in reversed(self._answers):  # what was said last holds
            if answer.tool == tool:
                return answer.decision
        self._unexpected.append(tool)
        return Decision(approved=False, note=f"the test says nothing about {tool}", hard=True)


@pytest.fixture
def signoff_reviewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedReviewer]:
    """A queue for this test alone, and a reviewer who answers in it as the test says."""
    from signoff import asked_calls

    if os.environ.get("SIGNOFF_MODE") == "approve_all":
        pytest.fail("unset SIGNOFF_MODE: a controller made before this test may ask nobody", pytrace=False)
    folder = tmp_path_factory.mktemp("signoff")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AGENT", "EXPIRES_IN", "MODE", "SESSION"):
            patch.delenv(f"SIGNOFF_{name}", raising=False)
        patch.setenv("SIGNOFF_QUEUE", str(folder / "queue"))
        patch.setenv("SIGNOFF_KEYS_DIR", str(folder / "keys"))
        asked_calls.forget_controller()
        try:
            with ScriptedReviewer(folder / "queue") as reviewer:
                yield reviewer
        finally:
            asked_calls.forget_controller()
            shutil.rmtree(folder / "queue", ignore_errors=True)  # so that who still asks there does not wait
