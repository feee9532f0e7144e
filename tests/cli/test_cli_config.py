from __future__ import annotations

import pytest
from cli_bench import HOSTILE, Cli, Ended

from sandbox_bench import require_backend
from signoff.text.ascii_json import ascii_json


def check(cli: Cli, text: str, *options: str) -> Ended:
    (cli.folder / "signoff.yaml").write_text(text)
    return cli.inside("config", "check", "signoff.yaml", *options)


def warnings_of(cli: Cli, text: str) -> list[str]:
    done = check(cli, text)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("warnings:"))
    return [line.removeprefix("  signoff.yaml:") for line in lines[start + 1 :]]


def said(cli: Cli, text: str, section: str) -> list[str]:
    """The lines of one section of the report."""
    done = check(cli, text)
    assert (done.code, done.err) == (0, "")
    lines = iter(done.out.splitlines())
    assert f"{section}:" in lines
    found = []
    for line in lines:
        if not line.startswith("  "):
            break
        found.append(line.strip())
    return found


# -- the schema ------------------------------------------------------------------------------------------


def test_the_schema_is_printed_as_json(cli: Cli) -> None:
    done = cli.inside("config", "schema")
    assert (done.code, done.err) == (0, "")
    assert done.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"sandbox", "shell", "shell_rules", "custom_tools", "tools"} <= set(done.json["properties"])


def test_config_alone_says_what_is_missing(cli: Cli) -> None:
    done = cli.inside("config")
    assert (done.code, done.out) == (2, "")
    assert done.err == "signoff: Missing command; see: signoff config --help\n"


# -- a file that is not valid ----------------------------------------------------------------------------


def test_a_file_that_is_not_valid_ends_with_2_and_a_line_for_each_problem(cli: Cli) -> None:
    done = check(cli, "sandbx: {}\ntools: {a: {approval: maybe}}\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        'signoff: signoff.yaml:1:1: sandbx: is no key that is known here; did you mean "sandbox"?',
        'signoff: signoff.yaml:2:13: tools.a.approval: must be "required", "none" or "deny", not "maybe"',
    ]


def test_a_file_that_is_not_there_ends_with_2(cli: Cli) -> None:
    done = cli.inside("config", "check", "gone.yaml")
    assert (done.code, done.out, done.err) == (2, "", "signoff: gone.yaml: there is no such file\n")


def test_problems_are_json_for_programs(cli: Cli) -> None:
    done = check(cli, "tools: {a: {approval: maybe}}", "--json")
    assert (done.code, done.err) == (2, "")
    assert done.json == {
        "valid": False,
        "problems": [
            {
                "file": "signoff.yaml",
                "line": 1,
                "column": 13,
                "key": "tools.a.approval",
                "message": 'must be "required", "none" or "deny", not "maybe"',
            }
        ],
    }


# -- what is allowed -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("root: here", "read without asking, write never"),
        ("root: here, read_approval: true", "read after asking, write never"),
        ("root: here, mode: rw", "read without asking, write after asking"),
        ("root: here, mode: rw, write_approval: false", "read without asking, write without asking"),
    ],
)
def test_a_root_says_what_may_be_done_in_it(cli: Cli, settings: str, words: str) -> None:
    (cli.folder / "here").mkdir()
    lines = said(cli, f"sandbox: {{paths: {{a: {{{settings}}}}}}}", "sandbox")
    assert lines == [f"a  {cli.folder}/here: {words}"]


def test_a_root_is_shown_as_where_it_leads(cli: Cli) -> None:
    (cli.folder / "real").mkdir()
    (cli.folder / "link").symlink_to("real")
    (line,) = said(cli, "sandbox: {paths: {a: {root: link, suffixes: [.txt, .md]}}}", "sandbox")
    assert line.startswith(f"a  {cli.folder}/real (only .txt, .md): ")


def test_rules_of_the_shell_are_told_in_their_order_then_the_default(cli: Cli) -> None:
    text = """
sandbox: {paths: {out: {root: .}}}
shell_default: {allowed: false}
shell_rules:
  - {pattern: git status, approval: false}
  - {pattern: git commit}
  - {pattern: rm, allowed: false}
  - {pattern: pytest, approval: false, sandbox_paths: [out]}
  - {pattern: sudo rm}
"""
    assert said(cli, text, "shell") == [
        "1. git status  runs without asking",
        "2. git commit  asks first",
        "3. rm          blocked, wherever in a command line it may be run",
        "4. pytest      runs without asking, if all paths lie in: out",
        "5. sudo rm     blocked, by another rule",
        "anything else  blocked",
    ]


def test_custom_tools_are_looked_up_without_running_any_code(cli: Cli) -> None:
    (cli.folder / "tools.py").write_text(
        "from pathlib import Path\nfrom signoff import requires_approval\n"
        "Path('ran').touch()\n"
        "def plain(): ...\n"
        "@requires_approval(description='x')\nasync def marked(): ...\n"
        "if True:\n    def inner(): ...\n"
    )
    lines = said(cli, "custom_tools: {plain: {approval: required}, marked: , inner: , gone: }", "custom tools")
    assert lines == [
        "plain   asks first (as set; tools.py, line 4)",
        "marked  asks first (as marked; tools.py, line 6)",
        "inner   runs without asking (not marked; tools.py, line 8)",
        "gone    not found",
    ]
    assert not (cli.folder / "ran").exists()


def test_a_custom_tool_that_is_denied_is_blocked(cli: Cli) -> None:
    (cli.folder / "tools.py").write_text("def a(): ...\n")
    lines = said(cli, "custom_tools: [a]\ntools: {a: {approval: deny}}", "custom tools")
    assert lines == ["a  blocked (as set; tools.py, line 1)"]


def test_settings_of_tools_are_told(cli: Cli) -> None:
    text = "tools: {a: {approval: required}, b: {approval: none}, c: {approval: deny}, d: }"
    assert said(cli, text, "tools") == [
        "a  asks first",
        "b  runs without asking",
        "c  blocked",
        "d  as the tool says",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "mode: not set: as the program or SIGNOFF_MODE says, else interactive"),
        ("approval_mode: strict", "mode: strict: whatever asks is refused"),
    ],
)
def test_the_mode_is_told(cli: Cli, text: str, words: str) -> None:
    assert check(cli, text).out.splitlines()[0] == words


def test_agents_are_told_with_what_they_run(cli: Cli) -> None:
    text = """
agents:
  assistant: {pydantic_ai: "assistant:agent"}
  cleaner: {python: "cleaner:main"}
  script: {command: [node, agent.js, "an \\e[31margument"]}
"""
    assert said(cli, text, "agents") == [
        "assistant  runs the PydanticAI agent assistant:agent",
        "cleaner    runs the function cleaner:main",
        "script     runs the program node agent.js 'an ^[[31margument'",
    ]
    assert warnings_of(cli, text) == []


def test_all_of_it_is_json_for_programs(cli: Cli) -> None:
    text = """
approval_mode: strict
sandbox: {paths: {a: {root: ., mode: rw, suffixes: [.txt]}}}
shell: {default: {allowed: false}, rules: [{pattern: ls, approval: false}]}
custom_tools: [plain]
tools: {deploy: {approval: required}}
agents: {cleaner: {python: "cleaner:main", time_limit: 60}}
"""
    (cli.folder / "tools.py").write_text("def plain(): ...\n")
    done = check(cli, text, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json == {
        "valid": True,
        "problems": [],
        "file": "signoff.yaml",
        "mode": "strict",
        "directory": str(cli.folder),
        "calls": None,
        "sandbox": {
            "roots": [
                {
                    "name": "a",
                    "path": str(cli.folder),
                    "exists": True,
                    "mode": "rw",
                    "suffixes": [".txt"],
                    "read": "runs",
                    "write": "asks",
                }
            ],
            "require_os_sandbox": False,
        },
        "shell": {
            "rules": [{"pattern": "ls", "answer": "runs", "any_arguments": False, "sandbox_paths": []}],
            "default": "blocked",
        },
        "custom_tools": [{"name": "plain", "answer": "runs", "approval": None, "line": 1, "marked": False}],
        "tools": {"deploy": "required"},
        "agents": {"cleaner": {"python": "cleaner:main", "time_limit": 60}},
        "warnings": [],
    }


# -- what is dangerous, or has no effect -----------------------------------------------------------------

ROOT = "sandbox: {{paths: {{a: {{root: ., {}}}}}}}"

DOUBTFUL = {
    "approve_all": (
        "approval_mode: approve_all\ntools: {}\nshell: {}",
        "1:1: approval_mode: everything that asks is approved without anybody looking at it",
    ),
    "nothing": ("{}", "1:1: nothing is set: there are no tools"),
    "no such root": (
        "sandbox: {paths: {a: {root: /nowhere/at/all}}}",
        "1:23: sandbox.paths.a.root: there is no directory /nowhere/at/all, so nothing is in it; make it first",
    ),
    "everything": (
        "sandbox: {paths: {a: {root: /}}}",
        "1:23: sandbox.paths.a.root: this is everything on the disk",
    ),
    "programs of the system": (
        "sandbox: {paths: {a: {root: /usr/bin, mode: rw}}}",
        "1:23: sandbox.paths.a.root: programs and settings of the system can be changed here",
    ),
    "unasked writing": (
        ROOT.format("mode: rw, suffixes: [.txt], approval: {write: none}"),
        "1:71: sandbox.paths.a.approval.write: files are written without anybody being asked",
    ),
    "approval of what is read-only": (
        ROOT.format("write_approval: true"),
        "1:32: sandbox.paths.a.write_approval: has no effect: the mode is ro, so nothing is written",
    ),
    "no suffix": (
        ROOT.format("suffixes: []"),
        "1:32: sandbox.paths.a.suffixes: the list is empty, so no file may be touched",
    ),
    "a suffix without a dot": (
        ROOT.format("suffixes: [txt]"),
        "1:43: sandbox.paths.a.suffixes[0]: does not begin with a dot: any name that ends so has it",
    ),
    "one directory twice": (
        "sandbox: {paths: {a: {root: .}, b: {root: ./.}}}",
        '1:37: sandbox.paths.b.root: is the same directory as "a"; the stricter setting of both holds',
    ),
    "unasked commands": (
        "shell_default: {action: allow}",
        "1:1: shell_default: commands that no rule is about run without anybody being asked",
    ),
    "a rule behind a wider one": (
        "shell: {rules: [{pattern: git}, {pattern: git add, approval: false}]}",
        '1:33: shell.rules[1]: has no effect: the rule "git" before it takes all its commands',
    ),
    "a rule for what is blocked": (
        "shell_rules: [{pattern: rm, allowed: false}, {pattern: rm -i}]",
        "1:46: shell_rules[1]: has no effect: another rule blocks this",
    ),
    "words for a reviewer who is not asked": (
        "shell_rules: [{pattern: rm, allowed: false, description: x}]",
        "1:45: shell_rules[0].description: has no effect: what a rule blocks is blocked, and nobody is asked",
    ),
    "a rule that another asks about": (
        "shell_rules: [{pattern: env ls, approval: false}, {pattern: ls}]",
        '1:15: shell_rules[0]: asks all the same: shell rule "ls"',
    ),
    "a risk that nobody sees": (
        "shell_rules: [{pattern: rm, approval: false}]",
        "1:15: shell_rules[0]: runs unasked, although its risk is HIGH (deletes files)",
    ),
    "a rule with a root that there is not": (
        "shell_rules: [{pattern: ls, approval: false, sandbox_paths: [out]}]",
        '1:46: shell_rules[0].sandbox_paths: there is no root "out"; nothing can be built',
    ),
    "a rule for files that runs those of the working directory as well": (
        "sandbox: {paths: {o: {root: .}}}\nshell_rules: [{pattern: pytest, approval: false, sandbox_paths: [o]}]",
        "2:50: shell_rules[0].sandbox_paths: lets nothing through: it also uses files that no command names",
    ),
    "no tools.py": (
        "custom_tools: [a]",
        "1:1: custom_tools: tools.py is not there; nothing can be built",
    ),
    "a tool without settings": ("tools: {a:}", "1:9: tools.a: has no effect: nothing is set"),
    "our own tool": (
        "tools: {write_file: {approval: none}}",
        '1:9: tools.write_file: overrides "sandbox": whatever it does not block runs without a question',
    ),
}


@pytest.mark.parametrize("doubt", DOUBTFUL)
def test_what_is_dangerous_or_has_no_effect_is_warned_of(cli: Cli, doubt: str) -> None:
    text, warning = DOUBTFUL[doubt]
    assert warning in warnings_of(cli, text)


TOOLS = {
    "not defined": ("", "1:16: custom_tools[0]: there is no such function in tools.py; nothing can be built"),
    "imported": ("from x import a", "1:16: custom_tools[0]: is not written as a function in tools.py, line 1"),
    "no Python": (
        "def",
        "1:1: custom_tools: tools.py is no Python: invalid syntax, line 1; nothing can be built",
    ),
}


@pytest.mark.parametrize("case", TOOLS)
def test_a_custom_tool_that_cannot_be_seen_is_warned_of(cli: Cli, case: str) -> None:
    source, warning = TOOLS[case]
    (cli.folder / "tools.py").write_text(source)
    assert warnings_of(cli, "custom_tools: [a]") == [warning]


def test_a_custom_tool_that_is_not_public_is_warned_of(cli: Cli) -> None:
    (cli.folder / "tools.py").write_text("def _a(): ...\n")
    assert warnings_of(cli, "custom_tools: [_a]") == [
        "1:16: custom_tools[0]: begins with an underscore, so it is no public function; nothing can be built"
    ]


@pytest.mark.parametrize("fallback", ["fail_fast", "refuse_tools"])
def test_a_sandbox_of_the_operating_system_that_cannot_be_had_is_warned_of(cli: Cli, fallback: str) -> None:
    text = (
        f"sandbox: {{require_os_sandbox: true, os_sandbox_backends: [seatbelt], os_sandbox_fallback: {fallback}}}"
    )
    assert any(each.startswith("1:11: sandbox.require_os_sandbox: ") for each in warnings_of(cli, text))


def test_a_limit_for_commands_that_names_what_is_not_there_is_warned_of(cli: Cli) -> None:
    require_backend()
    text = (
        "sandbox: {paths: {a: {root: ., mode: rw}}, require_os_sandbox: true, os_sandbox_profile: {write: [new]}}"
    )
    (line,) = (each for each in warnings_of(cli, text) if "os_sandbox_profile" in each)
    told = f"there is no {cli.folder}/new, so no command is started that could make it"
    assert line == f"1:99: sandbox.os_sandbox_profile.write[0]: {told}; make it first, or leave the entry out"


@pytest.mark.parametrize(
    ("setting", "words"), [("network: true", "says nothing"), ("mode: review", "nothing can be built")]
)
def test_a_setting_that_takes_a_sandbox_of_the_operating_system_is_warned_of(
    cli: Cli, setting: str, words: str
) -> None:
    assert any(words in each for each in warnings_of(cli, f"shell: {{{setting}}}"))


@pytest.mark.parametrize("setting", ["os_sandbox: external", "os_sandbox_profile: {network: false}"])
def test_a_setting_of_a_sandbox_that_is_not_required_is_warned_of(cli: Cli, setting: str) -> None:
    name = setting.partition(":")[0]
    told = f"1:11: sandbox.{name}: says nothing: without require_os_sandbox commands are not confined"
    assert told in warnings_of(cli, f"sandbox: {{{setting}}}")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("[]", "sandbox.os_sandbox_backends: must name at least one"),
        (
            "[bubblewrap]",
            'sandbox.os_sandbox_backends[0]: must be "bwrap", "landlock" or "seatbelt", not "bubblewrap"',
        ),
    ],
)
def test_a_wrong_list_of_backends_is_one_problem(cli: Cli, names: str, told: str) -> None:
    done = check(cli, f"sandbox: {{os_sandbox_backends: {names}}}")
    (problem,) = done.err.splitlines()
    assert problem.endswith(told)


def test_a_sandbox_elsewhere_is_told(cli: Cli) -> None:
    told = said(cli, "sandbox: {require_os_sandbox: true, os_sandbox: external}", "sandbox")
    assert told == ["commands are not confined: something around the agent is said to confine it"]


@pytest.mark.parametrize("setting", ["os_sandbox: external", "os_sandbox_backends: [landlock]"])
def test_a_sandbox_in_which_nothing_works_on_copies_is_warned_of(cli: Cli, setting: str) -> None:
    text = f"sandbox: {{require_os_sandbox: true, {setting}}}\nshell: {{mode: review}}"
    assert any("review takes" in each or "cannot be confined here" in each for each in warnings_of(cli, text))


def test_a_mark_that_is_overridden_is_warned_of(cli: Cli) -> None:
    (cli.folder / "tools.py").write_text("import signoff\n@signoff.requires_approval\ndef a(): ...\n")
    assert warnings_of(cli, "custom_tools: {a: {approval: none}}") == [
        "1:20: custom_tools.a.approval: overrides @requires_approval on the function: nobody is asked"
    ]


@pytest.mark.parametrize(("name", "warned"), [("agent.yaml", True), ("signoff.yaml", False)])
def test_settings_that_the_agent_could_change_unasked_are_warned_of(cli: Cli, name: str, warned: bool) -> None:
    """A file called signoff.yaml is asked about whatever the settings say."""
    (cli.folder / name).write_text("sandbox: {paths: {a: {root: ., mode: rw, write_approval: false}}}")
    out = cli.inside("config", "check", name).out
    assert (f"the agent can change {name} here without a question" in out) is warned
    assert "the agent can change tools.py here without a question" in out


def test_what_asks_about_everything_is_not_warned_of(cli: Cli) -> None:
    text = "sandbox: {paths: {a: {root: ., mode: rw}}}\nshell: {rules: [{pattern: ls, approval: false}]}\n"
    assert check(cli, text).out.splitlines()[-1] == "warnings: none"


# -- hostile text ----------------------------------------------------------------------------------------


HOSTILE_SETTINGS = {
    "valid": {
        "sandbox": {"paths": {HOSTILE: {"root": HOSTILE, "suffixes": [HOSTILE]}}},
        "shell_rules": [{"pattern": "ls", "sandbox_paths": [HOSTILE]}],
        "custom_tools": [HOSTILE],
        "tools": {HOSTILE: {"approval": "none"}},
    },
    "key": {HOSTILE: 1},
    "value": {"approval_mode": HOSTILE},
}


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("case", HOSTILE_SETTINGS)
def test_nothing_in_a_file_can_act_on_the_terminal(cli: Cli, case: str, options: list[str]) -> None:
    done = check(cli, ascii_json(HOSTILE_SETTINGS[case]), *options)
    assert done.code == (0 if case == "valid" else 2)
    printed = done.out + done.err
    assert "fake line" in printed
    assert all(char.isprintable() for char in printed.replace("\n", ""))
    assert "\nfake line" not in printed
