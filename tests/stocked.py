"""Queues with known requests in them, by name: what counts of keys, times and sizes are measured with.

Every stock is posted through real agent connections, which must stay open: what an agent asked for ends with it.
The files they would change lie in a working directory of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from signoff.connection import connect_agent
from signoff.effects import Command, Effect, FileWrite
from signoff.queue import AgentQueue, StoredRequest
from signoff.types import ApprovalPresentation, ApprovalRequest
from system_bench import post

G10_PAGES = 12
"""Pages that the files of `g10` take at 80x24: eight files take one, two take two."""

WAITING, RECORDS, DIFF_LINES = 2_000, 10_000, 5_000
"""Sizes of `big`."""

_SHORT, _LONG = (3, 1), (11, 4)
"""Lines that are added and removed: with what stands around them, one page of 80x24, and two."""

_GROUP = (
    ("src/app/models.py", _SHORT),
    ("src/app/api.py", _LONG),
    ("src/app/cache.py", _SHORT),
    ("src/app/legacy.py", _SHORT),
    ("src/app/cli.py", _SHORT),
    ("tests/test_api.py", _SHORT),
    ("tests/test_cache.py", _LONG),
    ("src/app/text.py", _SHORT),
    ("docs/usage.md", _SHORT),
    ("README.md", _SHORT),
)

_TROUBLE = {
    "bell and backspace": "safe\x07\x08\x08\x08\x08evil",
    "carriage return": "evil\rsafe",
    "escape": "\x1b[2J\x1b[H\x1b[31m",
    "title": "\x1b]0;pwned\x07",
    "clipboard": "\x1b]52;c;cHduZWQ=\x1b\\",
    "link": "\x1b]8;;https://evil.example/\x1b\\here\x1b]8;;\x1b\\",
    "C1": "\x9b2J\x9d0;pwned\x9c",
    "delete": "a\x7f\x7fb",
    "direction": "\u202egpj.exe\u202c \u2066admin\u2069",
    "zero width": "ad\u200bmin\u2060\ufeff",
    "soft hyphen": "re\u00adfactor",
    "line separators": "one\u2028two\u2029three\x85four",
    "tags": "ok\U000e0041\U000e007f",
    "private use": "\ue000\U000f0000",
    "unassigned": "\u0378\uffff",
    "surrogate": "\ud800x\udfff",
    "look-alike": "\u0430dmin \u0455udo",
    "combining": "a" + "\u0301" * 40,
    "wide": "\uff52\uff4d \uff0d\uff52\uff46",
    "tab": "a\tb",
    "blank run": "a" + " " * 300 + "b",
    "markup": "[@click=app.quit]go[/] [bold red]x[/] [link=https://evil.example]y[/link]",
    "braces": "{name} {0} %s ${HOME}",
}
"""One text for each way in which what is shown may differ from what is there."""


class Stock:
    """A place where agents ask; they stay connected until the stack is closed.

    Args:
        place: Directory of the queue, which exists.
        folder: An existing folder in which the agents work.
        stack: Closes the connections.
    """

    def __init__(self, place: Path, folder: Path, stack: ExitStack) -> None:
        self._place = place
        self._folder = folder
        self._stack = stack
        self._agents: dict[str, AgentQueue] = {}

    def agent(self, name: str) -> AgentQueue:
        """The connection of an agent, the same one for the same name."""
        if name not in self._agents:
            asks = connect_agent(name, session=f"s-{name}", place=self._place, cwd=str(self._folder))
            self._agents[name] = self._stack.enter_context(asks)
        return self._agents[name]

    def command(self, agent: str, text: str, **fields: object) -> StoredRequest:
        """Ask to run a command."""
        effect = Command(text, str(self._folder))
        return self._ask(agent, "shell", f"Run {text}", {"command": text}, effect, **fields)

    def change(self, agent: str, name: str, before: str | None, after: str, **fields: object) -> StoredRequest:
        """Ask to change a file, or to make it."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if before is not None:
            path.write_text(before, encoding="utf-8")
        return self._ask(
            agent, "write_file", f"Write {name}", {"path": name}, FileWrite(str(path), after), **fields
        )

    def call(self, agent: str, description: str, payload: dict[str, object], **fields: object) -> StoredRequest:
        """Ask to do something that has no known effect."""
        return self._ask(agent, "call", description, payload, **fields)

    def _ask(
        self,
        agent: str,
        tool: str,
        description: str,
        payload: dict[str, object],
        *effects: Effect,
        **fields: object,
    ) -> StoredRequest:
        request = ApprovalRequest(
            tool_name=tool,
            description=description,
            payload=payload,
            effects=effects,
            **fields,  # type: ignore[arg-type]
        )
        return post(self.agent(agent), request)


@contextmanager
def stocked(place: Path, folder: Path) -> Iterator[Stock]:
    """A stock whose agents stay connected meanwhile."""
    with ExitStack() as stack:
        yield Stock(place, folder, stack)


def g10(stock: Stock) -> list[StoredRequest]:
    """G10: one group of ten files that take twelve pages at 80x24, none of them HIGH."""
    return [_changed(stock, name, *size) for name, size in _GROUP]


def g10h(stock: Stock) -> list[StoredRequest]:
    """G10H: the same, and the last file is one that every build runs, so that its change is HIGH."""
    return [
        *(_changed(stock, name, *size) for name, size in _GROUP[:-1]),
        _changed(stock, ".git/hooks/pre-commit", *_SHORT),
    ]


def mix(stock: Stock) -> list[StoredRequest]:
    """MIX: eighteen requests of three agents, all kinds, two of them HIGH."""
    first = [stock.command("docs-bot", "pytest -q tests/unit")]
    plan = ApprovalPresentation(type="text", content="Split models.py into three modules.\nKeep the imports.")
    return [
        *first,
        *g10h(stock),
        stock.command("release", "rm -rf build/ dist/"),
        stock.call("release", "POST api.example.test/v1/release", {"method": "POST", "tag": "v1.2"}),
        stock.call("docs-bot", "plan: split module into three", {"plan": 1}, presentation=plan),
        stock.change("docs-bot", "docs/guide.md", None, _numbered("guide", 300)),
        stock.change("docs-bot", "docs/index.md", *_edit("index", 6, 6)),
        stock.command("release", "git tag v1.2"),
        stock.change("docs-bot", "docs/faq.md", *_edit("faq", 6, 6)),
    ]


def big(stock: Stock, place: Path, *, waiting: int = WAITING, records: int = RECORDS) -> StoredRequest:
    """BIG: a history, and many that wait; the second of them, which is returned, is a diff of 5,000 lines.

    Args:
        stock: Where to ask. Nothing was decided there yet.
        place: Directory of the queue.
        waiting: How many requests wait in all.
        records: How many records the history has.
    """
    from benchmarks.queue_history import fill  # found from the root of the project only

    fill(place / "queue.db", records)
    stock.command("agent-0", "pytest -q tests/first")
    half = DIFF_LINES // 2
    diff = stock.change("agent-0", "big.py", _numbered("old", half), _numbered("new", half))
    for number in range(2, waiting):
        agent = f"agent-{number // 60 % 20}"
        if number % 3:
            group = {"group_id": f"group {number // 60}"} if number % 2 else {}
            stock.change(agent, f"part/module_{number}.py", None, _numbered("value", 8), **group)
        else:
            stock.command(agent, f"pytest -q tests/part_{number}")
    return diff


def evil(stock: Stock) -> list[StoredRequest]:
    """EVIL: one request for each way to look like something else, in all its fields."""
    return [
        stock.call(f"agent {text}", f"{name} {text}", {name: text}, why=f"because {text}")
        for name, text in _TROUBLE.items()
    ]


def _changed(stock: Stock, name: str, added: int, removed: int) -> StoredRequest:
    return stock.change("refactor", name, *_edit(name, added, removed), group_id="save project")


def _edit(name: str, added: int, removed: int) -> tuple[str, str]:
    """A text before and after, with one stretch of changed lines in it."""
    head, tail = _numbered(f"# {name} above", 2), _numbered(f"# {name} below", 2)
    return (
        f"{head}{_numbered('before', removed)}{tail}",
        f"{head}{_numbered('after', added)}{tail}",
    )


def _numbered(word: str, count: int) -> str:
    return "".join(f"{word}_{number} = {number}\n" for number in range(count))
