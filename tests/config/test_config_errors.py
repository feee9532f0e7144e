"""Every kind of mistake is named with its line and key, and nothing of the file is used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.config import AgentConfig, ConfigError, load_config, parse_config


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "s.yaml")
    lines = str(caught.value).splitlines()
    assert lines == [str(problem) for problem in caught.value.problems]
    return lines


MISTAKES = {
    "unknown key": (
        "sandbx: {}",
        's.yaml:1:1: sandbx: is no key that is known here; did you mean "sandbox"?',
    ),
    "unknown key, like nothing": (
        "tools: {deploy: {colour: red}}",
        "s.yaml:1:18: tools.deploy.colour: is no key that is known here; what there is: approval",
    ),
    "unknown key of a rule": (
        "shell_rules:\n  - patern: ls\n    pattern: ls",
        's.yaml:2:5: shell_rules[0].patern: is no key that is known here; did you mean "pattern"?',
    ),
    "unknown key of a root": (
        "sandbox: {paths: {a: {root: a, aproval: {}}}}",
        's.yaml:1:32: sandbox.paths.a.aproval: is no key that is known here; did you mean "approval"?',
    ),
    "unknown operation": (
        "sandbox: {paths: {a: {root: a, approval: {wirte: none}}}}",
        's.yaml:1:43: sandbox.paths.a.approval.wirte: is unknown; what can be approved is "read" and "write"',
    ),
    "unknown answer": (
        "sandbox: {paths: {a: {root: a, approval: {write: maybe}}}}",
        's.yaml:1:43: sandbox.paths.a.approval.write: must be "required" or "none", not "maybe"',
    ),
    "approval that is no mapping": (
        "sandbox: {paths: {a: {root: a, approval: none}}}",
        's.yaml:1:32: sandbox.paths.a.approval: must name "read" or "write", or both',
    ),
    "unknown mode": (
        "\napproval_mode: yolo",
        's.yaml:2:1: approval_mode: must be "interactive", "approve_all" or "strict", not "yolo"',
    ),
    "missing key": ("sandbox:\n  paths:\n    a: {mode: rw}", 's.yaml:3:5: sandbox.paths.a: "root" is missing'),
    "a word for a boolean": (
        "sandbox: {paths: {a: {root: a, write_approval: no}}}",
        's.yaml:1:32: sandbox.paths.a.write_approval: must be true or false, not "no"',
    ),
    "a number for a boolean": (
        "shell: {default: {allowed: 1}}",
        "s.yaml:1:19: shell.default.allowed: must be true or false, not 1",
    ),
    "a number for a text": (
        "sandbox: {paths: {a: {root: 12}}}",
        "s.yaml:1:23: sandbox.paths.a.root: must be a text, not 12; put it in quotes if it is one",
    ),
    "a text for a list": (
        "sandbox: {paths: {a: {root: a, suffixes: .txt}}}",
        's.yaml:1:32: sandbox.paths.a.suffixes: must be a list, not ".txt"',
    ),
    "a list for a mapping": (
        "tools: [deploy]",
        's.yaml:1:9: tools[0]: must be a mapping of keys to values, not "deploy"',
    ),
    "a text for a mapping": (
        "custom_tools: {a: required}",
        's.yaml:1:16: custom_tools.a: must be a mapping of keys to values, not "required"',
    ),
    "a tool without a name": (
        "custom_tools: [a, {b: {}}]",
        "s.yaml:1:19: custom_tools[1]: must be the name of a function; with settings, write a mapping, no list",
    ),
    "a tool twice in a list": ("custom_tools: [a, a]", 's.yaml:1:19: custom_tools[1]: "a" is in the list twice'),
    "a section without a value": (
        "shell:\n",
        "s.yaml:1:1: shell: says nothing; give a value, or leave the key out",
    ),
    "a key twice": (
        "tools: {}\nshell: {}\ntools: {}",
        "s.yaml:3:1: tools: is given twice, first in line 1",
    ),
    "a key twice, further in": (
        "tools:\n  a.b: {}\n  a.b: {}",
        's.yaml:3:3: tools."a.b": is given twice, first in line 2',
    ),
    "a tool spoken about twice": (
        "custom_tools: {a: {approval: none}}\ntools: {a: {approval: required}}",
        's.yaml:2:9: tools.a: says the same as "custom_tools.a.approval" in line 1; give one of them',
    ),
    "two spellings of the shell": (
        "shell: {}\nshell_rules: []",
        's.yaml:2:1: shell_rules: says the same as "shell" in line 1; give one of them',
    ),
    "two spellings of the shell, the other way round": (
        "shell_default: {}\nshell: {}",
        's.yaml:2:1: shell: says the same as "shell_default" in line 1; give one of them',
    ),
    "two spellings of an approval": (
        "sandbox:\n paths:\n  a:\n   root: a\n   write_approval: true\n   approval:\n    write: none",
        (
            "s.yaml:7:5: sandbox.paths.a.approval.write: "
            'says the same as "sandbox.paths.a.write_approval" in line 5; give one of them'
        ),
    ),
    "no mapping": (
        "- a",
        's.yaml:1:1: must hold keys with values, such as "approval_mode: interactive", not a list',
    ),
    "only a text": (
        "strict",
        's.yaml:1:1: must hold keys with values, such as "approval_mode: interactive", not a single value',
    ),
    "nothing": ("# nothing\n", "s.yaml: is empty; a file that sets nothing holds {}"),
    "an empty document": (
        "---\n",
        's.yaml:2:1: must hold keys with values, such as "approval_mode: interactive", not nothing',
    ),
    "two documents": (
        "tools: {}\n---\nshell: {}",
        "s.yaml:2:1: a second document begins here; one file holds one",
    ),
    "a tag": ("tools: !run x", 's.yaml:1:8: tools: "x" is no "!run" that is supported here'),
    "a Python object": (
        "tools: !!python/object/apply:os.getpid []",
        's.yaml:1:8: tools: "tag:yaml.org,2002:python/object/apply:os.getpid" is not supported here',
    ),
    "a key that is no text": ("? [a]\n: b", "s.yaml:1:3: a key is a text that is not empty"),
    "an anchor inside itself": ("tools: &a {b: *a}", "s.yaml:1:8: tools.b: holds itself, by an anchor"),
    "a merge of itself": ("tools: &a {<<: *a}", 's.yaml:1:8: tools: "<<" merges mappings, and none that it is in'),
    "half a character": (
        r'approval_mode: "\ud800"',
        "s.yaml:1:16: approval_mode: holds a character that no text has",
    ),
    "a NUL": (r'approval_mode: "\0"', "s.yaml:1:16: approval_mode: holds a character that no text has"),
    "an escape beyond Unicode": (
        r'tools: "\UFFFFFFFF"',
        "s.yaml: is no YAML: a number in it is beyond all limits",
    ),
    "a control character": ("tools: {}\n# \x1b[2J", "s.yaml:2:3: holds a character that may not stand in YAML"),
    "a number without end": (
        "tools: 1e999",
        's.yaml:1:8: tools: "1e999" is no "float" that is supported here',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_line_and_key(mistake: str) -> None:
    text, message = MISTAKES[mistake]
    assert problems_of(text) == [message]


def test_broken_yaml_is_named_with_its_line() -> None:
    (message,) = problems_of("tools: {}\nshell: [")
    assert message.startswith("s.yaml:2:9: is no YAML: ")


def test_all_mistakes_are_named_in_the_order_of_the_file() -> None:
    text = "shell: {default: {allowed: 3}}\ntools: {a: {approval: x}, b: 1}\ntols: {}\ntools: {}\n"
    assert [line.split(" ")[0] for line in problems_of(text)] == [
        "s.yaml:1:19:",
        "s.yaml:2:13:",
        "s.yaml:2:27:",
        "s.yaml:3:1:",
        "s.yaml:4:1:",
    ]


def test_what_a_message_quotes_from_the_file_cannot_act_on_a_terminal() -> None:
    (message,) = problems_of('"a\\e[2J\\u202e\\n": 1')
    assert message.isascii()
    assert message.isprintable()


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000, "{a: " * 500, "- " * 500, "".join(f"{' ' * n}a:\n" for n in range(200))],
    ids=["lists", "mappings", "sequences", "blocks"],
)
def test_deep_nesting_is_refused(text: str) -> None:
    (message,) = problems_of(text)
    assert "is nested more than 32 deep" in message


def _multiplied(item: str) -> str:
    return "a0: &a0 {x: 1}\n" + "".join(f"a{n + 1}: &a{n + 1} {item.replace('N', str(n))}\n" for n in range(25))


@pytest.mark.parametrize("item", ["[*aN, *aN]", "{x: *aN, y: *aN}", "{<<: [*aN, *aN]}"])
def test_anchors_that_multiply_are_refused(item: str) -> None:
    (message,) = problems_of(_multiplied(item))
    assert "holds more than 20000 values" in message


def test_very_many_values_are_refused() -> None:
    (message,) = problems_of("custom_tools: [" + "a, " * 60_000)
    assert "holds more than 20000 values" in message


def test_anchors_that_nest_are_refused() -> None:
    text = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}]\n" for n in range(50))
    (message,) = problems_of(text)
    assert "is nested more than 32 deep" in message


def test_a_huge_text_is_refused() -> None:
    assert problems_of("#" * 300_000) == ["s.yaml: is longer than 262144 characters"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"tools: {}\n# caf\xe9\n", "is not UTF-8 text: line 2 has a byte that means nothing there"),
        ("tools: {}".encode("utf-16"), "is not UTF-8 text: line 1 has a byte that means nothing there"),
        (b"#" * 2_000_000, "is larger than 1048576 bytes"),
    ],
    ids=["latin-1", "utf-16", "huge"],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "signoff.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value) == f"{path}: {reason}"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("gone.yaml", "there is no such file"), ("", "cannot be read: Is a directory"), ("a\0b", "cannot be read: ")],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(f"{tmp_path}/{name}")
    assert reason in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "signoff.yaml"
    path.write_bytes(b"\xef\xbb\xbfapproval_mode: strict\n")
    assert load_config(path) == AgentConfig(approval_mode="strict")


_PIECES = re.findall(
    r"\S+",
    r"""
sandbox paths root shell rules pattern custom_tools tools approval write none required yes true ~ 1 1e9 .txt
*a &a << !!str !x | > %YAML [ ] { } ? --- ... " ' # \ :
""",
)


@given(
    st.one_of(st.text(), st.lists(st.sampled_from([*_PIECES, ": ", "- ", ", ", "\n", "\n  ", "\t"])).map("".join))
)
def test_any_text_is_a_configuration_or_a_config_error(text: str) -> None:
    assert _config_or_error(text) is not None


_KEYS = re.findall(
    r"\w+",
    """
    sandbox paths root mode approval write write_approval suffixes shell shell_default shell_rules default rules
    pattern allowed action custom_tools tools approval_mode a
    """,
)
_VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1.5, "a", "none", "deny", "ro", ".", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=4))
def test_any_settings_are_a_configuration_or_problems_with_a_line(settings: dict[str, object]) -> None:
    found = _config_or_error(json.dumps(settings))
    assert isinstance(found, AgentConfig) or all(problem.mark for problem in found.problems)


def _config_or_error(text: str) -> AgentConfig | ConfigError:
    try:
        return parse_config(text)
    except ConfigError as error:
        return error
