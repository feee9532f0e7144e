from __future__ import annotations

import pytest
from cli_bench import HOSTILE, Cli, Ended

from signoff.text.ascii_json import ascii_json

RULES = "shell: {rules: [{pattern: git status, approval: false}, {pattern: rm, allowed: false}]}\n"


def check(cli: Cli, text: str, *options: str) -> Ended:
    (cli.folder / "signoff.yaml").write_text(text)
    (cli.folder / "notes").mkdir(exist_ok=True)
    return cli.inside("policy", "check", "signoff.yaml", *options)


def examples(cli: Cli, text: str, about: str) -> list[str]:
    """The lines of one block of examples, with single blanks."""
    done = check(cli, text)
    assert (done.code, done.err) == (0, "")
    lines = iter(done.out.splitlines())
    assert f"  {about}" in lines
    found = []
    for line in lines:
        if not line.startswith("    "):
            break
        found.append(" ".join(line.split()))
    return found


def warnings(cli: Cli, text: str) -> list[str]:
    return [warning["message"] for warning in check(cli, text, "--json").json["warnings"]]


# -- beside `config check` -------------------------------------------------------------------------------


def test_all_that_config_check_says_is_said_first(cli: Cli) -> None:
    done = check(cli, RULES)
    assert done.out.startswith(cli.inside("config", "check", "signoff.yaml").out)


@pytest.mark.parametrize(
    ("verb", "options"),
    [*((verb, options) for verb in ("check", "explain", "replay") for options in ([], ["--json"])), ("test", [])],
)
def test_a_file_that_is_not_valid_ends_with_2_as_config_check_does(
    cli: Cli, verb: str, options: list[str]
) -> None:
    (cli.folder / "signoff.yaml").write_text("tools: {a: {approval: maybe}}")
    rest = ["--", "ls"] if verb == "explain" else []
    done = cli.inside("policy", verb, "signoff.yaml", *options, *rest)
    asked = cli.inside("config", "check", "signoff.yaml", *options)
    assert (done.code, done.out, done.err) == (asked.code, asked.out, asked.err)


def test_no_code_is_run(cli: Cli) -> None:
    (cli.folder / "tools.py").write_text("open('ran', 'w')\ndef a(): ...\n")
    assert check(cli, "custom_tools: [a]").code == 0
    assert not (cli.folder / "ran").exists()


# -- worked examples -------------------------------------------------------------------------------------


def test_a_rule_that_lets_through_shows_where_that_ends(cli: Cli) -> None:
    assert examples(cli, RULES, 'shell rule "git status"') == [
        'git status runs: rule "git status"',
        'git status; rm x blocked: rule "rm"',
        "git status > out.txt asks: writes to a file",
    ]


def test_a_rule_for_any_arguments_is_shown_with_a_command_that_it_opens(cli: Cli) -> None:
    text = "shell: {rules: [{pattern: bash, approval: false, any_arguments: true}]}"
    assert examples(cli, text, 'shell rule "bash"')[0] == 'bash x.sh runs: rule "bash"'


def test_a_rule_that_blocks_shows_how_far_that_reaches(cli: Cli) -> None:
    assert examples(cli, RULES, 'shell rule "rm"') == [
        'rm x blocked: rule "rm"',
        'sudo rm x blocked: rule "rm"',
        'echo $(rm x) blocked: rule "rm"',
        "bash -c 'rm x' blocked: rule \"rm\"",
        '/usr/bin/rm x blocked: rule "rm"',
        "rmx asks: default",
    ]


def test_the_default_is_shown_with_what_is_asked_about_all_the_same(cli: Cli) -> None:
    assert examples(cli, "shell: {default: {approval: false}}", "shell default") == [
        "frobnicate x runs: default",
        "$PROGRAM frobnicate asks: runs a program whose name is filled in by the shell",
        'echo "frobnicate asks: is no complete command for bash',
    ]


def test_a_rule_with_roots_is_shown_with_a_path_inside_and_one_outside(cli: Cli) -> None:
    text = (
        "sandbox: {paths: {notes: {root: notes}}}\n"
        "shell: {rules: [{pattern: cat, approval: false, sandbox_paths: [notes]}]}"
    )
    assert examples(cli, text, 'shell rule "cat"')[:2] == [
        'cat notes/x runs: rule "cat"',
        "cat /etc/passwd asks: default",
    ]


def test_a_root_is_shown_with_a_path_inside_and_one_that_leaves_it(cli: Cli) -> None:
    text = "sandbox: {paths: {n: {root: notes, mode: rw, suffixes: [.txt]}}}"
    assert examples(cli, text, 'root "n"')[:4] == [
        'read notes/x.txt runs: rule "n"',
        "write notes/x.txt asks: write approval",
        'read notes/../x.txt blocked: "notes/../x.txt" is not in any sandbox; their directories: "notes"',
        "read notes/x.txtx blocked: sandbox 'n' is for files that end in: .txt",
    ]


def test_a_pattern_is_shown_with_a_name_that_matches_and_one_that_nearly_does(cli: Cli) -> None:
    text = "tool_servers: [{server_name: f, allowlist: ['(get|read)_[a-z]+'], denylist: ['.*delete.*']}]"
    assert examples(cli, text, 'server f, allowlist "(get|read)_[a-z]+"') == [
        'get_a runs: rule allowlist "(get|read)_[a-z]+"',
        "get_a_x blocked: the name of the tool is not on the allowlist",
    ]
    assert examples(cli, text, 'server f, denylist ".*delete.*"') == [
        'xdeletex blocked: rule denylist ".*delete.*"',
        "xdeletx blocked: the name of the tool is not on the allowlist",
    ]


def test_a_rule_on_arguments_is_shown_with_arguments_that_meet_it_and_such_that_nearly_do(cli: Cli) -> None:
    text = "arguments: {get: {rules: [{when: {req.host: a.example, n: 1}, verdict: allow}]}}"
    assert examples(cli, text, "get, rule 1 on arguments") == [
        'get {"n":1,"req":{"host":"a.example"}} runs: rule "arguments.get.rules[0]"',
        'get {"n":1,"req":{"host":"a.example.x"}} asks: default',
    ]


def test_examples_are_json_for_programs(cli: Cli) -> None:
    blocks = check(cli, RULES, "--json").json["examples"]
    assert [block["about"] for block in blocks] == ['shell rule "git status"', 'shell rule "rm"', "shell default"]
    assert blocks[0]["calls"][1] == {
        "call": "git status; rm x",
        "verdict": "block",
        "rule": "rm",
        "reasons": [],
        "parts": [
            {"text": "git status", "verdict": "allow", "rule": "git status", "reasons": []},
            {"text": "rm x", "verdict": "block", "rule": "rm", "reasons": []},
        ],
    }


def test_nothing_to_show_is_said(cli: Cli) -> None:
    assert check(cli, "tools: {a: {approval: required}}").out.endswith("examples: none\n")


# -- what is too broad -----------------------------------------------------------------------------------

BROAD = {
    "python": "python -c 'import os; os.remove(\"x\")'",
    "git": "git push --force origin main",
    "find": "find . -delete",
    "docker": "docker run -v /:/host alpine rm -rf /host/home",
    "npm": "npm install x",
    "npm run": "npm run x",
    "curl": "curl https://example.com/x",
    "cat": "cat /etc/passwd",
}


@pytest.mark.parametrize("pattern", BROAD)
def test_a_broad_rule_is_warned_of_with_what_it_lets_through(cli: Cli, pattern: str) -> None:
    found = warnings(cli, f"shell: {{rules: [{{pattern: {pattern}, approval: false, any_arguments: true}}]}}")
    assert f"is broad: {BROAD[pattern]} runs without a question" in found


@pytest.mark.parametrize("pattern", ["python", "git", "docker", "npm run", "curl"])
def test_without_any_arguments_such_a_rule_is_not_broad(cli: Cli, pattern: str) -> None:
    found = warnings(cli, f"shell: {{rules: [{{pattern: {pattern}, approval: false}}]}}")
    assert not any("broad" in message for message in found)


@pytest.mark.parametrize("program", ["bash", "sudo", "xargs"])
def test_a_rule_for_a_program_that_runs_others_is_said_to_have_little_effect(cli: Cli, program: str) -> None:
    (said,) = warnings(cli, f"shell: {{rules: [{{pattern: {program}, approval: false}}]}}")[-1:]
    assert said.startswith(f"has little effect: what {program} runs is judged by itself, so {program} ")


@pytest.mark.parametrize(
    "rules",
    [
        "[{pattern: git}]",
        "[{pattern: git, allowed: false}]",
        "[{pattern: git status, approval: false}]",
        "[{pattern: bash, approval: false}, {pattern: bash}]",
    ],
)
def test_a_rule_is_not_broad_if_what_it_seems_to_let_through_asks(cli: Cli, rules: str) -> None:
    assert not any("broad" in message for message in warnings(cli, f"shell: {{rules: {rules}}}"))


def test_another_example_is_found_where_another_rule_takes_the_first(cli: Cli) -> None:
    text = "shell: {rules: [{pattern: git, approval: false, any_arguments: true}, {pattern: git push}]}"
    assert "is broad: git clean -fdx runs without a question" in warnings(cli, text)


def test_a_list_of_blocks_before_an_open_default_is_warned_of(cli: Cli) -> None:
    text = "shell: {default: {approval: false}, rules: [{pattern: rm, allowed: false}]}"
    example = "perl -e 'unlink \"x\"' runs without a question"
    assert f"only what is blocked is listed, and such a list is never whole: {example}" in warnings(cli, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shell: {rules: []}", "the list is empty, so the default holds for every command"),
        ("sandbox: {paths: {}}", "is empty, so the file tools reach nothing"),
        ("tool_servers: [{server_name: f, denylist: []}]", "the list is empty, so it blocks nothing"),
        (
            "tool_servers: [{server_name: f, requires_approval: {conditional: []}}]",
            "the list is empty, so nothing asks for it",
        ),
    ],
)
def test_an_empty_list_is_warned_of(cli: Cli, text: str, words: str) -> None:
    assert words in warnings(cli, text)


def test_an_allowlist_that_takes_harmful_names_is_warned_of(cli: Cli) -> None:
    text = "tool_servers: [{server_name: f, allowlist: ['read_.*', 'get_me']}]"
    broad = [message for message in warnings(cli, text) if "broad" in message]
    assert broad == ["is broad: a tool called read_x_and_delete runs without a question"]


# -- what a rule for any arguments opens -----------------------------------------------------------------

STARTERS = ("bash", "sh", "python3", "find", "env", "sudo", "nohup", "eval", "node", "/usr/bin/bash")
ANY = "shell: {{rules: [{{pattern: '{}', approval: false, any_arguments: true}}]}}"


def shown_rule(cli: Cli, text: str, *verb: str) -> str:
    (cli.folder / "signoff.yaml").write_text(text)
    lines = cli.inside(*(verb or ("policy", "check")), "signoff.yaml").out.splitlines()
    return lines[lines.index("shell:") + 1]


@pytest.mark.parametrize("pattern", [*STARTERS, "[", "git", "frobnicate", "if"])
def test_a_rule_for_any_arguments_is_never_shown_as_one_that_asks(cli: Cli, pattern: str) -> None:
    assert f"1. {pattern}" in (line := shown_rule(cli, ANY.format(pattern)))
    assert "runs without asking, with any arguments: whatever " in line
    assert ("whatever command it is given" in line) == (pattern in STARTERS)
    assert not any("asks all the same" in each for each in warnings(cli, ANY.format(pattern)))


@pytest.mark.parametrize("pattern", ["bash build.sh", "python3 -m pytest", "sudo apt", "timeout 5 ls"])
def test_a_rule_that_names_the_inner_command_is_not_shown_as_one_for_whatever_command(
    cli: Cli, pattern: str
) -> None:
    assert "with any arguments: whatever they make it run or write" in shown_rule(cli, ANY.format(pattern))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("{pattern: bash}", "asks first"),
        ("{pattern: bash, allowed: false}", "blocked, by another rule"),
        ("{pattern: BASH}", "asks first"),
    ],
)
def test_a_rule_for_any_arguments_is_shown_as_what_a_stricter_one_makes_of_it(
    cli: Cli, rule: str, words: str
) -> None:
    for pattern in ("bash", "sudo bash"):
        allowing = f"{{pattern: {pattern}, approval: false, any_arguments: true}}"
        assert shown_rule(cli, f"shell: {{rules: [{allowing}, {rule}]}}").endswith(f"  {words}")


@pytest.mark.parametrize("program", ["ssh", "source", "su", "parallel", "systemd-run"])
def test_a_program_that_is_asked_about_with_any_arguments_is_shown_so(cli: Cli, program: str) -> None:
    text = ANY.format(program)
    assert shown_rule(cli, text).endswith("asks first")
    (cli.folder / "signoff.yaml").write_text(text)
    for command in (program, f"{program} x", f"{program} --help", f"{program} -V", f"{program} a b c"):
        done = cli.inside("policy", "explain", "signoff.yaml", "--json", "--", command)
        assert done.json["verdict"] == "ask", command


def test_the_example_of_what_a_rule_opens_is_one_that_runs(cli: Cli) -> None:
    text = "shell: {rules: [{pattern: git, approval: false, any_arguments: true}, {pattern: git push}]}"
    assert shown_rule(cli, text).endswith("such as git clean -fdx")


def test_a_rule_behind_a_narrower_one_of_the_same_words_is_not_said_to_have_no_effect(cli: Cli) -> None:
    narrow = "{pattern: git, approval: false}"
    text = f"shell: {{rules: [{narrow}, {{pattern: git, approval: false, any_arguments: true}}]}}"
    assert not any("no effect" in each for each in warnings(cli, text))


def test_rules_of_the_same_words_for_other_roots_both_count(cli: Cli) -> None:
    find = "{{pattern: find, approval: false, sandbox_paths: [{}]}}"
    roots = "sandbox: {paths: {a: {root: notes}, b: {root: .}}}"
    text = f"{roots}\nshell: {{rules: [{find.format('a')}, {find.format('b')}]}}"
    assert not any("no effect" in each for each in warnings(cli, text))


@pytest.mark.parametrize("pattern", ["bash", "eval", "["])
def test_a_rule_for_known_arguments_is_not_shown_as_its_words_alone_would_be_answered(
    cli: Cli, pattern: str
) -> None:
    line = shown_rule(cli, f"shell: {{rules: [{{pattern: '{pattern}', approval: false}}]}}")
    assert "  runs without asking" in line
    assert ("what it runs is judged by itself" in line) == (pattern != "[")


def test_each_verb_gives_the_same_report_with_the_same_warnings(cli: Cli) -> None:
    (cli.folder / "signoff.yaml").write_text(ANY.format("bash"))
    checked = cli.inside("config", "check", "signoff.yaml").out
    assert "is broad: bash x.sh runs without a question" in checked
    assert cli.inside("policy", "check", "signoff.yaml").out.startswith(checked)
    assert cli.run("policy", "trust", "signoff.yaml", "--yes").out.startswith(checked)


# -- a table of one's own that cannot be read ------------------------------------------------------------


def test_rows_of_ones_own_that_cannot_be_read_are_told_first(cli: Cli) -> None:
    home = cli.folder / "home"
    rows = home / "signoff" / "programs.txt"
    rows.parent.mkdir(parents=True)
    rows.write_text("a: -b\n\n\nfrob -x\n")
    rows.chmod(0o600)
    (cli.folder / "signoff.yaml").write_text(RULES)
    environment = {"XDG_CONFIG_HOME": str(home), "HOME": str(home)}
    said = f'problem: {rows}: line 4: no ": " behind the words that the row is about; until this is mended, '
    for verb, code in (("policy", "check"), 2), (("config", "check"), 2), (("policy", "trust", "--yes"), 0):
        done = cli.run(*verb, "signoff.yaml", **environment)
        assert done.out.startswith(said), done.err
        assert done.code == code
        assert "git status  runs without asking, in exactly these words" in done.out
    facts = cli.run("policy", "check", "signoff.yaml", "--json", **environment)
    assert (facts.code, facts.json["valid"], len(facts.json["problems"])) == (2, False, 1)
    rows.write_text("a: -b\n")
    assert cli.run("policy", "check", "signoff.yaml", **environment).code == 0


# -- hostile text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_nothing_in_a_file_can_act_on_the_terminal(cli: Cli, options: list[str]) -> None:
    settings = {
        "sandbox": {"paths": {HOSTILE: {"root": HOSTILE, "suffixes": [HOSTILE]}}},
        "shell_rules": [{"pattern": "ls", "sandbox_paths": [HOSTILE], "approval": False}],
        "tool_servers": [{"server_name": HOSTILE}],
        "arguments": {HOSTILE: {"rules": [{"when": {HOSTILE: HOSTILE}, "verdict": "allow"}]}},
    }
    done = check(cli, ascii_json(settings), *options)
    assert done.code == 0
    assert "fake line" in done.out
    assert all(char.isprintable() for char in done.out.replace("\n", ""))
    assert "\nfake line" not in done.out
