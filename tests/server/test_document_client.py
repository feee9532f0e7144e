"""The browser client of the document "Tool Approval System", in Chromium, on a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

pytest.importorskip("playwright", reason="needs Playwright, and Chromium: make test installs both")

from playwright.sync_api import Browser, Page

from server_bench import RULES, Served, served
from signoff.server.access import COOKIE
from signoff.server.page_login import PAGE_NAME
from system_bench import PATIENCE

pytestmark = pytest.mark.system

AGENT = 'agents: {delete: {python: "functions_of_tests:delete"}}\n'

CLIENT = """\
// Listen for approval events via SSE
const eventSource = new EventSource(`/runs/${runId}/events`);
eventSource.onmessage = (event) => {
  const data = JSON.parse(event.data);

  if (data.type === 'checkpoint_required') {
    showApprovalDialog({
      tool: data.data.tool_name,
      reason: data.data.reason,
      prompt: data.data.prompt,
      arguments: data.data.tool_arguments,
      onApprove: (reason) => approveToolCall(runId, true, reason),
      onDeny: (reason) => approveToolCall(runId, false, reason)
    });
  }
};

function approveToolCall(runId, approved, reason) {
  fetch(`/runs/${runId}/approve`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({approved, reason})
  });
}
"""

AROUND = """\
<!doctype html>
<title>A program with runs</title>
<script>
  const runId = "RUN";
  const dialogs = [], heard = [];
  const showApprovalDialog = (dialog) => dialogs.push(dialog);
</script>
<script>CLIENT</script>
<script>eventSource.addEventListener("message", (event) => heard.push(JSON.parse(event.data)));</script>
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve"), RULES + AGENT) as there:
        yield there


@pytest.fixture
def opened(chromium: Browser, server: Served) -> Iterator[Callable[[str], Page]]:
    """Open a page of the server's origin with the client in it, which follows a run."""
    origin = f"http://{PAGE_NAME}:{server.port}"
    with ExitStack() as stack:

        def page_of(run_id: str) -> Page:
            context = chromium.new_context()
            stack.callback(context.close)
            token = server.token("read", "decide")
            context.add_cookies([{"name": COOKIE, "value": token, "url": origin, "sameSite": "Strict"}])
            page = context.new_page()
            content = AROUND.replace("RUN", run_id).replace("CLIENT", CLIENT)
            page.route("**/program", lambda route: route.fulfill(content_type="text/html", body=content))
            page.goto(f"{origin}/program")
            return page

        yield page_of


def becomes(page: Page, expression: str) -> None:
    page.wait_for_function(expression, polling=100, timeout=PATIENCE * 1000)


@pytest.mark.parametrize(
    ("press", "status", "kinds"),
    [
        ("onApprove", "completed", ["run_resumed", "run_completed"]),
        ("onDeny", "cancelled", ["run_cancelled"]),
    ],
)
def test_a_person_answers_in_the_clients_dialog_and_sees_the_end(
    opened: Callable[[str], Page], server: Served, press: str, status: str, kinds: list[str]
) -> None:
    run_id = server.begin("delete", press)
    page = opened(run_id)
    becomes(page, "dialogs.length === 1 && heard.length === 3")
    dialog = page.evaluate("dialogs[0]")
    assert (dialog["tool"], dialog["arguments"]) == ("delete_files", f'{{"path": "{press}"}}')
    assert dialog["reason"] in dialog["prompt"]
    page.evaluate(f"dialogs[0].{press}('looked at it')")
    # A source comes back by itself whenever a stream ends, until it is told that nothing follows.
    becomes(page, "eventSource.readyState === EventSource.CLOSED")
    told = server.events(run_id)
    assert [each["type"] for each in told] == ["run_started", "checkpoint_required", "run_paused", *kinds]
    assert page.evaluate("heard") == told
    assert server.run(run_id)["status"] == status
    assert (["delete_files", press] in server.executed()) is (press == "onApprove")


def test_a_client_whose_server_was_killed_comes_back_and_hears_each_event_once(
    opened: Callable[[str], Page], server: Served
) -> None:
    run_id = server.begin("delete", "killed")
    page = opened(run_id)
    becomes(page, "heard.length === 3")
    server.kill()
    server.start()
    page.evaluate("dialogs[0].onApprove()")
    becomes(page, "heard.length > 3 && heard.at(-1).type === 'run_completed'")
    assert page.evaluate("heard") == server.events(run_id)
    assert page.evaluate("dialogs.length") == 1
