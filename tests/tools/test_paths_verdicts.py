"""What is said of paths: the rules about what a path may be, what a name may hold, and protected names."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from signoff.policy.verdict import Level
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext

FREE = {"mode": "rw", "write_approval": False}


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    """One root in which nothing is asked for, with some files, and something outside of it."""
    (workdir / "notes" / "sub").mkdir(parents=True)
    (workdir / "notes" / "a.txt").write_text("a")
    (workdir / "secret").mkdir()
    (workdir / "secret" / "key.txt").write_text("k")
    return FileSandbox({"notes": {"root": "notes", **FREE}}, cwd=str(workdir))


def said(sandbox: FileSandbox, operation: Any, path: object) -> str:
    return str(sandbox.verdict(operation, path).level)


# -- the answer --------------------------------------------------------------------------------------------


def test_a_path_as_results_print_it_is_told_which_paths_are_meant(workdir: Path) -> None:
    (workdir / "notes").mkdir()
    (workdir / "data").mkdir()
    roots = {"work": {"root": "notes"}, "in": {"root": str(workdir / "data")}, "gone": {"root": "gone"}}
    said_of = FileSandbox(roots, cwd=str(workdir)).verdict("read", "work:a.txt").reasons
    assert said_of == (f'"work:a.txt" is not in any sandbox; their directories: "notes", "{workdir / "data"}"',)
    assert "their directories: none" in FileSandbox({}).verdict("list", ".").reasons[0]


def test_an_allowed_path_is_told_with_the_root_that_decides(sandbox: FileSandbox) -> None:
    verdict = sandbox.verdict("read", "notes/a.txt")
    assert (verdict.level, verdict.rule, verdict.reasons) == (Level.ALLOW, "notes", ())


def test_a_question_is_told_with_its_reasons(sandbox: FileSandbox) -> None:
    verdict = sandbox.verdict("write", "notes/.envrc")
    assert (verdict.level, verdict.rule, verdict.reasons) == (Level.ASK, "notes", ("protected name",))


def test_a_block_is_told_with_its_reason_and_no_rule(sandbox: FileSandbox) -> None:
    verdict = sandbox.verdict("read", "secret/key.txt")
    assert (verdict.level, verdict.rule) == (Level.BLOCK, "")
    assert verdict.reasons == ('"secret/key.txt" is not in any sandbox; their directories: "notes"',)


def test_a_directory_can_be_judged_for_listing(sandbox: FileSandbox) -> None:
    assert [said(sandbox, "list", path) for path in ("notes/sub", "secret")] == ["allow", "block"]


def test_an_operation_that_there_is_not_is_refused(sandbox: FileSandbox) -> None:
    with pytest.raises(ValueError, match="delete"):
        said(sandbox, "delete", "notes/a.txt")


def test_a_sandbox_that_refuses_its_tools_blocks_every_path(workdir: Path) -> None:
    config = {
        "paths": {"w": {"root": "."}},
        "require_os_sandbox": True,
        "os_sandbox_fallback": "refuse_tools",
        "os_sandbox_backends": ["seatbelt"],
    }
    assert said(FileSandbox(config, cwd=str(workdir)), "read", "a.txt") == "block"


# -- roots -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["", "nowhere", "nowhere/..", "loop", "a.txt", "~", "$HOME"])
def test_a_root_that_does_not_exist_covers_nothing(workdir: Path, root: str) -> None:
    (workdir / "loop").symlink_to("loop")
    (workdir / "a.txt").write_text("")
    sandbox = FileSandbox({"w": {"root": root, **FREE}}, cwd=str(workdir))
    for path in ("a.txt", "nowhere/a.txt", f"{root}/x", str(workdir / "a.txt")):
        assert said(sandbox, "write", path) == "block"


def test_a_root_that_comes_into_being_later_covers_nothing(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": "later", **FREE}}, cwd=str(workdir))
    (workdir / "later").mkdir()
    assert said(sandbox, "write", "later/a.txt") == "block"


# -- what a path may be ------------------------------------------------------------------------------------


class Text(str):
    """Text of a class of its own."""

    __slots__ = ()


@pytest.mark.parametrize(
    "path",
    [
        None, True, 0, 1.5, b"notes/a.txt", ["notes/a.txt"], {"path": "notes/a.txt"}, Path("notes/a.txt"), "",
        "notes/a.txt\0", "\0", "notes/\0/a.txt", "notes/\ud800.txt", "\udcff", "notes/\udfff/x", "~",
        "~/a.txt", "~root/a.txt", "~+/notes/a.txt", "~-", "/proc/self/cwd/notes/a.txt", "/proc/1/root/x",
        "/proc", "/dev/null", "/dev/stdin", "/dev/fd/3", "//proc/self/environ", "/./dev/../dev/tty",
        "/../proc/self/mem", "notes", "notes/", "notes/.", "notes/..", "notes/sub", "notes/sub/",
        "notes/a.txt/", "notes/a.txt//", "notes/new/", "notes/a.txt/x", "notes/a.txt/.", "notes/a.txt/..",
        "notes/new/.", "notes/sub/..", ".", "..", "/", "//", "notes/" + "x" * 256, "notes/" + "\u00e9" * 128,
        "notes/" + "x/" * 2048 + "y", "notes/fifo", "notes/socket", "notes/circle", "notes/circle/x",
        "notes/around", "notes/to-fifo", "notes/to-sub", "notes/to-proc", "notes/to-dev", "notes/to-null",
        "notes/chain-0", "notes/outside",
        "notes/up/secret/key.txt", "notes/not-text",
    ],
    ids=lambda path: ascii(path)[:30],
)  # fmt: skip
@pytest.mark.parametrize("operation", ["read", "write"])
def test_what_is_no_path_of_a_file_inside_is_blocked(
    sandbox: FileSandbox, workdir: Path, operation: str, path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = workdir / "notes"
    os.mkfifo(notes / "fifo")
    monkeypatch.chdir(notes)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    links = {
        "circle": "circle", "around": "back", "back": "around", "to-fifo": "fifo", "to-sub": "sub",
        "to-proc": "/proc/self/cwd/a.txt", "to-dev": "/dev/fd/0", "to-null": "/dev/null",
        "outside": "../secret/new",
        "up": "..", "not-text": os.fsdecode(b"\xff.txt"), **{f"chain-{n}": f"chain-{n + 1}" for n in range(41)},
    }  # fmt: skip
    for link, target in links.items():
        (notes / link).symlink_to(target)
    assert said(sandbox, operation, path) == "block"


@pytest.mark.parametrize(
    "name",
    [
        "$HOME", "${PWD}", "`id`", "$(id)", "%2e%2e", "%2f", "%00", "..%2fsecret", "a\\b", "..\\secret", "C:",
        "a:b", "a.txt~", "x~", "*", "?", "[a]", "{a,b}", "a b", " a", "a ", "a.", "...",
        "....txt", "..a", "a..", "#a", "a;b", "a|b", "a'b", 'a"b', "file:", "CON", "nul.txt", "proc", "dev",
        "\u65e5\u672c", "e\u0301", "\ufb01le", "\u0430.txt", "\U0001f600.txt", "\u2764\ufe0f", "\u2215",
        "\u2024\u2024", "\uff0e\uff0e", "x" * 255, "\u05d0\u05d1.txt", "nothing-here-yet",
    ],
    ids=ascii,
)  # fmt: skip
def test_nothing_in_a_name_is_expanded_or_decoded_or_folded(
    sandbox: FileSandbox, workdir: Path, name: str
) -> None:
    assert said(sandbox, "write", f"notes/{name}") == "allow"
    sandbox.write_file(f"notes/{name}", "x")
    assert (workdir / "notes" / name).read_text() == "x"


# -- what a name may hold ----------------------------------------------------------------------------------


HIDDEN = (
    "\x01\x07\x08\t\n\r\x0b\x0c\x1b\x1f\x7f\x80\x85\x9b\x9f\xad\u0600\u061c\u06dd\u070f\u180e\u200b\u200c"
    "\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2066\u2067\u2068\u2069"
    "\u206a\ufeff\ufff9\U000110bd\U0001bca0\U0001d173\U000e0001\U000e0041\U000e007f"
)


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
@pytest.mark.parametrize("path", ["notes/a{}b.txt", "notes/{}a", "notes/a.txt{}", "notes/d{}r/a.txt"])
def test_a_control_or_format_character_is_asked_about(sandbox: FileSandbox, path: str, char: str) -> None:
    assert [said(sandbox, op, path.format(char)) for op in ("read", "write")] == ["ask", "ask"]


def test_a_link_to_a_name_with_a_hidden_character_is_asked_about(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "notes" / "plain").symlink_to("a\u200bb")
    assert said(sandbox, "write", "notes/plain") == "ask"


@pytest.mark.parametrize("path", ["notes/h.txt", "notes/link", "notes/sub/../h.txt", "notes/twice.txt"])
@pytest.mark.parametrize("operation", ["read", "write"])
def test_a_file_with_a_second_name_is_asked_about(
    sandbox: FileSandbox, workdir: Path, operation: str, path: str
) -> None:
    (workdir / "notes" / "h.txt").hardlink_to(workdir / "secret" / "key.txt")
    (workdir / "notes" / "link").symlink_to("h.txt")
    (workdir / "notes" / "twice.txt").hardlink_to(workdir / "notes" / "a.txt")
    assert said(sandbox, operation, path) == "ask"


def test_a_file_is_not_asked_about_any_more_when_its_second_name_is_gone(
    sandbox: FileSandbox, workdir: Path
) -> None:
    (workdir / "second").hardlink_to(workdir / "notes" / "a.txt")
    (workdir / "second").unlink()
    assert said(sandbox, "write", "notes/a.txt") == "allow"


# -- protected names ---------------------------------------------------------------------------------------

PROTECTED = [
    ".git/config", ".git/hooks/pre-commit", ".git", ".GIT/config", "sub/.git/HEAD",
    "vendor/x/.git/info/attributes", ".github/workflows/ci.yml", ".github/dependabot.yml", ".gitlab-ci.yml",
    ".gitmodules", ".gitconfig", ".circleci/config.yml", ".husky/pre-push", ".vscode/settings.json",
    ".vscode/tasks.json", "sub/.vscode/launch.json", ".VSCode/tasks.json", ".idea/workspace.xml",
    ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/x.sh", ".claude.json",
    ".cursor/mcp.json", ".cursorrules", ".codex/config.toml", ".gemini/settings.json", ".mcp.json",
    "sub/.mcp.json", ".MCP.json", ".devcontainer/devcontainer.json", ".envrc", "sub/.envrc", ".direnvrc",
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bashrc.local", ".profile",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".zshrc.local", ".kshrc", ".mkshrc", ".cshrc",
    ".tcshrc", ".login", ".logout", ".shrc", ".inputrc", ".xinitrc", ".xprofile", ".xsessionrc",
    ".pam_environment", ".config/fish/config.fish", ".config/fish/conf.d/x.fish",
    ".config/autostart/x.desktop", ".config/systemd/user/x.service", ".config/git/config",
    ".config/signoff/rules.yaml", ".ssh/authorized_keys", ".ssh/config", ".ssh/rc", ".vimrc", ".exrc",
    ".npmrc", "signoff.yaml", "signoff.yml", "Signoff.YAML", ".signoff.yaml", "signoff.toml",
    ".signoff/rules.yaml", "sub/signoff.yaml", "sitecustomize.py",
    ".devcontainer.json", ".hg/hgrc", ".jj/config", ".gitattributes", "sub/.gitattributes",
    ".pre-commit-config.yaml", "sub/x.pth", "X.PTH", ".drone.yml", "azure-pipelines.yml",
]  # fmt: skip

PLAIN = [
    ".gitignore", ".gitkeep", "git/config", "github/x.yml", "x.git", "a.git/x", ".gitx/a",
    "vscode/settings.json", "claude/x.json", "claude.md", ".env.example", ".editorconfig", ".prettierrc",
    ".eslintrc", ".dockerignore", "bashrc", "zshrc.md", "profile.txt", "bash_profile", ".bash", ".shadow",
    ".fishing", ".config/x", ".config/app/fish.txt", "config/fish/x", "autostart/x", "signoff.md",
    "signoff/notes.txt", "docs/signoff.py", "mcp.txt", "envrc", "login.html", "logout.py", "profile",
    "ssh/config", "readme.md", "src/main.py", "git", "hooks/x", "sub/a.txt", "workflows/ci.yml",
]  # fmt: skip


@pytest.mark.parametrize("name", PROTECTED)
def test_writing_what_other_programs_obey_is_asked_about(sandbox: FileSandbox, name: str) -> None:
    assert said(sandbox, "write", f"notes/{name}") == "ask"
    assert said(sandbox, "read", f"notes/{name}") == "allow"


@pytest.mark.parametrize("name", PLAIN)
def test_writing_what_only_looks_like_it_is_not_asked_about(sandbox: FileSandbox, name: str) -> None:
    assert said(sandbox, "write", f"notes/{name}") == "allow"


def test_a_link_is_protected_by_its_own_name_and_by_that_of_its_target(
    sandbox: FileSandbox, workdir: Path
) -> None:
    (workdir / "notes" / ".bashrc").symlink_to("a.txt")
    (workdir / "notes" / "plain").symlink_to(".envrc")
    (workdir / "notes" / "tools").symlink_to(".git")
    (workdir / "notes" / ".vscode").symlink_to("sub")
    for path in (".bashrc", "plain", "tools/config", ".vscode/tasks.json"):
        assert said(sandbox, "write", f"notes/{path}") == "ask"


def test_a_link_is_protected_by_every_name_on_its_way(sandbox: FileSandbox, workdir: Path) -> None:
    notes = workdir / "notes"
    (notes / ".envrc").symlink_to("a.txt")
    (notes / "plain.txt").symlink_to(".envrc")
    (notes / ".git").symlink_to("sub")
    (notes / "tools").symlink_to(notes / ".git")
    (notes / "other.txt").symlink_to("a.txt")
    said_of = {name: said(sandbox, "write", f"notes/{name}") for name in ("plain.txt", "tools/x", "other.txt")}
    assert said_of == {"plain.txt": "ask", "tools/x": "ask", "other.txt": "allow"}


def test_a_protected_name_that_a_path_only_passes_by_is_not_asked_about(sandbox: FileSandbox) -> None:
    assert said(sandbox, "write", "notes/.git/../a.txt") == "allow"


def test_a_root_within_a_protected_directory_of_the_project_is_protected(workdir: Path) -> None:
    (workdir / ".git" / "hooks").mkdir(parents=True)
    sandbox = FileSandbox({"hooks": {"root": ".git/hooks", **FREE}}, cwd=str(workdir))
    assert said(sandbox, "write", ".git/hooks/pre-commit") == "ask"


def test_where_the_project_itself_lies_says_nothing_of_its_files(workdir: Path) -> None:
    project = workdir / ".claude" / "worktrees" / "one"
    project.mkdir(parents=True)
    sandbox = FileSandbox({"all": {"root": ".", **FREE}}, cwd=str(project))
    assert said(sandbox, "write", "a.txt") == "allow"
    assert said(sandbox, "write", ".claude/settings.json") == "ask"


# -- approvals of files that got a second name -------------------------------------------------------------


def test_an_approval_of_a_file_is_not_one_of_a_file_with_a_second_name(
    sandbox: FileSandbox, workdir: Path
) -> None:
    context = ApprovalContext(tool_name="read_file", args={"path": "notes/a.txt"})
    before = sandbox.approval_request(context)
    (workdir / "second").hardlink_to(workdir / "notes" / "a.txt")
    after = sandbox.approval_request(context)
    assert before is not None
    assert after is not None
    assert before.payload == {"sandbox": "notes", "path": "a.txt"}
    assert after.payload == {"sandbox": "notes", "path": "a.txt", "hard_link": True}


@pytest.mark.parametrize("name", ["-rf", "--", "--output=x", "new/-x", "--output=x/a", "new/-x/deep/a", "./-x//a"])
def test_a_new_name_that_programs_take_for_an_option_is_asked_about(sandbox: FileSandbox, name: str) -> None:
    assert said(sandbox, "write", f"notes/{name}") == "ask"


def test_a_file_that_has_such_a_name_already_is_written_as_others_are(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "notes" / "-x").touch()
    (workdir / "notes" / "-old").mkdir()
    assert said(sandbox, "write", "notes/-x") == "allow"
    assert said(sandbox, "write", "notes/-old/new/a") == "allow"
    assert said(sandbox, "write", "notes/-old/-new/a") == "ask"


def test_only_names_below_the_root_count_as_new_options(workdir: Path) -> None:
    (workdir / "-root").mkdir()
    sandbox = FileSandbox({"r": {"root": "-root", "mode": "rw", "write_approval": False}}, cwd=str(workdir))
    assert said(sandbox, "write", "-root/new/a") == "allow"


@pytest.mark.parametrize("name", ["HEAD", "head", "bare/config", "bare/hooks/post-checkout", "bare/deep/x"])
def test_a_bare_repository_is_protected_like_the_folder_of_git(
    sandbox: FileSandbox, workdir: Path, name: str
) -> None:
    for entry in ("HEAD", "objects", "refs"):
        (workdir / "notes" / "bare" / entry).mkdir(parents=True)
    assert said(sandbox, "write", f"notes/{name}") == "ask"


def test_a_file_called_config_is_nothing_special_elsewhere(sandbox: FileSandbox) -> None:
    assert said(sandbox, "write", "notes/config") == "allow"
