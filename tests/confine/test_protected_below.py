"""What a command must leave as it is, below a directory that it may write: nothing it makes hides any of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from signoff.confine.profile import PathAccess
from signoff.confine.protected_names import lies_in_protected, protected_below, secrets_of

PROJECT = """
.envrc .github/workflows/ci.yml src/x.py src/.vscode/tasks.json sub/.git worktree/x .config/git/config
.git/HEAD .git/config .git/hooks/pre-commit .git/objects/aa/bb .git/refs/heads/main .git/index
.git/worktrees/one/HEAD .git/worktrees/one/gitdir .git/modules/sub/config
vendor/lib/.git/config vendor/lib/.git/hooks/update vendor/lib/.git/HEAD
bare/HEAD bare/config bare/hooks/update bare/objects/aa/bb bare/refs/heads/main bare/packed-refs
"""
PROTECTED = """
.envrc .github src/.vscode sub/.git .config/git .git/config .git/hooks .git/worktrees/one/gitdir .git/modules
vendor/lib/.git/config vendor/lib/.git/hooks bare/config bare/hooks
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in PROJECT.split():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def found(top: Path, **settings: object) -> set[str]:
    below = protected_below(str(top), **settings)  # type: ignore[arg-type]
    return {os.path.relpath(path, top) for path, most in below if most is PathAccess.READ}


def test_protected_files_are_found_and_what_git_itself_writes_is_not(project: Path) -> None:
    assert found(project) == set(PROTECTED.split())


def test_the_letter_case_of_a_name_does_not_count(tmp_path: Path) -> None:
    for name in ("Signoff.YAML", "Tools.py", ".Envrc", "x.py"):
        (tmp_path / name).touch()
    assert found(tmp_path) == {"Signoff.YAML", "Tools.py", ".Envrc"}


def test_no_link_is_followed_not_even_one_that_took_the_place_of_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("elsewhere", "top/folder"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "elsewhere/.envrc").touch()
    scandir = os.scandir

    def exchanged_after_the_look(path: str) -> nullcontext[list[os.DirEntry[str]]]:
        with scandir(path) as listing:
            entries = list(listing)
        if not (tmp_path / "top/folder").is_symlink():
            (tmp_path / "top/folder").rmdir()
            (tmp_path / "top/folder").symlink_to(tmp_path / "elsewhere")
        return nullcontext(entries)

    monkeypatch.setattr(os, "scandir", exchanged_after_the_look)
    assert found(tmp_path / "top") == set()


def looks_like_a_repository(top: Path) -> None:
    for name in ("objects", "refs"):
        (top / name).mkdir()
    (top / "HEAD").touch()


def looks_like_a_queue(top: Path) -> None:
    for name in ("queue.db", "bells", "leases"):
        (top / name).touch()


def has_directories_of_such_names(top: Path) -> None:
    for name in ("HEAD", "objects", "refs"):
        (top / name).mkdir()


def has_links_to_itself(top: Path) -> None:
    (top / "loop").symlink_to(".")
    (top / "up").symlink_to("..")


def has_other_cases(top: Path) -> None:
    (top / "Objects").mkdir()
    (top / "REFS").mkdir()
    (top / "Head").touch()


DISGUISES = [
    looks_like_a_repository,
    looks_like_a_queue,
    has_directories_of_such_names,
    has_links_to_itself,
    has_other_cases,
]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_nothing_that_a_command_makes_hides_a_protected_file(
    project: Path, disguise: Callable[[Path], None]
) -> None:
    disguise(project)
    disguise(project / "src")
    assert found(project) >= set(PROTECTED.split())


def test_a_queue_is_not_even_readable(project: Path) -> None:
    (project / "src/queue").mkdir()
    looks_like_a_queue(project / "src/queue")
    hidden = [path for path, most in protected_below(str(project)) if most is PathAccess.NONE]
    assert hidden == [str(project / "src/queue")]


def test_the_keys_and_queues_of_other_environments_are_secret_wherever_they_lie(project: Path) -> None:
    for name in ("keys/deciding.key", ".signoff/deep/keys/deciding.key", "home/.config/signoff/keys/deciding.key"):
        (project / name).parent.mkdir(parents=True)
        (project / name).touch()
        (project / name).with_name("reviewers.pub").touch()
    (project / ".signoff/queue").mkdir()
    looks_like_a_queue(project / ".signoff/queue")
    secret = [each for path, _ in protected_below(str(project)) for each in secrets_of(path)]
    assert sorted(os.path.relpath(path, project) for path in secret) == [
        ".signoff/deep/keys/deciding.key",
        ".signoff/queue",
        "home/.config/signoff/keys/deciding.key",
        "keys/deciding.key",
    ]


def test_a_directory_that_is_left_out_is_left_out_with_all_that_is_in_it(project: Path) -> None:
    left_out = {str(project / name) for name in (".github", "vendor", "src")}
    kept = {name for name in PROTECTED.split() if not name.startswith((".github", "vendor", "src"))}
    assert found(project, skip=left_out) == kept


def test_a_directory_that_cannot_be_looked_into_is_told(project: Path) -> None:
    told: list[OSError] = []
    here = os.open(project / "src", os.O_RDONLY)
    for _ in range(20):  # deeper than any path can say
        os.mkdir("d" * 250, dir_fd=here)
        outer, here = here, os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(outer)
    os.mkdir(".vscode", dir_fd=here)
    os.close(here)
    assert found(project, unseen=told.append) >= {".envrc"}
    assert [type(error) for error in told] == [OSError]


@pytest.mark.parametrize(
    "place", [".github", ".github/workflows", ".git", ".git/hooks", ".config/git", "bare/hooks", ".envrc"]
)
def test_a_place_in_a_protected_directory_is_protected_as_a_whole(project: Path, place: str) -> None:
    assert lies_in_protected(str(project / place), str(project))


@pytest.mark.parametrize("place", ["", "src", "vendor/lib", "bare", ".config"])
def test_other_places_are_looked_into(project: Path, place: str) -> None:
    assert not lies_in_protected(str(project / place), str(project))


def test_names_above_the_project_do_not_count(project: Path) -> None:
    inner = project / ".github/tool"
    assert not lies_in_protected(str(inner), str(inner))
