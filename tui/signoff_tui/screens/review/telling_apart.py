"""Short names that tell requests apart.

A file is named by the end of its path, as long as it takes to differ from the others, as editors name their tabs.
Anything else is named by what it is, and by the first argument that differs where that is the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.reveal import reveal_line
from signoff.queue.records import StoredRequest
from signoff_tui.state.documents import content_key
from signoff_tui.text.summary import Summary, summarize

__all__ = ["LONGEST", "told_apart"]

LONGEST = 40
"""Characters of a name in a list; the target line shows more of it."""

_LONGEST_VALUE = 24
_LEAST = 12

Names = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Requests, the same as others if they are the same revisions."""

    keys: tuple[object, ...]
    requests: tuple[StoredRequest, ...] = field(compare=False)


def told_apart(requests: Sequence[StoredRequest]) -> Mapping[str, str]:
    """Names by request id; no two are the same."""
    keys = tuple((content_key(request), request.asked_by.name) for request in requests)
    return _names(_Asked(keys, tuple(requests)))


@lru_cache(maxsize=64)
def _names(asked: _Asked) -> Names:
    requests = asked.requests
    summaries = {request.id: summarize(request) for request in requests}
    names = {request.id: _short(summaries[request.id]) for request in requests}
    ways: tuple[Callable[[Sequence[StoredRequest]], Names], ...] = (
        lambda alike: _by_path(alike, summaries),
        lambda alike: _by_argument(alike, names),
        lambda alike: {item.id: f"{names[item.id]} ({summaries[item.id].agent.text})" for item in alike},
        lambda alike: {item.id: f"{names[item.id]} #{at}" for at, item in enumerate(alike, 1)},
    )
    for way in ways:
        for alike in _alike(requests, names):
            found = way(alike)
            if len(set(found.values())) > 1:
                names.update(found)
    return names


def _alike(requests: Iterable[StoredRequest], names: Names) -> list[list[StoredRequest]]:
    """Those that have the same name, several at a time."""
    by_name: dict[str, list[StoredRequest]] = {}
    for request in requests:
        by_name.setdefault(names[request.id], []).append(request)
    return [same for same in by_name.values() if len(same) > 1]


def _short(summary: Summary) -> str:
    """The last part of a path, or the beginning of anything else."""
    if summary.path:
        name = summary.what.text.rsplit("/", 1)[-1]
        return name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}...{name[-LONGEST // 2 :]}"
    return _begin(summary.what.text, LONGEST)


def _begin(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _by_path(alike: Sequence[StoredRequest], summaries: dict[str, Summary]) -> Names:
    """As many parts from the end of the path as it takes."""
    paths = {item.id: tuple(summaries[item.id].what.text.split("/")) for item in alike if summaries[item.id].path}
    distinct = {tuple(parts) for parts in paths.values()}
    longest = max(map(len, distinct), default=0)
    alike_at = [Counter(parts[-count:] for parts in distinct) for count in range(1, longest + 1)]
    return {request_id: _end(parts, alike_at) for request_id, parts in paths.items()}


def _end(parts: tuple[str, ...], alike_at: Sequence[Counter[tuple[str, ...]]]) -> str:
    """The shortest end of a path that no other path has."""
    count = next((at for at, ends in enumerate(alike_at, 1) if ends[parts[-at:]] == 1), len(parts))
    first, *others = parts[-count:]
    whole = "/".join((first, *others))
    return whole if len(whole) <= LONGEST or not others else f"{_begin(first, LONGEST // 2)}/.../{parts[-1]}"


def _by_argument(alike: Sequence[StoredRequest], names: Names) -> Names:
    """The argument by which most of them differ, the first of those."""
    values = {item.id: _arguments(item) for item in alike}
    keys = dict.fromkeys(key for arguments in values.values() for key in arguments)
    if not keys:
        return {}

    def kinds(key: str) -> int:
        return len(Counter(arguments.get(key) for arguments in values.values()))

    best = max(keys, key=kinds)
    room = max(LONGEST - _LONGEST_VALUE, _LEAST)
    return {
        item.id: f"{_begin(names[item.id], room)} {_begin(best, _LEAST)}={values[item.id].get(best, '(none)')}"
        for item in alike
    }


def _arguments(request: StoredRequest) -> dict[str, str]:
    """Each argument of a call in short, without its secrets."""
    submission = request.submission
    shown = DEFAULT_REDACTION.also(submission.masked_keys).mask_value(submission.arguments)
    return {
        reveal_line(key, "arg_key").text: _begin(_value(value), _LONGEST_VALUE) for key, value in shown.items()
    }


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return reveal_line(text[: 4 * _LONGEST_VALUE], "arg_value").text
