"""`FileSandbox`: files inside named roots, with approval where its configuration says so."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator

from signoff.approved_call import (
    ApprovedContent,
    approved_instead,
    approved_state,
    require_approved,
    was_written,
)
from signoff.confine.detect import Usable, detect, first_usable
from signoff.effects import Command, FileEdit, FileWrite
from signoff.policy.verdict import Level, Verdict
from signoff.present.snapshot.files import changed_meanwhile, edited, named
from signoff.present.snapshot.steps import FileState
from signoff.queue.amendment import PARTIAL
from signoff.tools.os_profile import OSProfileConfig
from signoff.tools.os_sandbox import OSSandbox
from signoff.tools.roots import Access, Operation, PathConfig, Roots
from signoff.tools.safe_io import (
    Attachment,
    LockedFile,
    attachment,
    list_beneath,
    locked_file,
    read_beneath,
)
from signoff.tools.setting_faults import made_from
from signoff.tools.shell_rules import ShellConfig
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = [
    "Attachment",
    "FileSandbox",
    "PathConfig",
    "SandboxConfig",
    "TriedChange",
    "as_sandbox_config",
]


# -- The ``sandbox`` block of a configuration.


class SandboxConfig(BaseModel):
    """Roots by name, and whether the operating system must enforce them too."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paths: dict[str, PathConfig] = Field(default_factory=dict)
    """Configuration of each root by its name."""
    require_os_sandbox: StrictBool = False
    """Whether commands run in a sandbox of the operating system, or not at all."""
    os_sandbox_fallback: Literal["fail_fast", "refuse_tools"] = "fail_fast"
    """Without that sandbox: refuse to start, or start and block every file and shell tool."""
    os_sandbox: Literal["external"] | None = None
    """external: a container or virtual machine confines the agent as required; nobody checks that. Left out: none
    does."""
    os_sandbox_backends: tuple[Literal["bwrap", "landlock", "seatbelt"], ...] = Field(
        ("bwrap",), json_schema_extra={"minItems": 1}
    )
    """The ways to confine commands, in order; the first that works is taken.

    ``landlock`` holds less (``signoff sandbox check`` says what), and makes a writable directory with a protected
    file in it read-only. ``seatbelt`` is for macOS, and experimental.
    """
    os_sandbox_profile: OSProfileConfig | None = None
    """Further limits for commands. Left out: none."""

    @field_validator("os_sandbox_backends")
    @classmethod
    def _must_name_one(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            raise ValueError("must name at least one")
        return names


def as_sandbox_config(given: SandboxConfig | Mapping[str, Any]) -> SandboxConfig:
    """Read a ``sandbox`` block, or only the mapping of roots in it.

    Raises:
        ValueError: The block is not valid; the text has for each problem its place and what to write instead.
    """
    if isinstance(given, SandboxConfig):
        return given
    return made_from(SandboxConfig, given if _is_block(given) else {"paths": given}, ("sandbox",))


def _is_block(given: object) -> bool:
    """True for the whole block; a root may be called ``paths`` as well, but then it has a ``root``."""
    paths = given.get("paths") if isinstance(given, Mapping) else None
    return isinstance(paths, Mapping) and not isinstance(paths.get("root"), str)


_HERE = "."
_MOST_LISTED = 1000
_OPERATIONS: dict[str, Operation | Literal["list"]] = {
    "read_file": "read",
    "read_attachment": "read",
    "write_file": "write",
    "edit_file": "write",
    "list_files": "list",
}
_VERBS = {
    "read_file": "Read",
    "read_attachment": "Attach",
    "write_file": "Write",
    "edit_file": "Edit",
    "list_files": "List",
}
_HONORS = frozenset({PARTIAL})
_WEAKER = "name landlock in os_sandbox_backends, which works here and holds less, or "
_OR_ELSE = (
    'set require_os_sandbox to false, or os_sandbox_fallback to "refuse_tools" to start without file and shell'
    ' tools, or os_sandbox to "external" if something else confines the agent'
)

_group: ContextVar[_Group | None] = ContextVar("signoff_file_group", default=None)


@dataclass(frozen=True, slots=True)
class TriedChange:
    """A file that a command changed on a copy.

    Attributes:
        path: The real path, without links.
        content: The new content; None if the file is gone.
        replaces: SHA-256 of the content that the copy began with, in hexadecimal; "" if there was no file.
        mode: The new permission bits; None if the command did not change them.
        old_mode: Those that the copy began with; None if there was no file.
    """

    path: str
    content: bytes | None
    replaces: str = ""
    mode: int | None = None
    old_mode: int | None = None

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the new content."""
        return None if self.content is None else sha256(self.content).hexdigest()

    def is_made(self, found: FileState) -> bool:
        """True if the real file is as the command left its copy."""
        return found.sha256 == self.sha256 and self.mode in {None, found.mode}

    def require_applicable(self, found: FileState) -> None:
        """Return if the real file is as the copy was when the command began.

        Raises:
            SnapshotError: Something else changed it, or put a link in its place.
        """
        led_elsewhere = found.link_target is not None or found.real_path != self.path
        if led_elsewhere or (found.sha256 or "") != self.replaces:
            raise changed_meanwhile(self.path)
        if self.mode is not None and found.mode != self.old_mode:
            raise changed_meanwhile(self.path)


@dataclass(frozen=True, slots=True)
class _Group:
    sandbox: FileSandbox
    id: str
    size: int | None


class FileSandbox:
    """Files below named roots: `read_file`, `read_attachment`, `write_file`, `edit_file`, `list_files`.

    Links are resolved before anything is decided, and exactly the declared file is written. In an approved call it
    must still be as it was shown: if anything else wrote it meanwhile, the call is refused. A
    reviewer may approve a part of a text, or another one: exactly that is written, and the result says so.
    The methods can be called directly; then nobody is asked, but everything outside the roots stays blocked.

    Roots are opened once. Everything is read, listed or written below them without following any link, so that a
    link or a directory that is swapped at any moment leads nowhere.

    Args:
        paths: Configuration of each root by its name, or a whole `SandboxConfig`.
        cwd: Directory at which relative paths start; the process's own by default.
        by_kernel: True to let the kernel resolve paths below a root if it can (Linux, `openat2`); otherwise each
            directory on the way is opened by itself.

    Raises:
        ValueError: A configuration is not valid, or it requires a sandbox of the operating system that cannot be
            had. With ``os_sandbox_fallback: refuse_tools`` all calls are blocked instead.
        OSError: No more directories can be opened.
    """

    def __init__(
        self,
        paths: SandboxConfig | Mapping[str, PathConfig | Mapping[str, Any]] | Mapping[str, Any],
        *,
        cwd: str | None = None,
        by_kernel: bool = True,
    ) -> None:
        config = as_sandbox_config(paths)
        self._config = config
        self._refuses = False
        if config.require_os_sandbox and config.os_sandbox is None:
            found = first_usable(config.os_sandbox_backends)
            self._refuses = not isinstance(found, Usable)
            if isinstance(found, tuple) and config.os_sandbox_fallback == "fail_fast":
                why = "; ".join(map(str, found))
                remedies = (_WEAKER if isinstance(detect("landlock"), Usable) else "") + _OR_ELSE
                raise ValueError(
                    f"require_os_sandbox is set, and commands cannot be confined here: {why}; or {remedies}"
                )
        self._names = frozenset(config.paths)
        self._all_roots = Roots(config.paths, cwd, by_kernel=by_kernel)

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The methods that are tools, by name."""
        return {name: getattr(self, name) for name in _OPERATIONS}

    @property
    def cwd(self) -> str:
        """Absolute directory at which relative paths start."""
        return self._all_roots.cwd

    @property
    def places(self) -> tuple[tuple[str, PathConfig], ...]:
        """The directories of the roots, without links, with their settings."""
        return self._all_roots.places

    @property
    def names(self) -> frozenset[str]:
        """Names of the roots."""
        return self._names

    @property
    def _roots(self) -> Roots:
        self.require_usable()
        return self._all_roots

    @property
    def is_refused(self) -> bool:
        """True if all calls are blocked: they require a sandbox of the operating system that cannot be had."""
        return self._refuses

    def require_usable(self) -> None:
        """Return if the tools may be used at all.

        Raises:
            PermissionError: The tools require a sandbox of the operating system that cannot be had.
        """
        if self._refuses:
            raise PermissionError(
                "file and shell tools are refused: they require a sandbox of the operating system"
            )

    def os_sandbox(self, shell: ShellConfig | None, cwd: str) -> OSSandbox | None:
        """Return what confines the commands of a shell tool; None if the settings do not require that.

        Args:
            shell: The settings of the tool.
            cwd: The directory in which its commands run.

        Raises:
            ValueError: A root is too wide to be writable for commands.
        """
        config = self._config
        if not config.require_os_sandbox or config.os_sandbox is not None or self._refuses:
            return None
        return OSSandbox(
            self.places, shell, config.os_sandbox_profile, cwd=cwd, backends=config.os_sandbox_backends
        )

    @property
    def is_confined_elsewhere(self) -> bool:
        """True if somebody says that something else confines the whole agent."""
        return self._config.require_os_sandbox and self._config.os_sandbox is not None

    def holds(self, path: str, names: Collection[str]) -> bool:
        """True if a path lies in roots of certain names, and no other root is below it.

        Raises:
            PermissionError: The tools may not be used at all.
        """
        return self._roots.hold(path, names)

    @contextmanager
    def group(self, group_id: str, size: int | None = None) -> Iterator[None]:
        """Make the requests of the body one group, to be shown and decided together.

        Args:
            group_id: Name of the group, as the reviewer reads it.
            size: The number of its requests, if known.
        """
        token = _group.set(_Group(self, group_id, size))
        try:
            yield
        finally:
            _group.reset(token)

    # -- verdicts on paths ----------------------------------------------------------------------------

    def verdict(self, operation: Operation | Literal["list"], path: object) -> Verdict:
        """Return the verdict on one path. Looks at names and links on the disk, never into a file.

        Args:
            operation: The operation: ``read``, ``write`` or ``list``.
            path: The path as the agent gave it; anything but text is blocked.

        Returns:
            Allow, ask or block; the rule is the name of the root that decides, empty if there is none.

        Raises:
            ValueError: There is no such operation.
        """
        if operation not in _OPERATIONS.values():
            raise ValueError(f'a path is judged for "read", "write" or "list", not for {operation!r}')
        try:
            access = self._access(operation, path)
        except PermissionError as error:
            return Verdict(Level.BLOCK, reasons=(str(error),))
        level = Level.ASK if access.reasons else Level.ALLOW
        return Verdict(level, access.sandbox, access.reasons)

    def _access(self, operation: Operation | Literal["list"], path: object) -> Access:
        if operation == "list":
            return self._roots.listing(path)
        return self._roots.access(operation, path)

    # -- approval --------------------------------------------------------------------------------------

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Check whether a call has to be approved.

        Returns:
            The request, None if none is needed, or `NotImplemented` for the tools of others.

        Raises:
            PermissionError: The call is blocked: outside every root, read-only, or not a file.
        """
        if ctx.tool_name not in _OPERATIONS:
            return NotImplemented  # type: ignore[no-any-return]  # no opinion
        access = self._asked(ctx)
        return self._request(ctx, access) if access.reasons else None

    def approval_request(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Return the request for a call that is to be approved whatever this sandbox allows.

        Raises:
            PermissionError: The call is blocked.
        """
        return self._request(ctx, self._asked(ctx)) if ctx.tool_name in _OPERATIONS else None

    def _asked(self, ctx: ApprovalContext) -> Access:
        operation = _OPERATIONS[ctx.tool_name]
        return self._access(operation, ctx.args.get("path", _HERE if operation == "list" else None))

    def _request(self, ctx: ApprovalContext, access: Access) -> ApprovalRequest:
        group_id, group_size = self._group_of(ctx)
        return ApprovalRequest(
            tool_name=ctx.tool_name,
            description=f"{_VERBS[ctx.tool_name]} {access.sandbox}:{access.relative}",
            payload=_payload(access),
            group_id=group_id,
            group_size=group_size,
            arguments=ctx.args,
            effects=_effects(ctx, access),
            honors=_HONORS if _OPERATIONS[ctx.tool_name] == "write" else frozenset(),
            why=f"sandbox {access.sandbox}: {', '.join(access.reasons) or 'asked for'}",
        )

    def _group_of(self, ctx: ApprovalContext) -> tuple[str | None, int | None]:
        """The group: as named here, else by the starter of the run, else the calls of one turn of the model."""
        here, meta = _group.get(), ctx.metadata
        if here is not None and here.sandbox is self:
            return here.id, here.size
        if meta.get("group_id") is not None:
            return str(meta["group_id"]), meta.get("group_size")
        alone = meta.get("batch_position") == 0 and not meta.get("batch_remaining")
        return (None if alone else meta.get("batch_id")), None

    # -- the tools -------------------------------------------------------------------------------------

    def read_file(self, path: str) -> str:
        """Read a UTF-8 text file.

        Args:
            path: The file, relative to the working directory or absolute.

        Raises:
            PermissionError: The path is blocked.
            ValueError: It is not UTF-8 text, or too large.
            OSError: It cannot be read.
        """
        _, data = self._read("read_file", path)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{named(path)} is not UTF-8 text") from None

    def read_attachment(self, path: str) -> Attachment:
        """Read a file of any kind, to be attached to a message.

        Args:
            path: The file, relative to the working directory or absolute.

        Raises:
            PermissionError: The path is blocked.
            ValueError: It is too large.
            OSError: It cannot be read.
        """
        access, data = self._read("read_attachment", path)
        return attachment(access.path, data)

    def _read(self, tool_name: str, path: str) -> tuple[Access, bytes]:
        access = self._roots.access("read", path)
        require_approved(tool_name, _payload(access))
        try:
            return access, read_beneath(access.root, access.relative, many_names=access.has_many_names)
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no file {named(path)}") from None

    def write_file(self, path: str, content: str) -> str:
        """Create a file or replace its whole content.

        Args:
            path: The file, relative to the working directory or absolute.
            content: The whole new content.

        Raises:
            PermissionError: The path is blocked, or is not what was approved; or the file was changed since
                (`ChangedSinceApprovedError`).
            OSError: It cannot be written; the old content is untouched.
        """
        access = self._roots.access("write", path)
        return self._write("write_file", access, FileWrite(access.path, content))

    def _write(self, tool_name: str, access: Access, effect: FileWrite, change: TriedChange | None = None) -> str:
        require_approved(tool_name, _payload(access), [effect])
        instead = approved_instead(access.path)
        data = effect.data if instead is None else instead.data
        with locked_file(access.root, access.relative, approved_state(access.path), make_parents=True) as file:
            found = None if change is None else _applicable(change, file)
            was_written(access.path, file.replace(data, found, effect.mode))
        return _told(f"Wrote {len(data)} bytes to {access.sandbox}:{access.relative}", instead)

    def edit_file(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once in a file.

        Args:
            path: The file, relative to the working directory or absolute.
            old: Text to replace, exactly as it stands in the file.
            new: Text that takes its place.

        Raises:
            PermissionError: The path is blocked, or is not what was approved; or the file was changed since
                (`ChangedSinceApprovedError`).
            ValueError: The text does not occur exactly once, or the file is not UTF-8 text.
            OSError: It cannot be written; the old content is untouched.
        """
        access = self._roots.access("write", path)
        effect = FileEdit(access.path, old, new)
        require_approved("edit_file", _payload(access), [effect])
        instead = approved_instead(access.path)
        with locked_file(access.root, access.relative, approved_state(access.path)) as file:
            found, data = file.look()
            after = edited(effect, found, data) if instead is None else instead.data
            was_written(access.path, file.replace(after, found))
        return _told(f"Edited {access.sandbox}:{access.relative}", instead)

    # -- changes that a command made on copies ---------------------------------------------------------

    def change_request(self, ctx: ApprovalContext, change: TriedChange) -> ApprovalRequest:
        """Return the request for a change that a command made on a copy of a root.

        Args:
            ctx: The call of the command.
            change: The change.

        Raises:
            PermissionError: The file may not be written.
        """
        access = self._roots.access("write", change.path)
        group_id, group_size = self._group_of(ctx)
        write, gone = _write_of(access, change), change.content is None
        verb = "Remove" if gone else "Set permissions of" if change.sha256 == change.replaces else "Write"
        payload = _payload(access) | {"sha256": change.sha256}
        return ApprovalRequest(
            tool_name=ctx.tool_name,
            description=f"{verb} {access.sandbox}:{access.relative}",
            # With the content, so that an approval that is remembered is for nothing else.
            payload=payload if change.mode is None else payload | {"mode": f"{change.mode:o}"},
            group_id=group_id,
            group_size=group_size,
            arguments=ctx.args,
            # What is removed is shown, too, and must still be there as it was.
            effects=(write, _removal(access)) if gone else (write,),
            honors=frozenset() if gone else _HONORS,
            why=", ".join(["what a command did on a copy", *access.reasons]),
        )

    def change(self, ctx: ApprovalContext, change: TriedChange) -> str:
        """Make an approved change, and return what was done.

        Raises:
            PermissionError: It is not what was approved, or the file was changed since.
            ValueError: The file is not the one that the copy began with.
            OSError: It cannot be made; the old content is untouched.
        """
        access = self._roots.access("write", change.path)
        if change.content is not None:
            return self._write(ctx.tool_name, access, _write_of(access, change), change)
        require_approved(ctx.tool_name, _payload(access), [_removal(access)])
        with locked_file(access.root, access.relative, approved_state(access.path)) as file:
            file.remove(_applicable(change, file))
        return f"Removed {access.sandbox}:{access.relative}"

    def list_files(self, path: str = _HERE) -> list[str]:
        """List the files below a directory, relative to it, in order.

        Args:
            path: The directory, relative to the working directory or absolute.

        Raises:
            PermissionError: The directory is outside every root, or is not what was approved.
        """
        access = self._roots.listing(path)
        require_approved("list_files", _payload(access))
        found = list(list_beneath(access.root, access.relative))
        missing = len(found) - _MOST_LISTED
        return found if missing <= 0 else [*found[:_MOST_LISTED], f"... and {missing} more"]


def _told(done: str, instead: ApprovedContent | None) -> str:
    """The message for the agent about a written file, also if it is not as the agent wanted it."""
    return done if instead is None else f"{done}. It is not as asked: {instead.told}"


def _write_of(access: Access, change: TriedChange) -> FileWrite:
    return FileWrite(access.path, change.content or b"", change.replaces, change.mode)


def _applicable(change: TriedChange, file: LockedFile) -> FileState:
    """The state of a file to which a change can be applied."""
    found, _ = file.look()
    change.require_applicable(found)
    return found


def _removal(access: Access) -> Command:
    return Command(f"rm -- {shlex.quote(access.path)}", access.root.path)


def _payload(access: Access) -> dict[str, Any]:
    """The payload of an approval. A file with a second name by then may belong to another place."""
    payload: dict[str, Any] = {"sandbox": access.sandbox, "path": access.relative}
    if access.has_many_names:
        payload["hard_link"] = True
    return payload


def _effects(ctx: ApprovalContext, access: Access) -> tuple[FileWrite | FileEdit, ...]:
    """The effects of the call, from the same arguments that the tool is called with."""
    match ctx.tool_name:
        case "write_file":
            return (FileWrite(access.path, _text(ctx, "content")),)
        case "edit_file":
            return (FileEdit(access.path, _text(ctx, "old"), _text(ctx, "new")),)
        case _:
            return ()


def _text(ctx: ApprovalContext, name: str) -> str:
    value = ctx.args.get(name)
    if not isinstance(value, str):
        raise PermissionError(f'"{name}" of {ctx.tool_name} must be text')
    return value
