"""From a tool's request to the submission for the queue: key, digest, risk, snapshot.

Everything here is a pure function of its arguments, except `submission_with_snapshot`, which reads the files
that the call would touch.
"""

from __future__ import annotations

import copy
import os
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from signoff.canonical import canonical, digest
from signoff.effects import Effect, FileWrite
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.risk import Assessment, assess, reasons_of_files
from signoff.present.snapshot.snapshot import Snapshot, take
from signoff.present.snapshot.steps import CommandRun, FileChange
from signoff.queue.amendment import EDIT, PARTIAL, named_command
from signoff.queue.records import Submission

if TYPE_CHECKING:
    from signoff.tool_definition import Definition
    from signoff.types import ApprovalPresentation

__all__ = [
    "CallOrigin",
    "RequestedCall",
    "arguments_of",
    "judged_again",
    "plain_submission",
    "submission_with_snapshot",
]


class RequestedCall(Protocol):
    """A request as it is described here: an `ApprovalRequest`, or one that takes no model to make."""

    @property
    def tool_name(self) -> str:
        """As in `signoff.types.ApprovalRequest`, like all that follow."""
        ...

    @property
    def description(self) -> str: ...  # noqa: D102
    @property
    def payload(self) -> dict[str, Any]: ...  # noqa: D102
    @property
    def arguments(self) -> dict[str, Any] | None: ...  # noqa: D102
    @property
    def presentation(self) -> ApprovalPresentation | None: ...  # noqa: D102
    @property
    def group_id(self) -> str | None: ...  # noqa: D102
    @property
    def group_size(self) -> int | None: ...  # noqa: D102
    @property
    def effects(self) -> tuple[Effect, ...]: ...  # noqa: D102
    @property
    def why(self) -> str: ...  # noqa: D102
    @property
    def expires_in(self) -> float | None: ...  # noqa: D102
    @property
    def honors(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def masked_keys(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def server(self) -> str | None: ...  # noqa: D102
    @property
    def definition(self) -> Definition | None: ...  # noqa: D102


class CallOrigin(Protocol):
    """The origin of a call: an `ApprovalContext`, or one that takes no model to make."""

    @property
    def args(self) -> dict[str, Any]:
        """As in `signoff.types.ApprovalContext`, like all that follow."""
        ...

    @property
    def metadata(self) -> dict[str, Any]: ...  # noqa: D102
    @property
    def honors(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def lacks(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def check_edited(self) -> object | None: ...  # noqa: D102


_ALL = frozenset({"note", "hard", "session"})
_KEPT = frozenset({"session"})
"""The features that a call of which no answer is remembered does not support."""


def plain_submission(request: RequestedCall, context: CallOrigin | None, *, cwd: str | None = None) -> Submission:
    """Describe the call without reading anything from disk: enough to match a grant or to record it.

    Args:
        request: The request of the tool.
        context: The origin of the call; its metadata gives ids and the batch.
        cwd: Absolute working directory of the call; the process's own by default.

    Raises:
        NotJsonError: Arguments or payload are not JSON.
    """
    where = cwd or os.getcwd()  # noqa: PTH109 - text is what is stored and compared
    meta = context.metadata if context is not None else {}
    payload_key = canonical(request.payload)
    # Copies: others may still hold the originals and change them.
    payload = copy.deepcopy(request.payload)
    arguments = copy.deepcopy(arguments_of(request, context))
    presentation = _presentation(request)
    assessment = _assessed(request, arguments, where, shown=[presentation])
    return Submission(
        key=_key(meta),
        tool_name=request.tool_name,
        description=_described(request, arguments),
        payload=payload,
        payload_key=payload_key,
        arguments=arguments,
        digest=_digest(request, arguments, where, [_named(effect) for effect in request.effects]),
        cwd=where,
        presentation=presentation,
        group_id=request.group_id,
        group_size=request.group_size,
        batch_id=_text(meta.get("batch_id")),
        batch_position=meta.get("batch_position"),
        batch_remaining=tuple(meta.get("batch_remaining") or ()),
        risk=assessment.risk,
        risk_reasons=assessment.reasons,
        supports=_supported(request, context) - (_KEPT if assessment.hides_values else set()),
        why=request.why,
        definition=None if request.definition is None else request.definition.digest,
        expires_at=_deadline(request.expires_in),
        masked_keys=request.masked_keys,
        caller=_text(meta.get("caller")) or "",
        via=_text(meta.get("via")) or "",
        server=request.server,
    )


def submission_with_snapshot(request: RequestedCall, plain: Submission) -> tuple[Submission, Snapshot]:
    """Read the files that the call would touch and bind the submission to them.

    Its risk is judged again only if the files give reasons that the plain call did not.

    Args:
        request: The request of the tool.
        plain: The submission made by `plain_submission`.

    Returns:
        The submission with snapshot, contents and a digest over all of it, and the snapshot for a later check
        of whether the files are still as they were shown.

    Raises:
        SnapshotError: A file cannot be read or an edit does not apply; the message says what to do.
    """
    snapshot = take(request.effects)
    # The target of a link may change under the same arguments, so an approval of it is for once.
    once = _KEPT if _leads_elsewhere(snapshot) else frozenset()
    bound = replace(
        plain,
        supports=plain.supports - once - _not_for(snapshot, plain.arguments),
        digest=_digest(request, plain.arguments, plain.cwd, snapshot.digest_material()),
        snapshot=snapshot.to_json(),
        blobs=snapshot.blobs,
    )
    if not snapshot.items:
        return bound, snapshot
    # A link may lead elsewhere than its name suggests: the file that is really written is judged as well.
    places = [change.before.real_path for change in snapshot.items]
    shown = [plain.presentation, *(data.decode(errors="replace") for data in snapshot.blobs.values())]
    if reasons_of_files(places, plain.cwd, shown, masked_keys=request.masked_keys).issubset(plain.risk_reasons):
        return bound, snapshot
    resolved = [FileWrite(place, b"") for place in places]
    return _judged(bound, _assessed(request, plain.arguments, plain.cwd, resolved, shown=shown)), snapshot


def judged_again(request: RequestedCall, plain: Submission) -> Submission:
    """Judge a described call again, with its presentation and the files as they are now.

    Args:
        request: The request of the tool, with its present presentation.
        plain: The submission made by `plain_submission`.
    """
    presentation = _presentation(request)
    judged = replace(plain, presentation=presentation, supports=plain.supports | _KEPT)
    return _judged(judged, _assessed(request, plain.arguments, plain.cwd, shown=[presentation]))


def _presentation(request: RequestedCall) -> dict[str, Any] | None:
    return request.presentation.model_dump(mode="json") if request.presentation else None


def _assessed(
    request: RequestedCall,
    arguments: Mapping[str, Any],
    cwd: str,
    resolved: Sequence[Effect] = (),
    *,
    shown: Sequence[object],
) -> Assessment:
    """The risk of a request, with the effects on the real targets once those are known."""
    return assess(
        request.tool_name,
        arguments,
        [*request.effects, *resolved],
        cwd,
        description=request.description,
        shown=shown,
        masked_keys=request.masked_keys,
    )


def _judged(submission: Submission, assessment: Assessment) -> Submission:
    return replace(
        submission,
        risk=assessment.risk,
        risk_reasons=assessment.reasons,
        supports=submission.supports - (_KEPT if assessment.hides_values else set()),
    )


def _supported(request: RequestedCall, context: CallOrigin | None) -> frozenset[str]:
    """The choices of a reviewer besides a plain yes or no; an edit takes a tool and a runner that support it."""
    if context is None:
        return _ALL
    runs = {PARTIAL} if context.check_edited is None else {PARTIAL, EDIT}
    return (_ALL - context.lacks) | (request.honors & context.honors & runs)


def _not_for(snapshot: Snapshot, arguments: Mapping[str, Any]) -> frozenset[str]:
    """The features that cannot be offered for a call with these effects.

    Without effects there are no contents. Other contents are for one text that is written once, where nothing else
    depends on it. Other arguments may have other effects, which nobody was shown; only another command line is
    shown by itself.
    """
    match snapshot.steps:
        case ():
            return frozenset({PARTIAL})
        case (FileChange(binary=False),):
            return frozenset({EDIT})
        case (CommandRun(command=command),) if named_command(arguments, command) is not None:
            return frozenset({PARTIAL})
        case _:
            return frozenset({EDIT, PARTIAL})


def _leads_elsewhere(snapshot: Snapshot) -> bool:
    """True if a path or working directory of the call leads to another place."""
    named = [(change.path, change.before.real_path) for change in snapshot.items]
    named += [(run.cwd, run.real_cwd) for run in snapshot.commands]
    return any(os.path.normpath(name) != real for name, real in named)


def arguments_of(request: RequestedCall, context: CallOrigin | None) -> Mapping[str, Any]:
    """Return all known arguments of a call."""
    if request.arguments is not None:
        return request.arguments
    return context.args if context is not None else request.payload


def _described(request: RequestedCall, arguments: Mapping[str, Any]) -> str:
    """The tool's description without the values of hidden arguments: most descriptions are made of them."""
    return DEFAULT_REDACTION.also(request.masked_keys).without_values(request.description, arguments)


def _digest(request: RequestedCall, arguments: Mapping[str, Any], cwd: str, effects: object) -> str:
    what = {"tool": request.tool_name, "arguments": dict(arguments), "cwd": cwd, "effects": effects}
    if request.definition is not None:
        what["definition"] = request.definition.digest
    if request.server is not None:
        what["server"] = request.server
    return digest(what)


def _named(effect: Effect) -> dict[str, Any]:
    """The effect as JSON, for the digest of a call whose files were not read."""
    if isinstance(effect, FileWrite):
        more = {"replaces": effect.replaces, "mode": effect.mode}
        told = {name: value for name, value in more.items() if value is not None}
        return {"kind": "write", "path": effect.path, "data": effect.data.hex(), **told}
    values = {name: getattr(effect, name) for name in effect.__slots__}
    confinement = values.pop("confinement", None)
    named = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    if confinement is not None:
        named["confinement"] = [confinement.backend, confinement.profile, confinement.words]
    return {"kind": type(effect).__name__, **named}


def _key(meta: Mapping[str, Any]) -> str:
    """The sender's own identity for the call, so that posting it again finds the same request.

    The step is part of it because some models number their calls from zero in every turn, and the answer to
    an earlier call must never answer a later one.
    """
    run, step, call = meta.get("run_id"), meta.get("run_step"), meta.get("tool_call_id")
    if run is None or call is None:
        return uuid.uuid4().hex
    return f"{run}:{call}" if step is None else f"{run}:{step}:{call}"


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _deadline(seconds: float | None) -> int | None:
    return None if seconds is None else time.time_ns() // 1000 + int(seconds * 1_000_000)
