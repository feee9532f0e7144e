"""Tools that call other services; here they only write down what they would have sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic_ai import FunctionToolset

from signoff.marking import requires_approval

__all__ = ["outbox_toolset"]


def outbox_toolset(folder: Path) -> FunctionToolset[Any]:
    """The tools `http_post` and `create_ticket`, which append to ``outbox.jsonl`` in a folder."""
    outbox = folder / "outbox.jsonl"

    @requires_approval(
        description=lambda args: f"POST to {args['url']}",
        payload=lambda args: {"method": "POST", "url": args["url"]},
    )
    def http_post(url: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a JSON body to a web address.

        Args:
            url: Where to.
            body: What to send.
        """
        _append(outbox, {"method": "POST", "url": url, "body": body})
        return {"status": 202}

    @requires_approval(
        description=lambda args: f"Create a ticket in {args['project']}: {args['title']}",
        payload=lambda args: {"project": args["project"]},
    )
    def create_ticket(project: str, title: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Create a ticket.

        Args:
            project: Key of the project.
            title: Its title.
            fields: All other fields.
        """
        number = _append(outbox, {"ticket": {"project": project, "title": title, **fields}})
        return {"key": f"{project}-{100 + number}"}

    return FunctionToolset([http_post, create_ticket], id="outbox")


def _append(outbox: Path, entry: dict[str, Any]) -> int:
    """Add a line and return its number."""
    with outbox.open("a+", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
        file.flush()
        file.seek(0)
        return sum(1 for _ in file)
