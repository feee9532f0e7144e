"""Which of the rule files that a person trusts is about a directory, and what its rules for the shell say.

An agent may run with other rules than these, and its word about that is not asked: what is shown is what the
person's own file says, with its name.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from signoff.policy.shell.evaluate import judge_command
from signoff.policy.trust import TrustedFile, TrustError, trusted_files
from signoff.policy.verdict import Level, Verdict
from signoff.setting_files.errors import ConfigError

if TYPE_CHECKING:
    from signoff.config.verdicts import SettingsVerdicts

__all__ = ["ShellRules", "shell_rules_for"]

_USUAL = "signoff.yaml"
_CODE = "tools.py"
"""Code of custom tools, which is trusted beside a rule file and holds no rules."""


class ShellRules(Struct, frozen=True):
    """The rules for commands in a directory.

    Attributes:
        directory: The directory.
        file: Path of the rule file that is about it, if there is one and it counts.
        problem: Why there are no rules, in words that may be those of others; empty if nothing is wrong.
    """

    directory: str
    file: str | None = None
    problem: str = ""
    _verdicts: SettingsVerdicts | None = None

    @property
    def known(self) -> bool:
        """Whether there are rules to judge by."""
        return self._verdicts is not None

    def judge(self, command: str) -> Verdict:
        """What the rules say of a command, part by part; without any, what is asked about whatever rules say."""
        found = None if self._verdicts is None else self._verdicts.shell(command, self.directory)
        return found or judge_command(command, (), Level.ALLOW)


def shell_rules_for(directory: str) -> ShellRules:
    """Find the rules for commands that run in a directory: of the nearest trusted file there or above.

    Args:
        directory: Absolute, without links.
    """
    try:
        near = _nearest(directory, trusted_files())
    except TrustError as error:
        return ShellRules(directory, problem=str(error))
    if near is None:
        return ShellRules(directory)
    if near.state == "gone":
        return ShellRules(directory, problem=f"{near.name} is gone, so its rules are not used")
    if near.state == "changed":
        changed = f"{near.name} changed since you trusted it, so its rules are not used"
        return ShellRules(directory, problem=changed)
    return _read(directory, near.name)


def _nearest(directory: str, files: tuple[TrustedFile, ...]) -> TrustedFile | None:
    """Of several in one directory the one with the usual name, else the first."""
    above = [str(each) for each in (PurePath(directory), *PurePath(directory).parents)]

    def rank(file: TrustedFile) -> tuple[int, bool]:
        path = Path(file.name)
        return above.index(str(path.parent)), path.name != _USUAL

    about = (each for each in files if Path(each.name).name != _CODE and str(Path(each.name).parent) in above)
    return min(about, key=rank, default=None)


def _read(directory: str, file: str) -> ShellRules:
    from signoff.config.trusting import load_trusted  # late: few requests are commands with rules
    from signoff.config.verdicts import SettingsVerdicts

    try:
        config = load_trusted(file)
    except (ConfigError, TrustError, OSError) as error:
        return ShellRules(directory, problem=f"{file} cannot be used: {str(error).splitlines()[0]}")
    if config.shell is None:
        return ShellRules(directory, problem=f"{file} has no rules for the shell")
    return ShellRules(directory, file, _verdicts=SettingsVerdicts(config, Path(file).parent))
