"""Write what the guides take from the program: settings with their defaults, and actions with their keys."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from signoff.config.schema import config_schema
from signoff_tui.input.actions import ACTIONS
from signoff_tui.input.keymap import MAPPABLE, STANDARD
from signoff_tui.settings import template

DOCS = Path(__file__).resolve().parents[1] / "docs"
GUIDES = ("configuration.md", "screen.md")

Schema = Mapping[str, Any]

_PART = re.compile(r"(<!-- (?P<name>[\w ]+): begin -->\n).*?(<!-- (?P=name): end -->)", re.DOTALL)
_LEFT_OUT = re.compile(r" Left out: ([^.]+)\.")


def renewed(guide: str) -> str:
    """A guide with these parts as they are now; each stands between two comments with its name."""
    return _PART.sub(lambda found: f"{found[1]}{_part(found['name'])}{found[3]}", guide)


def api() -> str:
    """The description of the server's API, for programs."""
    from signoff.server.app import openapi

    return json.dumps(openapi(), indent=1) + "\n"


def _part(name: str) -> str:
    match name:
        case "screen settings":
            return f"```yaml\n{template()}```\n"
        case "actions":
            return _actions()
    return _keys_of(name)


def _actions() -> str:
    words = {action.name: action.words for action in reversed(ACTIONS)}
    rows = [_row(f"`{name}`", _code(STANDARD.names_of_keys(name), " "), words[name]) for name in MAPPABLE]
    return "".join([_row("name", "keys", "what it does"), _row("---", "---", "---"), *rows])


def _keys_of(model: str) -> str:
    """The keys of a mapping in the settings of an agent."""
    schema = config_schema()
    rows = _key_rows(schema["$defs"], schema["$defs"][model], "")
    return "".join([_row("key", "what it says", "values", "without it"), _row("---", "---", "---", "---"), *rows])


def _key_rows(models: Schema, model: Schema, before: str) -> Iterator[str]:
    required = model.get("required", ())
    for name, key in sorted(model["properties"].items(), key=lambda item: item[0] not in required):
        if "$ref" in key:
            yield from _key_rows(models, models[key["$ref"].rpartition("/")[2]], f"{before}{name}.")
            continue
        words = " ".join(key["description"].split())
        left_out = _LEFT_OUT.search(words)
        without = "must be given" if name in required else left_out[1] if left_out else _default(key)
        yield _row(f"`{before}{name}`", _LEFT_OUT.sub("", words), ", ".join(_values(key)), without)


def _values(key: Schema) -> Iterator[str]:
    """What may stand there, in words."""
    match key:
        case {"anyOf": options}:
            for option in options:
                yield from _values(option)
        case {"enum": words}:
            yield _code(words, ", ")
        case {"type": "boolean"}:
            yield "`true`, `false`"
        case {"type": kind} if kind != "null":
            yield {"string": "a text", "array": "a list", "object": "a mapping"}[kind]


def _default(key: Schema) -> str:
    match key.get("default"):
        case None:
            return ""
        case []:
            return "none"
        case str(word):
            return f"`{word}`"
        case value:
            return f"`{json.dumps(value)}`"


def _code(words: Iterable[str], between: str) -> str:
    return between.join(f"`{word}`" for word in words)


def _row(*cells: str) -> str:
    inside = [cell.replace("|", "\\|") for cell in cells]  # a bar would end the cell
    return f"| {' | '.join(inside)} |\n"


if __name__ == "__main__":
    for name in GUIDES:
        path = DOCS / name
        path.write_text(renewed(path.read_text("utf-8")), "utf-8")
        print(f"wrote docs/{name}", file=sys.stderr)
    (DOCS / "openapi.json").write_text(api(), "utf-8")
    print("wrote docs/openapi.json", file=sys.stderr)
