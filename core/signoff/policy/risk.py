"""The risk of a call: low, medium or high, with reasons.

Computed from the declared effects and arguments of the call, never from its own description. Reasons are short
stable codes, which `text.risk` puts into words. When in doubt the level goes up, not down.
"""

from __future__ import annotations

import itertools
import os.path
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath, PurePosixPath
from typing import Any

from signoff.effects import Command, Effect, FileEdit, FileWrite, Risk
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.policy.shell.commands import Expanded, expand
from signoff.policy.shell.rule_coverage import covering_row, side_door
from signoff.policy.shell.syntax_model import LOOKS, LOOP, Part, Word, possible_commands
from signoff.policy.shell.wrappers import SHELLS
from signoff.present.reveal import Field, findings
from signoff.present.snapshot.codec import steps_from_json
from signoff.present.snapshot.steps import CommandRun
from signoff.queue.records import Submission

__all__ = [
    "HIDDEN_VALUE",
    "Assessment",
    "Finding",
    "assess",
    "assess_stored",
    "candidate_findings",
    "command_findings",
    "host_disguises",
    "lies_in_bare_repository",
    "line_findings",
    "name_disguises",
    "path_findings",
    "reasons_of_files",
    "run_findings",
    "stricter",
    "telling_candidates",
]


Finding = tuple[Risk, str]
"""One reason, and the level that it sets."""

HIDDEN_VALUE = "hidden-value"
"""The reason given to a call with values that are shown only on demand; see `redaction.masking`."""

_UNASSESSED = "unassessed"
_ORDER = {Risk.LOW: 0, Risk.MEDIUM: 1, Risk.HIGH: 2}

_HIDES_THE_END = frozenset({"long", "padding"})


@dataclass(frozen=True, slots=True)
class Assessment:
    """The risk of a call, and the reasons why it is not lower."""

    risk: Risk
    reasons: tuple[str, ...]

    @property
    def hides_values(self) -> bool:
        """True if part of the call is hidden until the person asks for it: no approval of it is remembered."""
        return HIDDEN_VALUE in self.reasons


def assess(
    tool_name: str,
    arguments: Mapping[str, Any],
    effects: Sequence[Effect],
    cwd: str,
    *,
    description: str = "",
    shown: Sequence[object] = (),
    masked_keys: Sequence[str] = (),
) -> Assessment:
    """Judge a tool call.

    Args:
        tool_name: Name of the tool.
        arguments: Full arguments.
        effects: The declared effects; empty when the tool declares none.
        cwd: Absolute working directory: the project that the agent may be expected to work in.
        description: The tool's description; it is only searched for hidden characters and secrets.
        shown: Further shown parts of the call, texts and JSON values; only searched for secrets.
        masked_keys: Names of arguments that are masked besides those that always are.

    Returns:
        The highest level any reason asks for, with all reasons, each once, in order of discovery.
    """
    masks = DEFAULT_REDACTION.also(masked_keys)
    findings = [
        *_effects(effects, cwd),
        *_arguments(arguments, declared=bool(effects)),
        *_hostile([(tool_name, "tool_name"), *((text, "content") for text in (description, *_texts(arguments)))]),
        *_hostile(_named_by(effects)),
        *_hidden(effects, [dict(arguments), description, *shown], masks),
    ]
    risk = max((level for level, _ in findings), key=_ORDER.__getitem__, default=Risk.LOW)
    return Assessment(risk, tuple(dict.fromkeys(reason for _, reason in findings)))


def reasons_of_files(
    paths: Iterable[str], cwd: str, contents: Sequence[object], *, masked_keys: Sequence[str] = ()
) -> frozenset[str]:
    """Return the reasons that `assess` has for files alone, once they were read.

    Args:
        paths: The real paths of the files.
        cwd: Absolute working directory of the call.
        contents: Their contents, and what else is shown of the call, as texts and JSON values.
        masked_keys: As in `assess`.
    """
    files = [FileWrite(path, b"") for path in paths]
    findings = [
        *_effects(files, cwd),
        *_hostile(_named_by(files)),
        *_hidden((), contents, DEFAULT_REDACTION.also(masked_keys)),
    ]
    return frozenset(reason for _, reason in findings)


def assess_stored(submission: Submission) -> Assessment:
    """Judge a stored call, without the contents of files.

    Args:
        submission: The submission of an agent. Its own risk is not looked at.

    Returns:
        As `assess`; HIGH if the stored call cannot be judged.
    """
    try:
        return assess(
            submission.tool_name,
            submission.arguments,
            tuple(_stored_effects(submission)),
            submission.cwd,
            description=submission.description,
            shown=[submission.presentation],
            masked_keys=submission.masked_keys,
        )
    except Exception:  # noqa: BLE001 - whatever an agent posted: what cannot be judged may be anything
        return Assessment(Risk.HIGH, (_UNASSESSED,))


def stricter(submission: Submission) -> Submission:
    """Return a submission with the stricter of its sender's risk and `assess_stored`, and all reasons.

    The program that sent it may be old, broken or lying. Reasons of the higher level come first; a sender that saw
    less is named by ``sent-as-low`` or ``sent-as-medium``.
    """
    own = assess_stored(submission)
    reasons = (*submission.risk_reasons, *own.reasons)
    risk = submission.risk
    if _ORDER[own.risk] > _ORDER[risk]:
        reasons = (*own.reasons, f"sent-as-{risk}", *submission.risk_reasons)
        risk = own.risk
    reasons = tuple(dict.fromkeys(reasons))
    supports = submission.supports - {"session"} if own.hides_values else submission.supports
    if (risk, reasons, supports) == (submission.risk, submission.risk_reasons, submission.supports):
        return submission  # as most: a copy of each of thousands would take megabytes
    return replace(submission, risk=risk, risk_reasons=reasons, supports=supports)


def _stored_effects(submission: Submission) -> Iterator[Effect]:
    """The effects of the steps of a stored snapshot, by name; a link is judged by its target as well."""
    for step in () if submission.snapshot is None else steps_from_json(submission.snapshot):
        if isinstance(step, CommandRun):
            yield Command(step.command, step.cwd, step.env)
        else:
            yield FileWrite(step.path, b"")
            yield FileWrite(step.before.real_path, b"")


def _effects(effects: Sequence[Effect], cwd: str) -> Iterator[Finding]:
    for effect in effects:
        match effect:
            case FileWrite(path=path) | FileEdit(path=path):
                yield from path_findings(path, cwd)
            case Command(command=command, cwd=where, env=env):
                yield from command_findings(command, where)
                if env:
                    yield Risk.MEDIUM, "environment"


def _arguments(arguments: Mapping[str, Any], *, declared: bool) -> Iterator[Finding]:
    """Judge a structured call; any effect beyond the declared ones is unknown."""
    if not declared:
        yield Risk.MEDIUM, "unknown-effects"
    for text in _texts(arguments.get("method")):
        if text.upper() == "DELETE":
            yield Risk.HIGH, "delete"
    for key in ("url", "uri", "host", "endpoint"):
        texts = [*_texts(arguments.get(key))]
        if any(texts):
            yield Risk.MEDIUM, "network"
        yield from host_disguises(texts)


def _named_by(effects: Sequence[Effect]) -> Iterator[tuple[str, Field]]:
    """The paths and command lines of effects."""
    for effect in effects:
        match effect:
            case FileWrite(path=path) | FileEdit(path=path):
                yield path, "path"
            case Command(command=command):
                yield command, "command"


def _hostile(shown: Iterable[tuple[str, Field]]) -> Iterator[Finding]:
    """Findings for text that is invisible, looks like other text, or hides where it ends."""
    for text, field in shown:
        for finding in findings(text, field):
            if finding.warn:
                yield Risk.MEDIUM, "hidden-length" if finding.kind in _HIDES_THE_END else "hidden-chars"


def _hidden(effects: Sequence[Effect], values: Iterable[object], masks: Redactor) -> Iterator[Finding]:
    found = (masks.spans(value) if isinstance(value, str) else masks.finds(value) for value in values)
    if any(map(_has_secret, effects)) or any(found):
        yield Risk.MEDIUM, HIDDEN_VALUE


def _has_secret(effect: Effect) -> bool:
    match effect:
        case FileWrite(content=content):
            text = content if isinstance(content, str) else content.decode(errors="replace")
            return bool(DEFAULT_REDACTION.spans(text))
        case FileEdit(old=old, new=new):
            return any(map(DEFAULT_REDACTION.spans, (old, new)))
        case Command(command=command, env=env):
            texts = (command, *(f"={value}" for value in env.values()))
            return any(DEFAULT_REDACTION.spans(text, command=True) for text in texts)


def _texts(value: object) -> Iterable[str]:
    """Every string in a JSON value, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)


# -- The risk of a command line, from the commands that it is parsed into.
#
# Known harm is named, known harmless programs in plain commands are low, and everything else is medium. A level
# is never lower because something could not be read.

_DELETES = frozenset({"rm", "rmdir", "shred", "unlink", "dd", "mkfs", "truncate", "wipefs"})
_PRIVILEGE = frozenset(
    {"sudo", "doas", "su", "pkexec", "chown", "chmod", "setcap", "chroot", "unshare", "nsenter"}
)
_NETWORK = frozenset({"curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp", "socat"})
_TEXT_RUNNERS = frozenset({*SHELLS, "eval", "source", ".", "trap"})
_INSTALLERS = frozenset(
    {"pip", "pip3", "npm", "pnpm", "yarn", "npx", "uv", "uvx", "cargo", "gem", "brew", "apt", "apt-get"}
)
_PUBLISHING = frozenset({"publish", "upload", "release"})
_PUSHERS = frozenset({"git", "docker", "podman"})
_NOT_PUBLISHING = frozenset({("git", "stash", "push"), ("gh", "release", "list"), ("gh", "release", "view")})
_PUBLISHERS = frozenset({*_INSTALLERS, "twine", "gh", "docker", "podman", "hatch", "poetry", "flit"})
_TELLING = frozenset(
    {*_DELETES, *_PRIVILEGE, *_NETWORK, *_TEXT_RUNNERS, *_INSTALLERS, *_PUBLISHERS, "find", "git", "signoff"}
)
"""Programs whose name alone, or with the words after it, tells of a risk."""
_ASKING = frozenset({"ask", "status"})
"""Verbs of `signoff` that an agent needs; all others are for the person."""
_RUNS = "--run"
"""The option by which `signoff ask` runs a command itself, which its mode may have approved without a person."""
_STARTERS = frozenset(
    {"uv", "uvx", "pipx", "poetry", "pdm", "hatch", "rye", "pipenv", "pixi", "conda", "mamba", "micromamba"}
)
"""Programs that start `signoff` from an environment that they know."""
_PROGRAM = re.compile(r"(?:(?:.*/)?bin/)?signoff(?:[@=<>~!\[].*)?", re.DOTALL)
"""The program, as such a program is told to run it: by its name or path, perhaps with a version."""
_MODULE = re.compile(r"(?:-[A-Za-z]*m)?signoff\.cli(?:\.__main__)?")
"""The module, as Python is told to run it, perhaps in one word with its options."""
_WRITERS = frozenset({"tee", "cp", "mv", "ln", "install", "touch", "mkdir", "dd", "sed", "patch", "rsync"})
"""Programs that write the files that their arguments name."""

# Programs that read, or check the project, without side doors that matter at this level.
_HARMLESS = frozenset(
    {
        "[", "cat", "cd", "cut", "diff", "echo", "false", "grep", "head", "ls", "mypy", "printf", "pwd", "pytest",
        "ruff", "sort", "stat", "tail", "test", "true", "uniq", "wc", "which",
    }
)  # fmt: skip
_HARMLESS_GIT = frozenset({"status", "diff", "log", "show"})
_HARMLESS_MODULES = frozenset({"pytest", "unittest", "ruff", "mypy"})
_TEST_RUNNERS = frozenset(
    {"pytest", "py.test", "unittest", "tox", "nox", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest"}
)
_TESTING = frozenset({"cargo", "go", "make", "npm", "pnpm", "yarn"})
"""Programs that run the tests of a project if their first word is `test`."""
_TRANSPARENT = frozenset({"command", "nice", "nohup", "time", "timeout", "stdbuf"})
"""Programs that only run another command, which is judged by itself."""

_FLOORS = {
    "fills in what another command prints": "substitution",
    "reads or feeds another command as a file": "substitution",
    "has an expansion that does more than fill in a variable": "substitution",
    "writes to a file": "redirection",
    "sets a variable": "environment",
    LOOP: "environment",
    "declares a variable": "environment",
}
_OTHER_FLOOR = "unparsed"
_HARMLESS_FLOORS = frozenset({"has a [[ ]] test", LOOKS, "calculates"})
_READ_FLOORS = frozenset(
    {
        "redirects without a command",
        "opens a file under a number of its own",
        "feeds a descriptor that a command may read later",
        "reads from what is no ordinary file",
        "fills in a here-string",
        "fills in a here-document",
        "has an extended pattern",
        "defines a function",
        "starts a coprocess",
        "defines a test",
        "holds no command",
    }
)
"""Floors for commands that are unusual, but could be read. Any other floor is high."""


def command_findings(command: str, cwd: str) -> Iterator[Finding]:
    """Yield the reasons why a command line is not low risk.

    Args:
        command: The text handed to the shell.
        cwd: Absolute directory in which it runs.

    Yields:
        Pairs of level and short reason; nothing for plain commands of harmless programs.
    """
    expanded = expand(command)
    for _, found in line_findings(expanded):
        yield found
    for target in expanded.writes:
        yield from _written(target, cwd)
    for run in expanded.runs:
        yield from run_findings(run.part, cwd)
    for words in telling_candidates(expanded):
        yield from candidate_findings(words)


def telling_candidates(expanded: Expanded) -> Iterator[tuple[Word, ...]]:
    """Yield the words of possible commands in a line of which `candidate_findings` finds something."""
    return possible_commands(expanded.candidates, expanded.anywhere, _tells)


def line_findings(expanded: Expanded) -> Iterator[tuple[str, Finding]]:
    """Yield the findings on a line as a whole, each with its words."""
    for floor in expanded.floors:
        if floor not in _HARMLESS_FLOORS:
            yield floor, (_level_of(floor), _FLOORS.get(floor, _OTHER_FLOOR))
    if _runs_what_it_loads(expanded):
        yield "runs what comes from the network", (Risk.HIGH, "runs-download")


def _level_of(floor: str) -> Risk:
    was_read = floor in _FLOORS or floor in _READ_FLOORS or floor.startswith("has the character ")
    return Risk.MEDIUM if was_read else Risk.HIGH


def run_findings(part: Part, cwd: str) -> Iterator[Finding]:
    """Yield the reasons why one command of a line is not low risk."""
    if part.writes:
        yield Risk.MEDIUM, "redirection"
    for target in part.writes:
        yield from _written(target, cwd)
    yield from candidate_findings(part.words)
    name = _name(part.words)
    if name in _WRITERS:
        for word in part.words[1:]:
            yield from _written(word, cwd)
    elif any(_leads_outside(word, cwd) for word in part.words[1:]):
        yield Risk.MEDIUM, "reads-outside"
    if not part.words[0].literal:
        yield Risk.MEDIUM, "substitution"
    elif name not in _NETWORK and side_door(part.words, of_readers=True):
        yield Risk.MEDIUM, "side-door"
    if _runs_project_code(part.words):
        yield Risk.LOW, "runs-project-code"
    if not _harmless(part.words):
        yield Risk.MEDIUM, "unknown-command"


def candidate_findings(words: Sequence[Word]) -> Iterator[Finding]:
    """Yield the findings on the name of a program and the words after it."""
    name, rest = _name(words), {word.text for word in words[1:]}
    if name in _DELETES or (name == "find" and "-delete" in rest):
        yield Risk.HIGH, "delete"
    if name in _PRIVILEGE:
        yield Risk.HIGH, "privilege"
    if _publishes(name, words):
        yield Risk.HIGH, "publish"
    if _answers_requests(name, words):
        yield Risk.HIGH, "answers-requests"
    if name == "git" and rest & {"reset", "clean", "checkout", "restore"}:
        yield Risk.MEDIUM, "discards-work"
    if name in _NETWORK:
        yield Risk.MEDIUM, "network"
    yield from name_disguises(name)
    yield from host_disguises(filter(_may_name_a_host_of(name), rest))
    if name in _TEXT_RUNNERS:
        yield Risk.MEDIUM, "shell-string"
    if name in _INSTALLERS:
        yield Risk.MEDIUM, "package-scripts"


def _publishes(name: str, words: Sequence[Word]) -> bool:
    """True if a command may send something to others: any word may say so, unless the table knows better."""
    telling = {*(_PUBLISHING if name in _PUBLISHERS else ()), *(("push",) if name in _PUSHERS else ())}
    if telling.isdisjoint(word.text for word in words[1:]):
        return False
    row = covering_row(words) if words[0].literal else ()
    return row not in _NOT_PUBLISHING and (not row or not telling.isdisjoint(row[1:]))


def _answers_requests(name: str, words: Sequence[Word]) -> bool:
    """True if a command runs `signoff`, by itself or through another program, to do more than `_ASKING`."""
    texts = [word.text for word in words]
    called: tuple[re.Pattern[str], ...] = ()
    if name == "signoff":
        return _does_more_than_ask(texts[1:])
    if name == "uvx" or (name in _STARTERS and "run" in texts):
        called = _PROGRAM, _MODULE
    elif name.startswith(("python", "pypy")):
        called = (_MODULE,)
    at = next((at for at, text in enumerate(texts) if any(each.fullmatch(text) for each in called)), None)
    return at is not None and _does_more_than_ask(texts[at + 1 :])


def _does_more_than_ask(words: Sequence[str]) -> bool:
    return _ASKING.isdisjoint(words[:1]) or _RUNS in words


def _may_name_a_host_of(name: str) -> Callable[[str], bool]:
    """A test for arguments of a program that may begin with a host; those of `git` mostly do not."""
    if name == "git":
        return lambda text: "//" in text or "@" in text
    return lambda text: name in _NETWORK and " " not in text


def _runs_what_it_loads(expanded: Expanded) -> bool:
    """True if a line loads something from the network and runs text: then others decide what is run."""
    loads = any(_name(run.part.words) in _NETWORK for run in expanded.runs)
    runs = any(_name(run.part.words) in _TEXT_RUNNERS and run.reasons for run in expanded.runs)
    return loads and runs


# -- words ---------------------------------------------------------------------------------------------------


def _tells(word: Word) -> bool:
    name = _name((word,))
    return name in _TELLING or not name.isascii()


def _name(words: Sequence[Word]) -> str:
    return os.path.basename(words[0].text) if words[0].literal else ""  # noqa: PTH119 - text, not a path here


def _written(word: Word, cwd: str) -> Iterator[Finding]:
    if word.text.startswith("-"):
        return
    if word.text.startswith("~"):
        yield Risk.HIGH, "outside-root"
    yield from path_findings(os.path.join(cwd, word.text), cwd)  # noqa: PTH118 - text, not a path here


def _leads_outside(word: Word, cwd: str) -> bool:
    text = word.text
    if text.startswith("-"):  # a path may stand in the same word as its option
        glued = {text[2:], text.partition("=")[2]} - {"", text}
        return any(_leads_outside(Word(each), cwd) for each in glued if not each.startswith("-"))
    if text.startswith("~"):
        return True
    path = os.path.normpath(os.path.join(cwd, text))  # noqa: PTH118 - text, not a path here
    looks_like_a_path = text.startswith(("/", "../")) or text == ".."
    return looks_like_a_path and path != "/dev/null" and not f"{path}/".startswith(f"{cwd.rstrip('/')}/")


def _runs_project_code(words: Sequence[Word]) -> bool:
    """True for a test runner: what it does is up to the code of the project."""
    name, texts = _name(words), [word.text for word in words]
    if name.startswith("python") and texts[1:2] == ["-m"]:
        name = "".join(texts[2:3])
    return name in _TEST_RUNNERS or (name in _TESTING and texts[1:2] == ["test"])


def _harmless(words: Sequence[Word]) -> bool:
    texts = [word.text for word in words]
    if texts[0] == "git":
        return len(texts) > 1 and texts[1] in _HARMLESS_GIT
    if texts[:2] in (["python", "-m"], ["python3", "-m"]):
        return len(texts) > 2 and texts[2] in _HARMLESS_MODULES
    return texts[0] in _HARMLESS or texts[0] in _TRANSPARENT


# -- The risk of changing a file, by its name: files that other programs run or obey without asking anybody.

# All in lower case: some file systems do not tell cases apart.
_CI = frozenset({".github", ".gitlab-ci.yml", ".circleci", ".buildkite", "jenkinsfile"})
_STARTUP = frozenset(
    {
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
        ".zlogin", ".envrc", ".gitconfig", "config.fish", "crontab", "authorized_keys", "sitecustomize.py",
        "usercustomize.py",
    }
)  # fmt: skip
_RULES = frozenset(
    {"signoff.yaml", "signoff.yml", "deciding.key", "reviewers.pub", ".mcp.json", ".claude", ".vscode", ".cursor"}
    | {".codex", ".gemini"}
)
_BUILD = frozenset(
    {
        "pyproject.toml", "setup.py", "setup.cfg", "package.json", "makefile", "dockerfile", "cargo.toml",
        "build.rs", "conftest.py", "tox.ini", "noxfile.py", "justfile", ".pre-commit-config.yaml", "go.mod",
        "cmakelists.txt",
    }
)  # fmt: skip


_REPOSITORY = ("HEAD", "objects", "refs")
"""The entries by which git knows a folder for a repository; see gitrepository-layout(5)."""


def lies_in_bare_repository(path: str) -> bool:
    """True if a file lies in a folder that git takes for a repository, or would make one of its folder.

    Args:
        path: Absolute path; the file need not be there.
    """
    if os.path.basename(path).lower() == "head":  # noqa: PTH119 - names are compared
        return True
    folders = itertools.accumulate(PurePosixPath(path).parent.parts, os.path.join)
    return any(all(os.path.lexists(os.path.join(folder, name)) for name in _REPOSITORY) for folder in folders)  # noqa: PTH118


def path_findings(path: str, cwd: str) -> Iterator[tuple[Risk, str]]:
    """Yield the reasons why a change of a file is not low risk.

    Args:
        path: Absolute path of the file.
        cwd: Absolute directory of the project.
    """
    root = next((root for root in (cwd, os.path.realpath(cwd)) if PurePath(path).is_relative_to(root)), cwd)
    parts = PurePath(os.path.relpath(os.path.normpath(path), root)).parts or (os.curdir,)
    names = {part.lower() for part in parts}
    name = parts[-1].lower()
    if parts[0] == os.pardir:
        yield Risk.HIGH, "outside-root"
    if ".git" in names or lies_in_bare_repository(path):
        yield Risk.HIGH, "git-internals"
    if names & _CI:
        yield Risk.HIGH, "ci-file"
    if name in _STARTUP or ".ssh" in names:
        yield Risk.HIGH, "start-up-file"
    if names & _RULES:
        yield Risk.HIGH, "rules-file"
    if name in _BUILD:
        yield Risk.MEDIUM, "build-file"


# -- Programs and hosts that pass for others: by letters that look like ASCII, or behind Punycode.

_REASON = "disguised"


def name_disguises(name: str) -> Iterator[tuple[Risk, str]]:
    """Yield a reason if a program has the name of another one in letters that only look the same."""
    yield from _found(name, "tool_name", "disguise")


def host_disguises(texts: Iterable[str]) -> Iterator[tuple[Risk, str]]:
    """Yield a reason for each text that leads to a host that passes for another, with or without a scheme.

    A host in Punycode may spell any other.
    """
    for text in texts:
        yield from _found(text, "url", "punycode")


def _found(text: str, field: Field, kind: str) -> Iterator[tuple[Risk, str]]:
    if (not text.isascii() or "xn--" in text.lower()) and any(
        each.warn and each.kind == kind for each in findings(text, field)
    ):
        yield Risk.MEDIUM, _REASON
