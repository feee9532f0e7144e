"""Rules on calls in a settings file: what the documents show means what they say, a broken rule refuses it all."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from runtime_settings import BALANCED, DAEMON, DEVELOPMENT, MAXIMUM
from signoff.config import ConfigError, build, parse_config
from signoff.config.report import describe, policy_facts, policy_rows
from signoff.config.schema import config_schema, known_keys
from signoff.config.warnings import report_warnings
from signoff.policy.tool_rules import CallPolicy

REQUEST = """\
arguments:
  http_request:
    rules:
      - when: {request.host: [api.example.com, api.example.org], method: GET}
        verdict: allow
      - when: {path: {pattern: ".*/admin/.*"}}
        verdict: block
unknown: ask
"""
OWN_WORDS = """\
tools: {deploy: {approval: required}}
tool_servers:
  - server_name: web
    default: ask
    arguments: {fetch: {default: block, rules: [{when: {secure: true, port: [443, 8443]}, verdict: allow}]}}
"""
BLOCKS = {
    "maximum": MAXIMUM,
    "balanced": BALANCED,
    "development": DEVELOPMENT,
    "daemon": DAEMON,
    "request": REQUEST,
    "own words": OWN_WORDS,
}


def policy_of(text: str) -> CallPolicy:
    policy = build(parse_config(text), ".").call_policy
    assert policy is not None
    return policy


def said(text: str, tool: str, server: str | None = None, **arguments: Any) -> str:
    return str(policy_of(text).verdict(tool, arguments, server).level)


# -- meaning -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "server", "tool", "level"),
    [
        (MAXIMUM, "critical-tools", "read_status", "block"),
        (MAXIMUM, "other", "create_issue", "ask"),
        (MAXIMUM, "other", "read_status", "allow"),
        (BALANCED, "prod-tools", "read_file", "allow"),
        (BALANCED, "prod-tools", "get_deleted", "block"),
        (BALANCED, "prod-tools", "write_file", "block"),
        (BALANCED, "prod-tools", "list_created", "ask"),
        (DEVELOPMENT, "dev-tools", "delete_branch", "ask"),
        (DEVELOPMENT, "dev-tools", "create_branch", "allow"),
        (DEVELOPMENT, "dev-tools", "SUDO_ls", "block"),
        (DAEMON, "automation-tools", "delete_tmp", "ask"),
        (DAEMON, "automation-tools", "sudo_rm", "block"),
        (DAEMON, "automation-tools", "sudormrf", "allow"),
    ],
)
def test_a_documented_block_means_what_the_document_says(text: str, server: str, tool: str, level: str) -> None:
    assert said(text, tool, server) == level


def test_rules_on_arguments_decide_by_host_and_method() -> None:
    def request(host: str, method: str, path: str = "/") -> str:
        return said(REQUEST, "http_request", request={"host": host}, method=method, path=path)

    assert request("API.example.com.", "GET") == "allow"
    assert request("api.example.com", "POST") == "ask"
    assert request("evil.example", "GET") == "ask"
    assert request("api.example.com", "GET", "/x/Admin/y") == "block"


def test_the_rule_that_decided_is_called_by_its_place_in_the_file() -> None:
    verdict = policy_of(REQUEST).verdict("http_request", {"path": "/admin/"})
    assert verdict.rule == "arguments.http_request.rules[1]"
    verdict = policy_of(OWN_WORDS).verdict("fetch", {"secure": True, "port": 443}, "web")
    assert verdict.rule == "web.arguments.fetch.rules[0]"


def test_single_tools_and_servers_can_stand_in_one_file() -> None:
    setup = build(parse_config(OWN_WORDS), ".")
    assert setup.tool_configs == {"deploy": {"approval": "required"}}
    assert said(OWN_WORDS, "fetch", "web", secure=True, port=443) == "allow"
    assert said(OWN_WORDS, "fetch", "web", secure=True, port="443") == "block"


def test_a_list_of_tools_means_the_same_as_tool_servers() -> None:
    assert parse_config(BALANCED) == parse_config(BALANCED.replace("tools:", "tool_servers:", 1))


def test_a_file_that_says_nothing_of_calls_has_no_policy() -> None:
    text = "tools: {a: {approval: none}}\nauto_approve_in_daemon: true"
    assert build(parse_config(text), ".").call_policy is None


@pytest.mark.parametrize("text", ["unknown: allow", "approval_policies: {}", "approval_mode: policy", "tools: []"])
def test_dangerous_tools_ask_as_soon_as_a_file_says_something_of_calls(text: str) -> None:
    policy = build(parse_config(text), ".").call_policy
    assert (policy is None) == (text == "tools: []")
    assert policy is None or str(policy.verdict("bash", {}).level) == "ask"


def test_the_mode_policy_asks_a_person_about_both_kinds_of_guesses() -> None:
    config = parse_config("approval_mode: policy")
    assert config.approval_mode == "interactive"
    assert [said("approval_mode: policy", tool) for tool in ("create_x", "run_x", "look")] == [
        "ask",
        "ask",
        "allow",
    ]


def test_the_mode_policy_leaves_the_guesses_that_are_set() -> None:
    text = "approval_mode: policy\napproval_policies: {write_ops: false}"
    assert [said(text, tool) for tool in ("create_x", "run_x")] == ["allow", "ask"]


# -- mistakes ----------------------------------------------------------------------------------------------

LOOK_AHEAD = "the pattern '(?=x)' cannot be used: invalid perl operator: (?="
NO_HOST = (
    "values of 'host' must be host names, without port or user, or IPv4 addresses; "
    "for several at once give a pattern"
)
MISTAKES = {
    "a broken pattern": (
        "tools:\n  - server_name: s\n    denylist:\n      - fine\n      - (\n",
        "s.yaml:5:9: tools[0].denylist[1]: the pattern '(' cannot be used: missing ): (",
    ),
    "an empty pattern": (
        "tools: [{server_name: s, allowlist: ['']}]",
        "s.yaml:1:38: tools[0].allowlist[0]: a pattern is empty; it would match nothing but an empty text",
    ),
    "a broken pattern that asks": (
        "tools: [{server_name: s, requires_approval: {conditional: ['(?=x)']}}]",
        f"s.yaml:1:60: tools[0].requires_approval.conditional[0]: {LOOK_AHEAD}",
    ),
    "an allowlist without a list": (
        "tools:\n  - server_name: s\n    allowlist:\n",
        "s.yaml:3:5: tools[0].allowlist: says nothing; give a value, or leave the key out",
    ),
    "a server without a name": ("tools: [{denylist: [x]}]", 's.yaml:1:9: tools[0]: "server_name" is missing'),
    "a server twice": (
        "tools: [{server_name: s}, {server_name: s}]",
        's.yaml:1:1: tools: the server "s" has rules in two places; give one',
    ),
    "servers in two places": (
        "tools: [{server_name: s}]\ntool_servers: []",
        's.yaml:2:1: tool_servers: says the same as "tools" in line 1; give one of them',
    ),
    "an unknown key of a server": (
        "tools: [{server_name: s, allow_list: [x]}]",
        's.yaml:1:26: tools[0].allow_list: is no key that is known here; did you mean "allowlist"?',
    ),
    "a default that blocks": (
        "tools: [{server_name: s, default: block}]",
        's.yaml:1:26: tools[0].default: must be "allow" or "ask", not "block"',
    ),
    "an unknown answer about unknown tools": (
        "unknown: maybe",
        's.yaml:1:1: unknown: must be "allow" or "ask", not "maybe"',
    ),
    "a word for a boolean": (
        "approval_policies: {write_ops: yes}",
        's.yaml:1:21: approval_policies.write_ops: must be true or false, not "yes"',
    ),
    "a rule about no argument": (
        "arguments: {t: {rules: [{when: {}, verdict: allow}]}}",
        's.yaml:1:26: arguments.t.rules[0].when: names no argument; what holds for the rest is the "default"',
    ),
    "a rule without a verdict": (
        "arguments: {t: {rules: [{when: {x: 1}}]}}",
        's.yaml:1:25: arguments.t.rules[0]: "verdict" is missing',
    ),
    "an argument that must be nothing": (
        "arguments: {t: {rules: [{when: {x: }, verdict: allow}]}}",
        "s.yaml:1:33: arguments.t.rules[0].when.x: must be a text, a number, true or false, not nothing",
    ),
    "a broken pattern for an argument": (
        'arguments: {t: {rules: [{when: {x: {pattern: "["}}, verdict: allow}]}}',
        "s.yaml:1:37: arguments.t.rules[0].when.x.pattern: the pattern '[' cannot be used: missing ]: [",
    ),
    "a mapping that is no pattern": (
        "arguments: {t: {rules: [{when: {x: {pattern: a, patern: a}}, verdict: allow}]}}",
        's.yaml:1:49: arguments.t.rules[0].when.x.patern: is no key that is known here; did you mean "pattern"?',
    ),
    "a host that is none": (
        "arguments: {t: {rules: [{when: {host: '*.example.com'}, verdict: allow}]}}",
        f"s.yaml:1:26: arguments.t.rules[0].when: {NO_HOST}",
    ),
    "a key with an empty part": (
        "arguments: {t: {rules: [{when: {a..b: 1}, verdict: ask}]}}",
        "s.yaml:1:26: arguments.t.rules[0].when: 'a..b' is no dotted key: a part of it is empty",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_line_and_key(mistake: str) -> None:
    text, message = MISTAKES[mistake]
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "s.yaml")
    assert str(caught.value).splitlines() == [message]


# -- schema ------------------------------------------------------------------------------------------------

VALIDATOR = Draft202012Validator(config_schema())


@pytest.mark.parametrize("name", BLOCKS)
def test_the_schema_accepts_what_loads(name: str) -> None:
    parse_config(BLOCKS[name])
    assert [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(BLOCKS[name]))] == []


@pytest.mark.parametrize(
    "name",
    [
        "a server without a name",
        "servers in two places",
        "an allowlist without a list",
        "an argument that must be nothing",
        "a mapping that is no pattern",
        "a default that blocks",
    ],
)
def test_the_schema_refuses_what_it_can_tell(name: str) -> None:
    assert not VALIDATOR.is_valid(yaml.safe_load(MISTAKES[name][0]))


def test_the_keys_of_a_server_are_known() -> None:
    assert "denylist" in known_keys(("tools", 0))
    assert known_keys(("tools", "any name")) == ("approval",)


# -- what `signoff config check` says ----------------------------------------------------------------------


def warnings_of(text: str) -> dict[str, str]:
    report = describe(parse_config(text), ".")
    return {".".join(map(str, warning.path)): warning.message for warning in report_warnings(report)}


ASK = "unknown: ask\n"


LEFT_TO_THE_PROGRAM = "a tool that nothing is known of asks only if the default of the program does"
OF_A_SERVER = ", and one of a server here runs without a question if no rule is about it"


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        ("approval_policies: {}", ""),
        ("tools: [{server_name: s}]", OF_A_SERVER),
        ("tools: [{server_name: s, default: ask}, {server_name: t, denylist: [x]}]", OF_A_SERVER),
        ("tools: [{server_name: s, default: ask}]", ""),
        ("tools: [{server_name: s, requires_approval: {always: true}}]", ""),
    ],
)
def test_that_unknown_tools_may_run_is_warned_of(settings: str, more: str) -> None:
    (message,) = warnings_of(settings).values()
    assert message == f'{LEFT_TO_THE_PROGRAM}{more}; "unknown: ask" is recommended'
    assert warnings_of(f"{ASK}{settings}") == {}


def test_that_everything_is_approved_in_a_daemon_is_warned_of() -> None:
    message = "in daemon runs of `signoff serve`, everything that asks is approved without anybody looking at it"
    assert warnings_of(f"{ASK}auto_approve_in_daemon: true") == {"auto_approve_in_daemon": message}


@pytest.mark.parametrize(
    ("settings", "key", "message"),
    [
        ("allowlist: []", "allowlist", "the list is empty, so every tool of the server is blocked"),
        (
            "allowlist: [read], denylist: [x, '.*']",
            "denylist.1",
            "blocks every tool of the server, those of the allowlist too",
        ),
        (
            "allowlist: [read, delete_tmp], denylist: ['.*delete.*']",
            "allowlist.1",
            'has no effect on the tool of that name: ".*delete.*" of the denylist blocks it',
        ),
        (
            "denylist: [t], arguments: {t: {default: allow}}",
            "arguments.t",
            'is blocked whatever its arguments are, because of denylist "t"',
        ),
        (
            "arguments: {create_x: {default: allow}}",
            "arguments.create_x",
            "asks whatever its arguments are, because of approval_policies.write_ops",
        ),
    ],
)
def test_rules_that_defeat_each_other_are_warned_of(settings: str, key: str, message: str) -> None:
    text = f"{ASK}approval_policies: {{}}\ntools: [{{server_name: s, {settings}}}]"
    assert warnings_of(text) == {f"tool_servers.0.{key}": message}


def told(text: str) -> list[tuple[str, str]]:
    """What a file says of calls, in words."""
    return [(row.about, row.words) for row in policy_rows(parse_config(text))]


def test_rules_are_told_in_words() -> None:
    assert told(MAXIMUM) == [
        ("server critical-tools", "blocked: .*"),
        ("server critical-tools", "blocked: all but read_status, get_info"),
        ("server critical-tools", "asks first: every tool"),
        ("server critical-tools", "masked: arguments named like password, secret, key"),
        ("any tool", "asks first, if by its name it appears to perform write operations"),
        ("any tool", "asks first, if by its name it appears to be dangerous"),
        ("unknown tools", "the default of the program decides"),
    ]


def test_rules_on_arguments_are_told_in_words() -> None:
    hosts = 'request.host is "api.example.com" or "api.example.org"'
    assert told(REQUEST) == [
        ("http_request", f'runs without asking, if {hosts} and method is "GET"'),
        ("http_request", "blocked, if path matches .*/admin/.*"),
        ("http_request", "asks first with any other arguments"),
        ("unknown tools", "asks first"),
    ]


def test_rules_of_a_server_on_arguments_are_told_in_words() -> None:
    assert told(OWN_WORDS) == [
        ("server web", "any other tool: asks first"),
        ("server web, fetch", "runs without asking, if secure is true and port is 443 or 8443"),
        ("server web, fetch", "blocked with any other arguments"),
        ("unknown tools", "the default of the program decides"),
    ]


def test_that_tools_of_a_server_run_which_no_rule_is_about_is_told_in_words() -> None:
    rules = "tools: [{server_name: s, denylist: [x]}]"
    assert told(rules) == [
        ("server s", "blocked: x"),
        ("server s", "an unknown tool that is left: runs without asking"),
        ("unknown tools", "the default of the program decides"),
    ]
    assert told(f"{ASK}{rules}") == [
        ("server s", "blocked: x"),
        ("unknown tools", "asks first"),
    ]


def test_nothing_is_told_of_calls_that_a_file_says_nothing_of() -> None:
    assert told("{}") == []


def test_programs_are_told_the_rules_by_the_keys_of_the_file() -> None:
    facts = policy_facts(parse_config(DEVELOPMENT))
    assert facts["tool_servers"][0]["denylist"] == [".*format.*", ".*sudo.*"]
    assert facts["auto_approve_in_daemon"] is True
    assert "sandbox" not in facts


def test_the_policy_knows_the_names_that_are_masked_for_a_server() -> None:
    policy = policy_of(MAXIMUM)
    assert policy.masked_keys("critical-tools") == ("password", "secret", "key")
    assert policy.masked_keys("other") == policy.masked_keys(None) == ()


@pytest.mark.parametrize(
    ("redaction", "key", "message"),
    [
        ("{arguments: [iban, file_path]}", "arguments.1", "commands, paths, hosts and code are never masked"),
        (
            "{outputs: true}",
            "outputs",
            "results of tools are neither shown nor kept, and the output of a run is kept as it is",
        ),
    ],
)
def test_masking_without_effect_is_warned_of(redaction: str, key: str, message: str) -> None:
    text = f"{ASK}tools: [{{server_name: s, redaction: {redaction}}}]"
    assert warnings_of(text) == {f"tool_servers.0.redaction.{key}": f"has no effect: {message}"}
