"""Files that other programs run or obey, and what one launch leaves for the next."""

from __future__ import annotations

from pathlib import Path

from probes.bench import Attempt, Kind, kill, probe

__all__: list[str] = []

_EVIL = "evil-program"
_HOOK = "hooks/pre-commit"


# -- Protected files in the writable root.


@probe(Kind.HARDENING, "create .git/hooks/pre-commit", "git")
def p01(at: Attempt) -> bool:
    git = at.repository(at.rw)
    at.sh(
        f"echo {_EVIL} > .git/{_HOOK}; chmod +x .git/{_HOOK};"
        "ln -s /tmp/x .git/hooks/post-checkout; mkdir .git/hooks/x"
    )
    return bool(list((git / "hooks").iterdir()))


@probe(Kind.HARDENING, "set core.fsmonitor or core.hooksPath in .git/config", "git")
def p02(at: Attempt) -> bool:
    git = at.repository(at.rw)
    at.sh(
        f"git config core.fsmonitor {_EVIL}; git config core.hooksPath {_EVIL};"
        f"echo '[core] fsmonitor={_EVIL}' >> .git/config;"
        f"cp .git/config .git/c2; echo '[core] fsmonitor={_EVIL}' >> .git/c2; mv -f .git/c2 .git/config"
    )
    return _EVIL in (git / "config").read_text()


@probe(Kind.HARDENING, "rename .git aside and put another in its place", "git")
def p03(at: Attempt) -> bool:
    git = at.repository(at.rw)
    before = git.stat().st_ino
    at.sh(f"mv .git g2; mkdir -p .git/hooks; echo {_EVIL} > .git/{_HOOK}; mv .git g3; ln -s g2 .git")
    return git.is_symlink() or not git.is_dir() or git.stat().st_ino != before or (git / _HOOK).exists()


@probe(Kind.HARDENING, "hook in a nested repository", "git")
def p04(at: Attempt) -> bool:
    git = at.repository(at.rw / "vendor/lib")
    at.sh(f"echo {_EVIL} > vendor/lib/.git/{_HOOK}")
    return (git / _HOOK).exists()


@probe(Kind.HARDENING, "rename a parent of the nested repository aside and rebuild it", "git")
def p05(at: Attempt) -> bool:
    git = at.repository(at.rw / "vendor/lib")
    at.sh(
        f"mv vendor v2; mkdir -p vendor/lib/.git/hooks; echo {_EVIL} > vendor/lib/.git/{_HOOK};"
        f"mv vendor/lib vendor/l2; mkdir -p vendor/lib/.git/hooks; echo {_EVIL} > vendor/lib/.git/{_HOOK}"
    )
    return (git / _HOOK).exists()


@probe(Kind.HARDENING, "remove .git/config or .git/hooks and put another", "git")
def p06(at: Attempt) -> bool:
    git = at.repository(at.rw)
    at.sh(
        f"rm -f .git/config; echo '[core] fsmonitor={_EVIL}' > .git/config;"
        f"mv .git/hooks .git/h2; rm -rf .git/hooks; mkdir .git/hooks; echo {_EVIL} > .git/{_HOOK}"
    )
    return _EVIL in (git / "config").read_text() or (git / _HOOK).exists()


@probe(Kind.HARDENING, "redirect git by .git/commondir or .git/config.worktree", "git")
def p07(at: Attempt) -> bool:
    git = at.repository(at.rw)
    at.sh(
        f"echo ../evil > .git/commondir; echo '[core] fsmonitor={_EVIL}' > .git/config.worktree;"
        "mkdir -p .git/worktrees/w .git/modules/m/hooks; echo ../../../evil > .git/worktrees/w/commondir;"
        f"echo {_EVIL} > .git/modules/m/{_HOOK}"
    )
    names = ("commondir", "config.worktree", "worktrees/w/commondir", f"modules/m/{_HOOK}")
    return any((git / name).exists() for name in names)


@probe(Kind.HARDENING, "edit a .git FILE (a worktree's pointer) to another git directory", "git")
def p08(at: Attempt) -> bool:
    git = at.repository(at.rw)
    pointer = at.rw / "tree/.git"
    pointer.parent.mkdir()
    pointer.write_text(f"gitdir: {git}\n")
    at.sh(
        "echo gitdir: ../evil > tree/.git; rm -f tree/.git; mv tree t2; mkdir tree;"
        "echo gitdir: ../evil > tree/.git"
    )
    return not pointer.exists() or "evil" in pointer.read_text()


@probe(Kind.HARDENING, "change the operator's own policy files in the root (signoff.yaml, tools.py, .envrc)")
def p09(at: Attempt) -> bool:
    for name in ("tools.py", ".envrc"):
        (at.rw / name).write_text("# the operator's\n")
    files = [at.rw / name for name in ("signoff.yaml", "tools.py", ".envrc")]
    before = [path.read_bytes() for path in files]
    at.sh(
        "for f in signoff.yaml tools.py .envrc; do"
        f"  echo {_EVIL} >> $f; cp $f x; echo {_EVIL} >> x; mv -f x $f; rm -f $f;"
        f"echo {_EVIL} > $f; done"
    )
    return [path.read_bytes() if path.exists() else b"" for path in files] != before


@probe(Kind.HARDENING, "create start files of shells and editors that were not there")
def p10(at: Attempt) -> bool:
    names = (".bashrc", ".envrc", ".vscode/tasks.json", ".profile", ".claude/settings.json", "sub/.envrc")
    script = "\n".join(f"mkdir -p $(dirname {name}); echo {_EVIL} > {name}" for name in names)
    at.sh(f"{script}\nchmod 0 .vscode .claude; chmod 555 sub; chmod 0 .")  # to be in the way of who looks for them
    at.host("chmod", "-R", "u+rwX", str(at.rw))
    return any((at.rw / name).exists() for name in names)


# -- What a launch leaves, and what one finds that an earlier one left.


def _masking(at: Attempt, *names: str) -> list[str]:
    """Options of a launcher that covers files that are not there, as some do."""
    return [
        "--dev-bind",
        "/",
        "/",
        *(word for name in names for word in ("--ro-bind", "/dev/null", str(at.rw / name))),
    ]


def _littering(at: Attempt) -> bool:
    at.bwrap(*_masking(at, ".bashrc"), "true")
    return bool(at.made(at.rw))


@probe(Kind.HYGIENE, "a plain run leaves nothing new in the writable root", "git", bare=_littering)
def h01(at: Attempt) -> bool:
    git = at.repository(at.rw)
    (git / "hooks").rmdir()
    at.settle()
    at.sh("true")
    return bool(at.made(at.rw))


@probe(Kind.HYGIENE, "the same after the launcher is killed", bare=_littering)
def h02(at: Attempt) -> bool:
    at.repository(at.rw)
    process = at.start(["sh", "-c", at.begun("exec sleep 10")])
    assert process.stdout is not None
    line = process.stdout.readline()
    kill(process)
    at.ended(line, b"", process.returncode)
    return bool(at.made(at.rw))


@probe(
    Kind.BOUNDARY,
    "an earlier run planted .git/hooks -> outside: the next launch shows or changes outside",
    refusal=True,
)
def h03(at: Attempt) -> bool:
    (at.rw / ".git").mkdir()
    (at.rw / ".git/hooks").symlink_to(at.outside)
    said = at.sh(f"cat .git/hooks/secret; echo {_EVIL} > .git/{_HOOK}")
    return at.secret in said.text or at.changed(at.outside)


@probe(Kind.BOUNDARY, "an earlier run planted dangling links: the next launch creates files outside", refusal=True)
def h04(at: Attempt) -> bool:
    (at.rw / ".git").mkdir()
    names = (".bashrc", ".envrc", ".git/config", ".git/hooks", ".vscode", "tools.py")
    for place in (at.outside, Path("../outside")):
        for name in names:
            (at.rw / name).unlink(missing_ok=True)
            (at.rw / name).symlink_to(place / f"new{name.replace('/', '-')}")
        at.sh(f"for f in {' '.join(names)}; do echo {_EVIL} > $f; mkdir -p $f; done")
    return at.changed(at.outside)


def _masking_through_links(at: Attempt) -> bool:
    (at.rw / ".vscode").symlink_to(f"/oldroot{at.outside}")
    at.bwrap(*_masking(at, ".vscode/tasks.json"), "true")
    at.bwrap(*_masking(at), "--tmpfs", str(at.rw / ".vscode/folder"), "true")
    return at.changed(at.outside)


@probe(
    Kind.BOUNDARY,
    "the same with links through /oldroot (CVE-2026-87766: mount points are made on the host)",
    bare=_masking_through_links,
    refusal=True,
)
def h07(at: Attempt) -> bool:
    targets = (f"/oldroot{at.outside}", f"/newroot{at.outside}", f"/oldroot{at.outside}/new")
    for names in (("a", "b", "c"), (".vscode", ".git", "tools.py"), (".git/hooks", ".git/config", ".config/git")):
        links = [at.rw / name for name in names]
        for link, target in zip(links, targets, strict=True):
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(target)
        at.sh("true")
        for link in links:
            link.unlink()
    return at.changed(at.outside)


@probe(
    Kind.BOUNDARY,
    "an earlier run replaced a directory of the root by a link: nothing outside is reachable through it",
    refusal=True,
)
def h05(at: Attempt) -> bool:
    for name in ("sub", "given"):
        (at.rw / name).symlink_to(at.outside)
    said = at.sh(f"cat sub/secret; echo {_EVIL} > sub/new")
    # The same with a directory that is a root of its own.
    text = at.settings.read_text()
    at.settings.write_text(
        text.replace(
            "  paths:\n", f"  paths:\n    given: {{root: {at.rw}/given, mode: rw, write_approval: false}}\n"
        )
    )
    again = at.sh(
        f"cat given/secret {at.outside}/secret; echo {_EVIL} > given/new; echo {_EVIL} > {at.outside}/new"
    )
    return at.secret in said.text + again.text or at.changed(at.outside)


def _options_of_the_command(at: Attempt) -> bool:
    words = ["--dev-bind", "/", "/", "--tmpfs", str(at.outside)]
    return at.secret in at.bwrap(*words, *_binding(at)).text


def _binding(at: Attempt) -> list[str]:
    return ["--bind", str(at.outside), str(at.outside), "cat", str(at.outside / "secret")]


@probe(
    Kind.HYGIENE,
    "an option-like command is not taken as an option of the sandbox program",
    bare=_options_of_the_command,
)
def h06(at: Attempt) -> bool:
    at.sh("true")
    for words in (_binding(at), ["--help"]):
        said = at.run(words)
        if at.secret in said.text or said.code == 0 or "usage" in said.text:
            return True
    return False
