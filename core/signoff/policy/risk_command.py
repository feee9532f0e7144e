"""The risk of a command line, from the commands that it is parsed into.

Known harm is named, known harmless programs in plain commands are low, and everything else is medium. A level is
never lower because something could not be read.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterator, Sequence

from signoff.policy.risk_disguise import host_disguises, name_disguises
from signoff.policy.risk_path import path_findings
from signoff.policy.shell.expanding import Expanded, expand
from signoff.policy.shell.facts import Part, Word, possible_commands
from signoff.policy.shell.rule_coverage import side_door
from signoff.policy.shell.wrappers import SHELLS
from signoff.queue.records import Risk

__all__ = [
    "Finding",
    "candidate_findings",
    "command_findings",
    "line_findings",
    "run_findings",
    "telling_candidates",
]

Finding = tuple[Risk, str]
"""One reason and the level it asks for."""

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
_PUBLISHERS = frozenset({*_INSTALLERS, "twine", "gh", "docker", "podman", "hatch", "poetry", "flit"})
_TELLING = frozenset(
    {*_DELETES, *_PRIVILEGE, *_NETWORK, *_TEXT_RUNNERS, *_INSTALLERS, *_PUBLISHERS, "find", "git", "signoff"}
)
"""Programs whose name says something, with the words behind it or without."""
_ASKING = frozenset({"ask", "status"})
"""What an agent has to do with `signoff` itself; all else is the person's."""
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
_TRANSPARENT = frozenset({"command", "nice", "nohup", "time", "timeout", "stdbuf"})
"""Programs that do no more than what they run, which is judged by itself."""

_FLOORS = {
    "fills in what another command prints": "substitution",
    "reads or feeds another command as a file": "substitution",
    "has an expansion that does more than fill in a variable": "substitution",
    "writes to a file": "redirection",
    "sets a variable": "environment",
    "declares a variable": "environment",
}
_OTHER_FLOOR = "unparsed"
_HARMLESS_FLOORS = frozenset({"has a [[ ]] test", "calculates"})
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
"""What is unusual, but was read; of what was not read anything may be true, so it is high."""


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
    """Yield the words of what may be commands in a line, of those that `candidate_findings` says something of."""
    return possible_commands(expanded.candidates, expanded.anywhere, _tells)


def line_findings(expanded: Expanded) -> Iterator[tuple[str, Finding]]:
    """Yield what is said of a line as a whole: in words, and as a finding."""
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
    if not _harmless(part.words):
        yield Risk.MEDIUM, "unknown-command"


def candidate_findings(words: Sequence[Word]) -> Iterator[Finding]:
    """Yield what the name of a program says, with the words behind it."""
    name, rest = _name(words), {word.text for word in words[1:]}
    if name in _DELETES or (name == "find" and "-delete" in rest):
        yield Risk.HIGH, "delete"
    if name in _PRIVILEGE:
        yield Risk.HIGH, "privilege"
    if (name in _PUBLISHERS and rest & _PUBLISHING) or (name in {"git", "docker", "podman"} and "push" in rest):
        yield Risk.HIGH, "publish"
    if name == "signoff" and not rest & _ASKING:
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


def _may_name_a_host_of(name: str) -> Callable[[str], bool]:
    """Which arguments of a program may begin with a host; what `git` is given is mostly something else."""
    if name == "git":
        return lambda text: "//" in text or "@" in text
    return lambda text: name in _NETWORK and " " not in text


def _runs_what_it_loads(expanded: Expanded) -> bool:
    """What commands do together: to run what comes from the network is to let somebody else decide."""
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


def _harmless(words: Sequence[Word]) -> bool:
    texts = [word.text for word in words]
    if texts[0] == "git":
        return len(texts) > 1 and texts[1] in _HARMLESS_GIT
    if texts[:2] in (["python", "-m"], ["python3", "-m"]):
        return len(texts) > 2 and texts[2] in _HARMLESS_MODULES
    return texts[0] in _HARMLESS or texts[0] in _TRANSPARENT
