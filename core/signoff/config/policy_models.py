"""The models of what a settings file says of calls by the tool's name, its server and its arguments.

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

from collections.abc import Mapping
from typing import Annotated, Any, Literal

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
)

from signoff.policy.argument_rules import Condition, Scalar
from signoff.policy.regex import compile_pattern
from signoff.policy.verdict import Level
from signoff.setting_files.paths import shown

__all__ = [
    "LEVELS",
    "ApprovalPoliciesConfig",
    "ArgumentRuleConfig",
    "PatternConfig",
    "PolicyConfig",
    "Redaction",
    "RequiresApproval",
    "ToolArgumentsConfig",
    "ToolServer",
    "VerdictWord",
    "condition_of",
]

VerdictWord = Literal["allow", "ask", "block"]

LEVELS: dict[str, Level] = {"allow": Level.ALLOW, "ask": Level.ASK, "block": Level.BLOCK}


def _usable(text: str) -> str:
    """A pattern that compiles, for a rule that allows and for one that does not."""
    for against in (False, True):
        compile_pattern(text, ignore_case=against, dot_matches_newline=against)
    return text


def _scalar(value: object) -> object:
    if isinstance(value, Scalar):
        return value
    raise ValueError(f"must be a text, a number, true or false, not {shown(value)}")


def _kind(value: object) -> str:
    """Names no key that a file may have: pydantic adds it to the place of a mistake."""
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

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    pattern: PatternText
    """Regular expression of RE2; it must match the whole text."""


Wanted = Annotated[
    Annotated[PatternConfig, Tag("<pattern>")]
    | Annotated[tuple[ScalarValue, ...], Tag("<list>")]
    | Annotated[ScalarValue, Tag("<value>")],
    Discriminator(_kind),
]
"""What an argument must be: a value, one of a list of values, or a text that a pattern matches."""


def condition_of(key: str, wanted: object, level: Level) -> Condition:
    """What a rule says of one argument.

    Args:
        key: Its dotted key.
        wanted: What it must be, as in a file.
        level: What the rule says.

    Raises:
        ValueError: The key or a value cannot be used.
    """
    if isinstance(wanted, PatternConfig):
        return Condition.matching(key, wanted.pattern, level)
    return Condition.equal_to(key, wanted if isinstance(wanted, tuple) else (wanted,))


class ArgumentRuleConfig(BaseModel):
    """A rule about calls with certain arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

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

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    default: VerdictWord = "ask"
    """What happens to a call that no rule is about."""
    rules: tuple[ArgumentRuleConfig, ...] = ()
    """Of those that are about a call the strictest decides, in whatever order they stand."""


class RequiresApproval(BaseModel):
    """Which tools of a server have to be approved."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    always: StrictBool = False
    """Whether every tool has to be approved."""
    conditional: tuple[PatternText, ...] = ()
    """Patterns for the whole names of tools that have to be approved; case is ignored."""


class Redaction(BaseModel):
    """What of the calls of a server is masked where it is shown or kept."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    arguments: tuple[str, ...] = ()
    """Words; an argument with one of them in its name is masked, besides those that always are. Commands, paths,
    hosts and code are never masked."""
    outputs: StrictBool = False
    """Only means something to a program that shows or keeps results; signoff does neither."""


class ToolServer(BaseModel):
    """Rules for the tools of one server."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    server_name: str = Field(min_length=1)
    """Name of the server, exactly."""
    allowlist: tuple[PatternText, ...] | None = None
    """Patterns for whole names of tools: all others are blocked. Left out: none is. Empty: every tool is."""
    denylist: tuple[PatternText, ...] = ()
    """Patterns for whole names of tools that are blocked, whatever else is said; case is ignored."""
    requires_approval: RequiresApproval = Field(default_factory=RequiresApproval)
    """Which tools have to be approved."""
    default: Literal["allow", "ask"] | None = None
    """What happens to a tool that none of this is about. Left out: what holds for any tool of its name."""
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
        """Whether there may be tools of the server about which only `PolicyConfig.unknown` says something."""
        return self.default is None and self.allowlist != () and not self.requires_approval.always


class ApprovalPoliciesConfig(BaseModel):
    """For which guesses, by its name, a tool has to be approved."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    write_ops: StrictBool = True
    """Whether tools have to be approved that appear to change something."""
    dangerous_ops: StrictBool = True
    """Whether tools have to be approved that appear to run programs or to do harm."""


class PolicyConfig(BaseModel):
    """What is said of calls by the tool's name, its server and its arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

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
    """Only means something to a daemon that runs agents; nothing is approved by it here."""

    @field_validator("tool_servers")
    @classmethod
    def _each_server_once(cls, servers: tuple[ToolServer, ...]) -> tuple[ToolServer, ...]:
        names = [server.server_name for server in servers]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f'the server "{twice}" has rules in two places; give one')
        return servers

    @property
    def has_policy(self) -> bool:
        """Whether anything is said of calls."""
        said = (self.tool_servers, self.arguments, self.approval_policies is not None)
        return any(said) or "unknown" in self.model_fields_set
