"""Programs whose side doors are more than options: languages of their own, addresses, names of variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from signoff.policy.shell.facts import Word

__all__ = ["SPECIAL", "does"]

_ADDRESS = r"(?:\+?[0-9]+|\$|/(?:[^/\\\n]|\\.)*/)"
_SED_PRINT = re.compile(rf"(?:{_ADDRESS}(?:,{_ADDRESS})?)?[ ]*p")
# A delimiter between brackets is a character of the expression. Where brackets end must be beyond doubt, so
# there are no further ones between them but those of classes such as [:alpha:], and no backslash before one.
_SED_IN_BRACKETS = r"(?:\[:[a-z]+:\]|\\[^][\n]|[^][\\\n])"
_SED_REPLACE = re.compile(
    rf"s([^\w\s\\\[\]])(?:\[\^?+\]?+{_SED_IN_BRACKETS}*+\]|(?!\1)[^\\\n[]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIip0-9]*"
)
_SED_SUFFIX = re.compile(r"^(-[nErsuzb]*i).+", re.DOTALL)
"""What is glued to ``-i`` is how copies are called."""
_AWK_DOORS = re.compile(r"system|getline|[|>@]")
_GIT_BEFORE = frozenset({"--no-pager", "-P", "--no-optional-locks"})
_GIT_VALUED = frozenset(
    {"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}
)
"""What takes the next word as its value, in front of git's subcommand."""
_GIT_RUNS = frozenset(
    (
        *("bisect", "submodule", "filter-branch", "difftool", "mergetool", "config", "daemon", "send-email"),
        *("remote-ext", "remote-fd", "submodule--helper", "difftool--helper", "mergetool--lib", "instaweb"),
        *("web--browse", "hook", "upload-pack", "receive-pack", "shell"),
    )
)
_GIT_WITH_ADDRESS = frozenset({"fetch", "pull", "push", "clone", "ls-remote", "remote", "archive"})
_GIT_LETTERS = {"grep": "O", "rebase": "x", "archive": "o", "clone": "uc"}
_GIT_FILLED_IN = re.compile(r"-(?:-[\w-]*)?[$`{*?\[]")
"""An option of git in which more than the value is to be filled in."""
_FILLED_IN = re.compile(r"[$`{]")
_BRACE = re.compile(r"(?<!\$)\{")
_NO_QUOTES = dict.fromkeys(map(ord, "\"'\\"))
_FILE_SENT = re.compile(r"@|[^=]*=<|(?s:.*);[^;=]*=[@<]|-[^-@]*[Hw]@|-[^-]*=@|--[^=]*=@|[^=]*=@")
_CURL_VALUED = "AbCeEhHmPQrtuUwxXyYzoTdFKDc"
_CURL_LONG_VALUED = (
    *("user-agent", "referer", "max-time", "connect-timeout", "retry", "retry-delay", "retry-max-time", "header"),
    *(
        "request",
        "user",
        "cookie",
        "proxy",
        "cacert",
        "cert",
        "key",
        "resolve",
        "range",
        "write-out",
        "limit-rate",
    ),
    *("interface", "max-redirs", "oauth2-bearer", "aws-sigv4", "ciphers", "tls-max", "unix-socket", "noproxy"),
    *("output", "output-dir", "upload-file", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode"),
    *("json", "form", "form-string", "config", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr"),
    *(
        "max-filesize",
        "proto",
        "proto-redir",
        "proto-default",
        "dns-servers",
        "proxy-user",
        "proxy-header",
        "speed-limit",
        "speed-time",
    ),
)
_CURL_ELSEWHERE = frozenset(
    (
        *("x", "proxy", "resolve", "unix-socket", "abstract-unix-socket", "dns-servers", "Q", "quote"),
        *("connect-to", "preproxy", "proxy1.0", "socks4", "socks4a", "socks5", "socks5-hostname", "doh-url"),
    )
)
"""What makes another machine answer, or sends it further commands, whatever the address says."""
_WEB_FLAGS = frozenset(
    (
        *("silent", "show-error", "location", "fail", "fail-with-body", "insecure", "head", "include", "verbose"),
        *("compressed", "globoff", "get", "ipv4", "ipv6", "http1.0", "http1.1", "http2", "http3", "progress-bar"),
        *("retry-all-errors", "retry-connrefused", "tlsv1.2", "tlsv1.3", "ssl-reqd", "netrc", "anyauth", "basic"),
        *("digest", "path-as-is", "raw", "parallel", "location-trusted", "quiet", "spider", "continue", "mirror"),
        *("recursive", "timestamping", "server-response", "page-requisites", "convert-links", "https-only"),
        *("show-progress", "content-disposition", "inet4-only", "inet6-only", "span-hosts"),
    )
)
"""Long options of both that take no value; those that begin with ``no-`` take none either."""
_WGET_VALUED = "tTwQUlADRIXBPOoaei"
_WGET_LONG_VALUED = (
    "tries",
    "timeout",
    "wait",
    "user-agent",
    "header",
    "user",
    "level",
    "accept",
    "reject",
    "domains",
)
_XXD_VALUED = re.compile(r"--?(?:c|cols|g|l|len|s|seek|o|offset|n|name|R)")
_XXD_FLAG = re.compile(
    r"--?(?:[abCdeEhipuv]|ps|plain|postscript|autoskip|bits|capitalize|include|uppercase|EBCDIC|help|version|"
    r"[cglos][-+]?[0-9][0-9a-fx]*)"
)
_TAR_REMOTE = re.compile(r"(?:--?[^=/:]*=)?[^/:]*:")
"""The name of an archive on another machine: a colon that stands before any slash."""
_DOCKER_FLAGS = frozenset({"-D", "--debug", "--tls", "--tlsverify", "-v", "--version", "--help", "-r", "--remote"})
"""What takes no value, in front of docker's subcommand."""
_COUNTS = re.compile(r"%[-#0 +'0-9.*hjlqtzL]*n")
"""What stores in a variable how much `printf` has printed, with flags, a width and a size or without."""
_HARMLESS_SET = re.compile(r"[-+][eux]+|-[eux]*o|pipefail")
_SPECIAL_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*|.*\[.*", re.DOTALL)
_READ_VALUED = frozenset({"-p", "-d", "-i", "-n", "-N", "-t", "-u"})


def does(option: str) -> str:
    """The reason that names an option."""
    return f"has {option}, which does more than the program's name says"


def _split(
    words: Sequence[Word], valued: str, long_valued: Sequence[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Options with their values, and operands, as GNU getopt finds them.

    Args:
        words: The arguments.
        valued: Letters of options that take a value.
        long_valued: Names of those, without dashes; abbreviations count.
    """
    options: list[tuple[str, str]] = []
    operands: list[str] = []
    texts = [word.text for word in words]
    while texts:
        text = texts.pop(0)
        if text == "--":
            return options, [*operands, *texts]
        if text.startswith("--"):
            name, glued, value = text[2:].partition("=")
            abbreviates = name not in _WEB_FLAGS and any(full.startswith(name) for full in long_valued)
            takes = not glued and abbreviates
            options.append((name, texts.pop(0) if takes and texts else value))
        elif text.startswith("-") and text != "-":
            at = next((at for at, letter in enumerate(text[1:], 1) if letter in valued), len(text))
            options += ((letter, "") for letter in text[1:at])
            if at < len(text):
                options.append((text[at], text[at + 1 :] or (texts.pop(0) if texts else "")))
        else:
            operands.append(text)
    return options, operands


def _sed(words: Sequence[Word], _covered: int) -> str | None:
    bare = [Word(_SED_SUFFIX.sub(r"\1", word.text)) for word in words[1:]]
    options, operands = _split(bare, "efl", ("expression", "file", "line-length"))
    scripts = [value for name, value in options if name == "e" or (name and "expression".startswith(name))]
    in_file = any(name == "f" or (name and "file".startswith(name)) for name, _ in options)
    for script in scripts or ([] if in_file else operands[:1]):
        if not (_SED_PRINT.fullmatch(script) or _SED_REPLACE.fullmatch(script)):
            return "has a sed script that does more than print or replace"
    return None


def _awk(words: Sequence[Word], covered: int) -> str | None:
    at, from_file = 1, False
    while at < len(words) and words[at].text.startswith("-") and words[at].text not in {"-", "--"}:
        option = words[at].text
        if option[:2] not in {"-F", "-v"}:
            if at >= covered or option[:2] not in {"-f", "-i", "-l"}:  # it may take the program for its value
                return does(option)
            from_file = from_file or option[:2] == "-f"
        at += 2 if len(option) == 2 else 1
    at += words[at : at + 1] == (Word("--"),)
    if not from_file and at < len(words) and _AWK_DOORS.search(words[at].text):
        return "has an awk program that can run programs or write files"
    return None


def _git(words: Sequence[Word], covered: int) -> str | None:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        option = words[at].text
        if at >= covered and option not in _GIT_BEFORE:
            return does(option)
        at += 2 if option in _GIT_VALUED else 1
    if at >= len(words):
        return None
    command = words[at]
    if at >= covered and (not command.literal or command.text in _GIT_RUNS):
        return f"runs git {command.text}, which can run programs"
    for word in words[max(at + 1, covered) :]:
        if "ext::" in word.text:
            return "names a program as an address"
        goes_there = command.text in _GIT_WITH_ADDRESS
        if goes_there and not word.literal and _may_be_a_program(word.spelled.translate(_NO_QUOTES)):
            return "names a program as an address"
        if not word.literal and _fills_in_a_name(word):
            return "has an option whose name is filled in by the shell"
        letters = word.text[1:] if re.match(r"-[A-Za-z]", word.text) else ""
        if not set(_GIT_LETTERS.get(command.text, "")).isdisjoint(letters):
            return does(word.text)
    return None


def _may_be_a_program(written: str) -> bool:
    """Whether what the shell makes of an address may begin with ``ext::``."""
    known = _FILLED_IN.split(written, maxsplit=1)[0]
    return ":" in written and (written.startswith("{") or (bool(known) and "ext::".startswith(known)))


def _fills_in_a_name(word: Word) -> bool:
    """Whether the shell may make an option of a word whose name is not written there."""
    text = word.spelled.translate(_NO_QUOTES)
    if _GIT_FILLED_IN.match(text):
        return True
    brace = _BRACE.search(text)
    if brace is None or word.is_one_text:
        return False
    before, behind = text[: brace.start()], text[brace.start() :]
    if before.startswith("-"):
        return "=" not in before
    return "-" in behind and (not before or before[0] in "$`")


def _curl(words: Sequence[Word], covered: int) -> str | None:
    return _web(words, covered, _CURL_VALUED, _CURL_LONG_VALUED)


def _wget(words: Sequence[Word], covered: int) -> str | None:
    return _web(words, covered, _WGET_VALUED, _WGET_LONG_VALUED)


def _web(words: Sequence[Word], covered: int, valued: str, long_valued: Sequence[str]) -> str | None:
    free = words[max(covered, 1) :]
    if any(_FILE_SENT.match(word.text) for word in free):
        return "sends a file"
    if any("%output{" in word.text for word in free):
        return "writes to a file"
    if variable := next((word.text for word in free if word.text.startswith("--expand-")), None):
        return does(variable)
    for word, following in pairwise(words[1:]):
        if following.text.startswith("-") and _may_take(word.text, long_valued):
            return f"has {word.text}, and whether it takes the word behind it cannot be told"
    # Read as a whole: the last word of the rule may be an option that takes the first word behind it.
    _, named = _split(words[1:covered], valued, long_valued)
    options, operands = _split(words[1:], valued, long_valued)
    said, _ = _split(words[1:covered], valued, long_valued)
    sent = (value for name, value in options if name.startswith("data-u") and (name, value) not in said)
    if any("@" in value.partition("=")[0] for value in sent):
        return "sends a file"
    if named and valued == _CURL_VALUED and any(_leads_elsewhere(name) for name, _ in options[len(said) :]):
        return "goes elsewhere than to the address of the rule"
    return "has a further address" if len(operands) - len(named) + min(len(named), 1) > 1 else None


def _leads_elsewhere(option: str) -> bool:
    return option in _CURL_ELSEWHERE or (
        len(option) > 1 and any(each.startswith(option) for each in _CURL_ELSEWHERE)
    )


def _may_take(option: str, long_valued: Sequence[str]) -> bool:
    """Whether a long option is none of those of which it is known if they take the next word."""
    name = option[2:]
    known = name in _WEB_FLAGS or name in long_valued or name.startswith("no-")
    return option.startswith("--") and bool(name) and "=" not in name and not known


def _tar(words: Sequence[Word], covered: int) -> str | None:
    remote = any(_TAR_REMOTE.match(word.text) for word in words[max(covered, 1) :])
    return "may name an archive on another machine" if remote else None


def _xxd(words: Sequence[Word], covered: int) -> str | None:
    """Options end at the first file; whatever follows it is a file that is written, with a dash or without."""
    at = 1
    while at < len(words) and words[at].text.startswith("-") and words[at].text not in {"-", "--"}:
        text = words[at].text
        if at >= covered and not (_XXD_VALUED.fullmatch(text) or _XXD_FLAG.fullmatch(text)):
            return does(text)
        at += 2 if _XXD_VALUED.fullmatch(text) else 1
    at += words[at : at + 1] == (Word("--"),)
    return "writes its second file" if max(at + 1, covered) < len(words) else None


def _uniq(words: Sequence[Word], covered: int) -> str | None:
    _, files = _split(words[1:], "fsw", ("skip-fields", "skip-chars", "check-chars"))
    _, named = _split(words[1:covered], "fsw", ("skip-fields", "skip-chars", "check-chars"))
    several = any(not word.literal and not word.is_one_text for word in words[max(covered, 1) :])
    return "may write its second file" if several or len(files) > max(len(named), 1) else None


def _docker(words: Sequence[Word], covered: int) -> str | None:
    """Before the subcommand ``-c`` is the context, later the command's own."""
    may_be_value = False
    for at, word in enumerate(words[1:], 1):
        text = word.text
        if text.startswith("-"):
            if at >= covered and "c" in text[1:] and not text.startswith("--"):
                return does(text)
            may_be_value = "=" not in text and text not in _DOCKER_FLAGS
        elif may_be_value:
            may_be_value = False
        else:
            return None
    return None


def _printf(words: Sequence[Word], covered: int) -> str | None:
    at = 1
    while at < min(covered, len(words)) and words[at].text.startswith("-v"):
        at += 2 if words[at].text == "-v" else 1
    sets = at >= covered and at < len(words) and words[at].text.startswith("-v")
    counts = any(_COUNTS.search(word.text) for word in words)
    return "may set a variable" if sets or counts else None


def _set(words: Sequence[Word], covered: int) -> str | None:
    extra = (word.text for word in words[max(covered, 1) :] if not _HARMLESS_SET.fullmatch(word.text))
    return next((f"changes how the shell works ({text})" for text in extra), None)


def _variables(words: Sequence[Word], covered: int) -> str | None:
    """A variable such as PATH means something to what runs afterwards, and a subscript is calculated."""
    at = 1
    while at < len(words):
        text = words[at].text
        if words[0].text == "read" and text in _READ_VALUED:
            at += 1
        elif at >= covered and _SPECIAL_VARIABLE.fullmatch(text):
            return "sets a variable that may mean something to other programs"
        at += 1
    return None


SPECIAL: dict[str, Callable[[Sequence[Word], int], str | None]] = {
    "sed": _sed,
    "awk": _awk,
    "git": _git,
    "curl": _curl,
    "wget": _wget,
    "tar": _tar,
    "xxd": _xxd,
    "docker": _docker,
    "uniq": _uniq,
    "printf": _printf,
    "set": _set,
    **dict.fromkeys(("read", "unset", "getopts", "wait", "mapfile"), _variables),
}
"""What to look for besides the options, by the name of the program."""
