"""The models of a settings file, and the spellings that it may use.

The rules on calls by tool name, server and arguments look so in a file:

```yaml
tools:
  - server_name: files
    allowlist: ["read_.*", "list_.*"]
    denylist: [".*delete.*"]
    requires_approval:
      conditional: [".*write.*"]

unknown: ask
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    Tag,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from signoff.modes import Mode
from signoff.policy.argument_rules import Condition, Scalar
from signoff.policy.regex import compile_pattern
from signoff.policy.verdict import Level
from signoff.settings_yaml import KeyPath, Mark, YamlDocument, dotted, shown
from signoff.tools.custom import CustomToolConfig
from signoff.tools.file_sandbox import SandboxConfig
from signoff.tools.shell_rules import ShellConfig

__all__ = [
    "LEVELS",
    "AgentConfig",
    "ApprovalPoliciesConfig",
    "ArgumentRuleConfig",
    "HostedAgentConfig",
    "PatternConfig",
    "PolicyConfig",
    "Redaction",
    "RequiresApproval",
    "Respelled",
    "ToolArgumentsConfig",
    "ToolConfig",
    "ToolServer",
    "VerdictWord",
    "condition_of",
    "respell",
]


VerdictWord = Literal["allow", "ask", "block"]

LEVELS: dict[str, Level] = {"allow": Level.ALLOW, "ask": Level.ASK, "block": Level.BLOCK}


def _usable(text: str) -> str:
    """Check a pattern as part of a rule that allows and of one that does not, and return it."""
    for against in (False, True):
        compile_pattern(text, ignore_case=against, dot_matches_newline=against)
    return text


def _scalar(value: object) -> object:
    if isinstance(value, Scalar):
        return value
    raise ValueError(f"must be a text, a number, true or false, not {shown(value)}")


def _kind(value: object) -> str:
    """The tag of a kind of value, which no key of a file can be: pydantic puts it into locations."""
    if isinstance(value, Mapping | PatternConfig):
        return "<pattern>"
    return "<list>" if isinstance(value, list | tuple) else "<value>"


def _not_null(value: object) -> object:
    if value is None:
        raise ValueError("says nothing; give a value, or leave the key out")
    return value


PatternText = Annotated[str, AfterValidator(_usable)]
"""Text of a pattern that RE2 supports."""

ScalarValue = Annotated[Any, BeforeValidator(_scalar), WithJsonSchema({"type": ["string", "number", "boolean"]})]


class PatternConfig(BaseModel):
    """Texts that a pattern matches as a whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: PatternText
    """Regular expression of RE2; it must match the whole text."""


Wanted = Annotated[
    Annotated[PatternConfig, Tag("<pattern>")]
    | Annotated[tuple[ScalarValue, ...], Tag("<list>")]
    | Annotated[ScalarValue, Tag("<value>")],
    Discriminator(_kind),
]
"""The condition on an argument: a value, one of a list of values, or a text that a pattern matches."""


def condition_of(key: str, wanted: object, level: Level) -> Condition:
    """Build the condition that a rule puts on one argument.

    Args:
        key: Its dotted key.
        wanted: The condition as in a file.
        level: The level of the rule.

    Raises:
        ValueError: The key or a value cannot be used.
    """
    if isinstance(wanted, PatternConfig):
        return Condition.matching(key, wanted.pattern, level)
    return Condition.equal_to(key, wanted if isinstance(wanted, tuple) else (wanted,))


class ArgumentRuleConfig(BaseModel):
    """A rule about calls with certain arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: dict[str, Wanted]
    """Arguments by dotted key, and what each must be: a value, one of a list, or a pattern. All must hold."""
    verdict: VerdictWord
    """What happens to such a call: allow (it runs), ask (it has to be approved), block."""

    @field_validator("when")
    @classmethod
    def _must_be_usable(cls, when: dict[str, Any]) -> dict[str, Any]:
        if not when:
            raise ValueError('names no argument; what holds for the rest is the "default"')
        for key, wanted in when.items():
            condition_of(key, wanted, Level.ALLOW)
        return when


class ToolArgumentsConfig(BaseModel):
    """Rules on the arguments of one tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    default: VerdictWord = "ask"
    """What happens to a call that no rule is about."""
    rules: tuple[ArgumentRuleConfig, ...] = ()
    """Of those that are about a call the strictest decides, in whatever order they stand."""


class RequiresApproval(BaseModel):
    """Which tools of a server have to be approved."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    always: StrictBool = False
    """Whether every tool has to be approved."""
    conditional: tuple[PatternText, ...] = ()
    """Patterns for the whole names of tools that have to be approved; case is ignored."""


class Redaction(BaseModel):
    """The masking of a server's calls, wherever they are shown or kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arguments: tuple[str, ...] = ()
    """Words; an argument with one of them in its name is masked, besides those that always are. Commands, paths,
    hosts and code are never masked."""
    outputs: StrictBool = False
    """Has no effect: results of tools are neither shown nor kept, and the output of a run is kept as it is."""


class ToolServer(BaseModel):
    """Rules for the tools of one server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server_name: str = Field(min_length=1)
    """Name of the server, exactly."""
    allowlist: tuple[PatternText, ...] | None = None
    """Patterns for whole names of tools: all others are blocked. Left out: none is. Empty: every tool is."""
    denylist: tuple[PatternText, ...] = ()
    """Patterns for whole names of tools that are blocked, whatever else is said; case is ignored."""
    requires_approval: RequiresApproval = Field(default_factory=RequiresApproval)
    """Which tools have to be approved."""
    default: Literal["allow", "ask"] | None = None
    """What happens to a tool that none of this is about. Left out: it asks if its name is known to be dangerous,
    else as unknown says."""
    arguments: dict[str, ToolArgumentsConfig] = Field(default_factory=dict)
    """Rules on the arguments of tools of the server, by the name of the tool."""
    redaction: Redaction = Field(default_factory=Redaction)
    """What of its calls is masked."""

    @field_validator("allowlist", "default", mode="before")
    @classmethod
    def _must_say_something(cls, value: object) -> object:
        return _not_null(value)

    @property
    def leaves_tools_open(self) -> bool:
        """True if for some tools of the server only `PolicyConfig.unknown` decides."""
        return self.default is None and self.allowlist != () and not self.requires_approval.always


class ApprovalPoliciesConfig(BaseModel):
    """For which guesses, by its name, a tool has to be approved."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    write_ops: StrictBool = True
    """Whether tools have to be approved that appear to change something."""
    dangerous_ops: StrictBool = True
    """Whether tools have to be approved that appear to run programs or to do harm."""


class PolicyConfig(BaseModel):
    """The rules for calls, by the tool's name, its server and its arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool_servers: tuple[ToolServer, ...] = ()
    """Rules for the tools of servers; the same as a list in tools."""
    arguments: dict[str, ToolArgumentsConfig] = Field(default_factory=dict)
    """Rules on the arguments of tools of the agent itself, by the name of the tool."""
    approval_policies: ApprovalPoliciesConfig | None = None
    """What a tool is asked about because its name suggests it. Left out: nothing."""
    unknown: Literal["allow", "ask"] = "allow"
    """What happens to a call of a tool that nothing is known of. Asking is recommended: allow lets those of the
    servers here run, and leaves all others to the default of the program."""
    auto_approve_in_daemon: StrictBool = False
    """For `signoff serve`: whether calls of runs in the mode daemon are approved without asking anybody."""

    @field_validator("tool_servers")
    @classmethod
    def _each_server_once(cls, servers: tuple[ToolServer, ...]) -> tuple[ToolServer, ...]:
        names = [server.server_name for server in servers]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f'the server "{twice}" has rules in two places; give one')
        return servers

    @property
    def has_policy(self) -> bool:
        """True if there are rules on calls."""
        said = (self.tool_servers, self.arguments, self.approval_policies is not None)
        return any(said) or "unknown" in self.model_fields_set


_STRICTNESS = (None, "none", "required", "deny")


class ToolConfig(BaseModel):
    """The setting of one tool, whatever it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    approval: Literal["required", "none", "deny"] | None = None
    """Whether its calls have to be approved, or are blocked; null leaves it to the tool."""


class HostedAgentConfig(BaseModel):
    """An agent that `signoff serve` runs; exactly one of the first three says what it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pydantic_ai: str | None = None
    """A PydanticAI agent, such as `shop:agent`: a module beside the settings file, and the name in it."""
    python: str | None = None
    """An `async` function that takes a `HostedRun` and returns its answer, named in the same way."""
    command: tuple[str, ...] | None = None
    """A program with its arguments; it speaks lines of JSON on standard output and standard input."""
    time_limit: float = Field(default=300, gt=0)
    """Seconds that a run may take, without those in which it waits for a person."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if sum(kind is not None for kind in (self.pydantic_ai, self.python, self.command)) != 1:
            raise ValueError('must have exactly one of "pydantic_ai", "python" and "command"')
        for entry in (self.pydantic_ai, self.python):
            if entry is not None and not all(part.isidentifier() for part in re.split("[.:]", entry)):
                raise ValueError(f"must name a module and something in it, such as shop:agent, not {shown(entry)}")
            if entry is not None and entry.count(":") != 1:
                raise ValueError(f"must have one colon, as in shop:agent, not {shown(entry)}")
        if self.command == ():
            raise ValueError("the command is empty; give the program")
        return self


class AgentConfig(PolicyConfig):
    """The limits of an agent's tools, and the calls that must be approved.

    Files may say some of it in other words too; `load_config` reads them, and these models are what they mean.
    """

    sandbox: SandboxConfig | None = None
    """Directories that the file tools work in. Without it there are no file tools."""
    shell: ShellConfig | None = None
    """Which commands run, which ask and which are blocked. Without it there is no shell tool."""
    custom_tools: dict[str, CustomToolConfig] = Field(default_factory=dict)
    """Functions of the file `tools.py` beside this one that become tools, by name."""
    tools: dict[str, ToolConfig] = Field(default_factory=dict)
    """Settings of any other tools, by name."""
    approval_mode: Mode | None = None
    """Who answers: a person (interactive), always yes (approve_all), always no (strict)."""
    agents: dict[str, HostedAgentConfig] = Field(default_factory=dict)
    """Agents that `signoff serve` runs, by name; they get the tools of this file, and its rules hold for them."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """For `signoff serve`: the least weight of what it logs."""
    verbose_logging: StrictBool = False
    """For `signoff serve`: whether the arguments of calls are logged too, without their secrets."""
    trace_enabled: StrictBool = False
    """For `signoff serve`: whether each HTTP request is logged, with its time."""
    metrics_enabled: StrictBool = True
    """For `signoff serve`: whether there is a page of metrics, for Prometheus."""

    @property
    def tool_configs(self) -> dict[str, dict[str, str]]:
        """Return the `tool_configs` for an `ApprovalToolset`; of two settings for one tool the stricter holds."""
        said = [
            *((name, config.approval) for name, config in self.tools.items()),
            *((name, config.approval) for name, config in self.custom_tools.items()),
        ]
        loosest_first = sorted(said, key=lambda setting: _STRICTNESS.index(setting[1]))
        return {name: {"approval": approval} for name, approval in loosest_first if approval is not None}


# -- The spellings of one setting, brought to that of the models.
#
# The documents that the format comes from write some things in two ways: ``shell_default`` and ``shell_rules``
# or ``shell``, a list of custom tools or a mapping, ``write_approval`` or ``approval: {write: …}``. All are
# read; two of them for one thing are a contradiction. ``tools`` means two things: as a mapping single tools, as
# a list the servers of `tool_servers`.

_APPROVAL = {"required": True, "none": False}


@dataclass(slots=True)
class Respelled:
    """The values of a file in one spelling.

    Attributes:
        document: The file; problems are noted there.
        values: The values that the models are made from.
        origins: The beginning of a path in the file, by its beginning in `values`.
    """

    document: YamlDocument
    values: dict[str, Any]
    origins: dict[KeyPath, KeyPath] = field(default_factory=dict)

    def as_written(self, path: KeyPath) -> KeyPath:
        """Return the path in the file of a path in the values."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origins:
                return self.origins[path[:end]] + path[end:]
        return path

    def has(self, path: KeyPath) -> bool:
        """True if there is a value at a path of the values."""
        return self.as_written(path) in self.document.marks or any(
            origin[: len(path)] == path for origin in self.origins
        )

    def place(self, path: KeyPath) -> tuple[Mark | None, str]:
        """Return the place of a value in the file, and its dotted key there."""
        written = self.as_written(path)
        return self.document.mark_of(written), dotted(written)


def respell(document: YamlDocument) -> Respelled:
    """Bring a file to one spelling.

    Values that cannot be brought there are noted in `document.problems` and left out, so that the rest can be
    checked.
    """
    if not isinstance(document.value, dict):
        kind = {list: "a list", type(None): "nothing"}.get(type(document.value), "a single value")
        document.complain((), f'must hold keys with values, such as "approval_mode: interactive", not {kind}')
        return Respelled(document, {})
    respelled = Respelled(document, {})
    for key, value in document.value.items():
        if value is None:
            if not document.complained((key,)):
                document.complain((key,), "says nothing; give a value, or leave the key out")
        else:
            respelled.values[key] = value
    _tool_servers(respelled)
    _policy_mode(respelled)
    _tools_without_settings(respelled)
    _shell(respelled)
    _custom_tools(respelled)
    _path_approvals(respelled)
    _settled_twice(respelled)
    return respelled


def _clash(document: YamlDocument, path: KeyPath, other: KeyPath) -> None:
    """Note that two keys set the same thing."""
    mark, other_mark = document.mark_of(path), document.mark_of(other)
    if mark and other_mark and mark < other_mark:
        path, other, other_mark = other, path, mark
    line = other_mark.line if other_mark else 0
    document.complain(path, f'says the same as "{dotted(other)}" in line {line}; give one of them')


def _shell(respelled: Respelled) -> None:
    """Turn ``shell_default`` and ``shell_rules`` into ``shell``."""
    values, document = respelled.values, respelled.document
    block: dict[str, Any] = {}
    for key, name in (("shell_default", "default"), ("shell_rules", "rules")):
        if key not in values:
            continue
        setting = values.pop(key)
        if "shell" in values:
            _clash(document, (key,), ("shell",))
        else:
            block[name] = setting
            respelled.origins["shell", name] = (key,)
    if block:
        values["shell"] = block


def _tool_servers(respelled: Respelled) -> None:
    """Turn a list in ``tools`` into ``tool_servers``."""
    values = respelled.values
    if not isinstance(values.get("tools"), list):
        return
    servers = values.pop("tools")
    if "tool_servers" in values:
        _clash(respelled.document, ("tools",), ("tool_servers",))
    else:
        values["tool_servers"] = servers
        respelled.origins[("tool_servers",)] = ("tools",)


def _policy_mode(respelled: Respelled) -> None:
    """Turn ``approval_mode: policy`` into ``approval_policies`` with a person who answers."""
    values = respelled.values
    if values.get("approval_mode") == "policy":
        values["approval_mode"] = "interactive"
        values.setdefault("approval_policies", {})


def _tools_without_settings(respelled: Respelled) -> None:
    """Give tools without a value empty settings."""
    for section in ("custom_tools", "tools"):
        tools = respelled.values.get(section)
        if isinstance(tools, dict):
            respelled.values[section] = {name: {} if tool is None else tool for name, tool in tools.items()}


def _custom_tools(respelled: Respelled) -> None:
    """Turn a list of custom tools into a mapping."""
    tools, document = respelled.values.get("custom_tools"), respelled.document
    if not isinstance(tools, list):
        return
    settings: dict[str, Any] = {}
    for i, name in enumerate(tools):
        path: KeyPath = ("custom_tools", i)
        if not isinstance(name, str) or not name:
            document.complain(path, "must be the name of a function; with settings, write a mapping, no list")
        elif name in settings:
            document.complain(path, f'"{name}" is in the list twice')
        else:
            settings[name] = {}
            respelled.origins["custom_tools", name] = path
    respelled.values["custom_tools"] = settings


def _path_approvals(respelled: Respelled) -> None:
    """Turn ``approval: {write: required}`` into ``write_approval: true``."""
    sandbox = respelled.values.get("sandbox")
    paths = sandbox.get("paths") if isinstance(sandbox, dict) else None
    for name, settings in paths.items() if isinstance(paths, dict) else ():
        path: KeyPath = ("sandbox", "paths", name)
        if not isinstance(settings, dict):
            continue
        block = settings.pop("approval", {})
        if not isinstance(block, dict):
            respelled.document.complain((*path, "approval"), 'must name "read" or "write", or both')
            continue
        for operation, answer in block.items():
            _path_approval(respelled, settings, (*path, "approval", operation), answer)


def _path_approval(respelled: Respelled, settings: dict[str, Any], path: KeyPath, answer: object) -> None:
    document = respelled.document
    *before, _, operation = path
    flag: KeyPath = (*before, f"{operation}_approval")
    if operation not in ("read", "write"):
        document.complain(path, 'is unknown; what can be approved is "read" and "write"')
    elif not isinstance(answer, str) or answer not in _APPROVAL:
        document.complain(path, f'must be "required" or "none", not {shown(answer)}')
    elif flag[-1] in settings:
        _clash(document, path, flag)
    else:
        settings[str(flag[-1])] = _APPROVAL[answer]
        respelled.origins[flag] = path


def _settled_twice(respelled: Respelled) -> None:
    """Note tools that have a setting both in ``tools`` and in ``custom_tools``."""
    tools, custom = respelled.values.get("tools"), respelled.values.get("custom_tools")
    if not isinstance(tools, dict) or not isinstance(custom, dict):
        return
    for name, settings in custom.items():
        if name in tools and isinstance(settings, dict) and "approval" in settings:
            _clash(respelled.document, ("custom_tools", name, "approval"), ("tools", name))
