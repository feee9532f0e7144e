"""From the syntax tree that shfmt prints to the facts that rules need.

The tree is walked as it is: whatever kind of node there is, its children are visited, so that no command hides in
a place that was not thought of. The nodes are those of mvdan.cc/sh/v3/syntax, as its package typedjson writes
them.
"""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from signoff.policy.shell.plain_commands import (
    ansi_c,
    double_quoted,
    here_document,
    unquoted,
)
from signoff.policy.shell.programs import fits_kind
from signoff.policy.shell.syntax_model import LOOKS, LOOP, Part, ShellFacts, Word
from signoff.policy.shell.wrappers import is_harmless

__all__ = ["facts_of_tree"]

Node = dict[str, Any]

_TABS = re.compile(r"^\t+", re.MULTILINE)
_DESCRIPTOR = re.compile(r"[0-9]+-?|-")

_FLOORS = {
    "CmdSubst": "fills in what another command prints",
    "ProcSubst": "reads or feeds another command as a file",
    "ArithmExp": "calculates",
    "ArithmCmd": "calculates",
    "LetClause": "calculates",
    "CStyleLoop": "calculates",
    "ExtGlob": "has an extended pattern",
    "ForClause": "sets a variable",
    "FuncDecl": "defines a function",
    "CoprocClause": "starts a coprocess",
    "TestClause": "has a [[ ]] test",
    "DeclClause": "declares a variable",
    "TestDecl": "defines a test",
}
"""Kinds of nodes for which a command is at least asked about."""
_DYNAMIC = frozenset({"ParamExp", "CmdSubst", "ProcSubst", "ArithmExp", "ExtGlob"})
_PLAIN_EXPANSION = frozenset({"Type", "Short", "Param", "Length"})
"""The fields of plain expansions: ``$NAME``, ``${NAME}`` and ``${#NAME}``."""


class _Position(Struct, frozen=True):
    """A position in the line, with the facts that commands there take from their surroundings."""

    piped: bool = False
    fed: str | None = None
    reads_file: bool = False
    joined: str = ""
    writes: tuple[Word, ...] = ()


@dataclass(slots=True)
class _Found:
    source: bytes | None
    parts: list[Part] = field(default_factory=list)
    floors: dict[str, None] = field(default_factory=dict)
    writes: list[Word] = field(default_factory=list)

    def floor(self, reason: str) -> None:
        self.floors.setdefault(reason)

    def word(self, node: Node) -> Word:
        """A word, with its text in the line if the shell fills it in."""
        word = _word(node)
        if word.literal or self.source is None or not node:
            return word
        written = self.source[node["Pos"]["Offset"] : node["End"]["Offset"]]
        return dataclasses.replace(word, written=written.decode(errors="replace"))


def facts_of_tree(tree: Node, source: bytes | None = None) -> ShellFacts:
    """Find the simple commands in a tree, and the reasons to ask in any case.

    Args:
        tree: The document that ``shfmt --to-json`` prints.
        source: The text of the tree, to show people words as written.
    """
    found = _Found(source)
    waiting: list[tuple[Any, _Position]] = [(tree, _Position())]
    while waiting:  # no recursion: the depth of the tree is the sender's
        node, place = waiting.pop()
        if isinstance(node, list):
            waiting += ((child, place) for child in reversed(node))
        elif isinstance(node, dict):
            waiting += reversed(list(_visit(node, place, found)))
    return ShellFacts(tuple(found.parts), tuple(found.floors), writes=tuple(found.writes))


def _visit(node: Node, place: _Position, found: _Found) -> Iterator[tuple[Any, _Position]]:
    """Note the facts of a node, and yield the nodes below it."""
    kind = node.get("Type")
    if isinstance(node.get("Op"), int):  # they are compared by their signs
        found.floor("has operators that an shfmt before 3.14 does not name")
    if "Cmd" in node or "Redirs" in node:
        place = _through_redirects(node.get("Redirs", ()), place, found)
        if "Cmd" not in node and node.get("Redirs"):
            found.floor("redirects without a command")
    if reason := _FLOORS.get(str(kind)):
        found.floor(_in_bash(node) or reason)
    if kind in _CALCULATES and _may_run(node):
        found.floor("calculates with a text that may run a command")
    if kind == "CallExpr":
        _call(node, place, found)
    elif kind == "DeclClause":
        words = (_lit(node["Variant"]), *(_assigned(each) for each in node.get("Args", ())))
        found.parts.append(_part(words, place))
    elif kind == "LetClause":
        found.parts.append(_part((Word("let"), Word("", literal=False)), place))
    elif kind == "ParamExp" and not _is_plain(node):
        found.floor("has an expansion that does more than fill in a variable")
    for name, child in node.items():
        if name in _STATEMENTS and isinstance(child, list):
            yield from _statements(child, _at_first(node, name, place))
        elif name == "Y" and kind == "BinaryCmd":
            yield child, replace(place, piped=place.piped or _is_pipe(node), joined=str(node.get("Op", "")))
        elif isinstance(child, (dict, list)):
            yield child, replace(place, joined="function") if kind == "FuncDecl" else place


_CALCULATES = frozenset({"ArithmExp", "ArithmCmd", "CStyleLoop", "UnaryTest", "BinaryTest"})
_CALCULATING_TESTS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"})


def _may_run(node: Node) -> bool:
    """True if bash reads a text of a node again to work out a number: an index in it may run a command."""
    if node["Type"] in {"UnaryTest", "BinaryTest"} and node.get("Op") not in _CALCULATING_TESTS:
        return False
    waiting: list[Any] = [value for name, value in node.items() if name != "Do"]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            if each.get("Type") in {"SglQuoted", "Lit"} and _REREAD.intersection(str(each.get("Value", ""))):
                return True
            if each.get("Type") not in _SUBSTITUTIONS:  # they are read as commands
                waiting += each.values()
    return False


def _in_bash(node: Node) -> str | None:
    """The reason to ask about a node in shells other than bash, if it does nothing in bash."""
    if node["Type"] == "ForClause" and _is_plain_loop(node):
        return LOOP
    return LOOKS if node["Type"] == "TestClause" and _only_looks(node.get("X")) else None


def _is_plain_loop(node: Node) -> bool:
    """True if a loop goes through words with a variable that means nothing to any program."""
    loop = node.get("Loop") or {}
    name = (loop.get("Name") or {}).get("Value", "")
    return loop.get("Type") == "WordIter" and not node.get("Select") and fits_kind("VARIABLE", name)


_LOOKING = frozenset({"-n", "-z", "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "=", "==", "!="})
_JOINING = frozenset({"!", "&&", "||"})


def _only_looks(test: Any) -> bool:
    """True if a ``[[ ]]`` compares texts and looks at files, and calculates nothing."""
    waiting = [test]
    while waiting:
        each = waiting.pop() or {}
        sides = [each[side] for side in ("X", "Y") if side in each]
        if each.get("Type") == "ParenTest" or each.get("Op") in _JOINING:
            waiting += sides
        elif each.get("Op") not in _LOOKING or any(side.get("Type") != "Word" for side in sides):
            return False
    return True


_REREAD = frozenset("$`\\")
"""The characters that change the meaning of a text when it is read once more."""

_STATEMENTS = frozenset({"Stmts", "Cond", "Then", "Do"})
"""Fields that hold statements one after the other."""
_SUBSTITUTIONS = frozenset({"CmdSubst", "ProcSubst"})


def _at_first(node: Node, name: str, place: _Position) -> _Position:
    """The position of the first of some statements, named by the keyword before it."""
    if node.get("Type") in _SUBSTITUTIONS:  # what it writes goes to the command that it stands in
        return replace(place, writes=(), joined=str(node.get("Op", "$(")))
    match name:
        case "Cond":
            word = "if" if "Then" in node else "while"
        case "Then":
            word = "then" if "Cond" in node else "else"
        case "Do":
            word = "do"
        case _:
            word = "case" if "Patterns" in node else place.joined
    return replace(place, joined=word)


def _statements(nodes: list[Any], first: _Position) -> Iterator[tuple[Any, _Position]]:
    place = first
    for node in nodes:
        yield node, place
        background = isinstance(node, dict) and node.get("Background")
        place = replace(first, joined="&" if background else ";")


def _is_pipe(node: Node) -> bool:
    return node.get("Type") == "BinaryCmd" and node.get("Op") in {"|", "|&"}


def _is_plain(node: Node) -> bool:
    said = {name for name, value in node.items() if value not in (None, False)}
    return {name for name in said if name not in _POSITIONS} <= _PLAIN_EXPANSION


_POSITIONS = frozenset({"Pos", "End", "Dollar", "Rbrace"})


# -- simple commands -----------------------------------------------------------------------------------------


def _call(node: Node, place: _Position, found: _Found) -> None:
    words = tuple(map(found.word, node.get("Args", ())))
    for each in node.get("Assigns", ()):
        if not words or not _is_harmless(each):
            found.floor("sets a variable")
    if words:
        found.parts.append(_part(words, place))


def _part(words: tuple[Word, ...], place: _Position) -> Part:
    return Part(words, place.piped, place.fed, place.reads_file, place.joined, place.writes)


def _is_harmless(assign: Node) -> bool:
    if assign.get("Append") or assign.get("Index") or assign.get("Array"):
        return False
    return is_harmless(assign.get("Name", {}).get("Value", ""), _word(assign.get("Value") or {}))


def _assigned(assign: Node) -> Word:
    """An argument of ``declare`` and its relatives."""
    name, value = assign.get("Name"), assign.get("Value")
    if name is None or assign.get("Array") or assign.get("Index"):
        return _word(value or {}) if name is None else Word(name.get("Value", ""), literal=False)
    if value is None:
        return _lit(name)
    word = _word(value)
    return Word(f"{name['Value']}={word.text}", word.literal)


# -- redirections --------------------------------------------------------------------------------------------


def _through_redirects(redirects: Any, place: _Position, found: _Found) -> _Position:
    """Judge the redirections of a statement, and return the input of its commands."""
    for each in redirects:
        operator, word = each.get("Op"), found.word(each.get("Word") or {})
        number = each.get("N") or {}
        if str(number.get("Value", "")).startswith("{"):
            found.floor("opens a file under a number of its own")
        if operator in {"<<", "<<-", "<<<"}:
            fed = _here_string(each, found) if operator == "<<<" else _here_document(each, found)
            if number.get("Value") in {None, "0"}:
                place = replace(place, fed=fed)
            else:
                found.floor("feeds a descriptor that a command may read later")
        else:
            empty = word.literal and word.text == "/dev/null"
            if (operator in {"<", "<>"} and not empty) or (operator == "<&" and word.text != "-"):
                place = replace(place, reads_file=True)
            if _is_harmless_redirect(operator, word):
                continue
            if operator == "<":
                found.floor("reads from what is no ordinary file")
            else:
                found.floor("writes to a file")
                found.writes.append(word)
                place = replace(place, writes=(*place.writes, word))
    return place


def _is_harmless_redirect(operator: Any, word: Word) -> bool:
    if not word.literal:
        return False
    if word.text == "/dev/null":
        return True
    if operator in {">&", "<&"}:
        return _DESCRIPTOR.fullmatch(word.text) is not None
    return operator == "<" and bool(word.text) and not _is_device(word.text)


def _is_device(path: str) -> bool:
    real = "/" + posixpath.normpath(path).lstrip("/") + "/"
    return path.startswith("/dev/") or (path.startswith("/") and real.startswith("/dev/"))


def _here_string(redirect: Node, found: _Found) -> str:
    word = redirect.get("Word") or {}
    if _expands(word):
        found.floor("fills in a here-string")
    return _word(word).text


def _here_document(redirect: Node, found: _Found) -> str:
    """The text that a command reads, as bash makes it of the lines."""
    body = redirect.get("Hdoc") or {}
    if _expands(body):
        found.floor("fills in a here-document")
    text = "".join(part.get("Value", "") for part in body.get("Parts", ()) if part.get("Type") == "Lit")
    if redirect.get("Op") == "<<-":
        text = _TABS.sub("", text)
    return text if _is_quoted(redirect.get("Word") or {}) else here_document(text)


def _is_quoted(delimiter: Node) -> bool:
    return any(part.get("Type") != "Lit" or "\\" in part.get("Value", "") for part in delimiter.get("Parts", ()))


def _expands(word: Node) -> bool:
    parts = list(word.get("Parts", ()))
    while parts:
        part = parts.pop()
        if part.get("Type") in _DYNAMIC:
            return True
        parts += part.get("Parts", ())
    return False


# -- words ---------------------------------------------------------------------------------------------------


def _lit(node: Node) -> Word:
    return Word(str(node.get("Value", "")))


def _word(node: Node) -> Word:
    """One word after quote removal."""
    chars: list[tuple[str, bool]] = []
    literal = True
    for part in node.get("Parts", ()):
        is_quoted = part.get("Type") == "DblQuoted" and not part.get("Dollar")
        # The text around an expansion is known, and may be an option.
        found = map(_double_quoted, part.get("Parts", ())) if is_quoted else [_pieces(part)]
        for pieces in found:
            literal = literal and pieces is not None
            chars += pieces or ()
    return Word("".join(char for char, _ in chars), literal and not _is_pattern(chars))


def _pieces(part: Node) -> list[tuple[str, bool]] | None:
    """The characters of a piece of a word, each with whether it is quoted; None if the shell fills it in."""
    match part.get("Type"):
        case "Lit":
            return unquoted(part.get("Value", ""))
        case "SglQuoted":
            raw = part.get("Value", "")
            text = ansi_c(raw) if part.get("Dollar") else raw
            return None if text is None else [(char, True) for char in text]
        case _:
            return None


def _double_quoted(part: Node) -> list[tuple[str, bool]] | None:
    """The same for a piece between double quotes."""
    if part.get("Type") != "Lit":
        return None
    return [(char, True) for char in double_quoted(part.get("Value", ""))]


def _is_pattern(chars: list[tuple[str, bool]]) -> bool:
    """True if the shell could make other words of this one, by pathname, brace or tilde expansion."""
    bare = "".join("\0" if quoted else char for char, quoted in chars)
    if bare.startswith("~") or "*" in bare or "?" in bare:
        return True
    inside = bare[bare.find("{") + 1 : bare.rfind("}")] if "{" in bare and "}" in bare else ""
    return ("[" in bare and "]" in bare[bare.index("[") :]) or "," in inside or ".." in inside
