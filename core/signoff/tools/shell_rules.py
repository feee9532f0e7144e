"""The rules on shell commands: which run, are asked about or blocked. Models of the configuration.

Three documents spell the same thing in three ways; all are read, one is written:

```yaml
shell:
  default: {allowed: true, approval: true}
  rules:
    - pattern: git status
      approval: false
    - pattern: rm
      allowed: false
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator, model_validator

__all__ = ["ShellConfig", "ShellDefault", "ShellRule"]

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@+,%=-]+")
_APPROVALS = {"required": True, "none": False}
_ACTIONS = {
    "allow": {"allowed": True, "approval": False},
    "approve": {"allowed": True, "approval": True},
    "deny": {"allowed": False},
}


class ShellDefault(BaseModel):
    """The setting for commands that no rule is about.

    ``approval: required`` or ``none``, ``approval_required: true`` or ``false``, and ``action: allow``,
    ``approve`` (let it run once it was approved) or ``deny`` are read as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    allowed: StrictBool = True
    """Whether the command may run at all."""
    approval: StrictBool = True
    """Whether it has to be approved."""

    @model_validator(mode="before")
    @classmethod
    def _read_spellings(cls, data: Any) -> Any:
        return _in_our_words(data) if isinstance(data, Mapping) else data


class ShellRule(ShellDefault):
    """The rule for commands that begin with certain words.

    The pattern is words, separated by blanks; there are no wildcards. It is compared with the words of the
    command after quotes are removed: ``git status`` is about ``git status -s``, not about ``git statusx``.
    A rule is about the command wherever in a line it is run. One that asks or disallows is about the program in
    any directory, and whatever `sandbox_paths` say; one that lets through is not.
    """

    pattern: str
    """The first words of the command; no wildcards."""
    description: str | None = None
    """What the reviewer reads in the list; the command is shown with it. Left out: the command."""
    any_arguments: StrictBool = False
    """Whether a rule that lets through covers all arguments. Left out: its own words and what is known to be
    harmless for the program; of a program of which nothing is known, exactly its own words."""
    sandbox_paths: tuple[str, ...] = ()
    """Names of sandbox roots: the rule lets through only a single command that writes out all of its paths, at
    least one, and all of them in these roots. What a program reads or writes by itself is not told by its words.
    Left out: any path."""

    @field_validator("pattern")
    @classmethod
    def _must_be_plain_words(cls, pattern: str) -> str:
        words = pattern.split()
        if (
            not words
            or words[0].endswith("/")
            or not all(word == "[" or _PLAIN_WORD.fullmatch(word) for word in words)
        ):
            raise ValueError(
                f"{pattern!r} is not a program in plain words: no wildcards, quotes or operators here"
            )
        return pattern

    @model_validator(mode="after")
    def _must_not_contradict(self) -> Self:
        if self.any_arguments and self.sandbox_paths:
            raise ValueError('"any_arguments" and "sandbox_paths" contradict each other; give one of them')
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the pattern."""
        return tuple(self.pattern.split())


class ShellConfig(BaseModel):
    """The ``shell`` block of a configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    default: ShellDefault = Field(default_factory=ShellDefault)
    """For commands that no rule is about."""
    rules: tuple[ShellRule, ...] = ()
    """Of the rules that are about a command the strictest decides, in whatever order they stand."""
    network: StrictBool = False
    """Whether confined commands have the network, which `require_os_sandbox` asks for."""
    mode: Literal["ask", "review"] = "ask"
    """ask: commands are asked about as the rules say. review: none is; each works on copies of the writable roots,
    without network, and what it changed is asked about. What the rules block stays blocked."""

    @classmethod
    def from_top_level(
        cls,
        shell_default: ShellDefault | Mapping[str, Any] | None = None,
        shell_rules: Iterable[ShellRule | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Read the block from the keys ``shell_default`` and ``shell_rules``.

        Args:
            shell_default: As `default`.
            shell_rules: As `rules`.

        Raises:
            pydantic.ValidationError: The values are not valid.
        """
        given = {"default": shell_default, "rules": None if shell_rules is None else tuple(shell_rules)}
        return cls.model_validate({name: value for name, value in given.items() if value is not None})


def _in_our_words(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings as ``allowed`` and ``approval``; ``ValueError`` for spellings that contradict."""
    values = dict(given)
    said_by: dict[str, str] = {name: name for name in ("allowed", "approval") if name in values}
    if isinstance(values.get("approval"), str):
        values["approval"] = _choice("approval", values["approval"], _APPROVALS)
    for spelling in ("approval_required", "action"):
        if spelling not in values:
            continue
        value = values.pop(spelling)
        means = {"approval": value} if spelling == "approval_required" else _choice(spelling, value, _ACTIONS)
        for name, setting in means.items():
            if name in said_by and values[name] != setting:
                raise ValueError(f'"{said_by[name]}" and "{spelling}" contradict each other; give one of them')
            values[name] = setting
            said_by[name] = spelling
    return values


def _choice(name: str, value: object, choices: Mapping[str, Any]) -> Any:
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f'"{name}" must be one of {known}, not {value!r}')
    return choices[value]
