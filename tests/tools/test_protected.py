"""Names that are asked about wherever they lie, because other programs run or obey what is in them."""

from __future__ import annotations

import pytest

from signoff.confine.protected_names import is_protected

DIRECTORIES = """
    .git .hg .jj .github .gitlab .gitea .forgejo .circleci .buildkite .husky .githooks .vscode .idea .zed
    .devcontainer .claude .cursor .codex .gemini .windsurf .continue .ssh .direnv .emacs.d .signoff
    .config/autostart .config/environment.d .config/fish .config/git .config/nvim .config/nushell
    .config/systemd .config/direnv .config/mise .config/signoff
"""

FILES = """
    .mcp.json mcp.json .claude.json .cursorrules .envrc .direnvrc .mise.toml mise.toml .profile .login .logout
    .inputrc .xinitrc .xprofile .xsession .xsessionrc .pam_environment .gitconfig .gitmodules .gitlab-ci.yml
    .travis.yml .vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .dir-locals.el .gdbinit .lldbinit .tmux.conf
    .screenrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .irbrc .pryrc .Rprofile .pythonrc .pythonrc.py .pypirc
    .devcontainer.json .gitattributes .pre-commit-config.yaml .pre-commit-config.yml .drone.yml .drone.yaml
    azure-pipelines.yml azure-pipelines.yaml .bashrc .bashrc.local .bash_profile .zshrc .zshenv .zprofile .zlogin
    .kshrc .bash_aliases signoff.yaml signoff.yml .signoff.yaml signoff.json signoff.toml site.pth
"""

ORDINARY = """
    main.py notes/git config/fish.txt .config/other/a .config/notes.txt fish/a.txt git/config README.md
    my.gitconfig .gitconfig.d/a mcp.json.txt signoff.txt a.path .bash
"""


@pytest.mark.parametrize("directory", DIRECTORIES.split())
def test_what_is_in_a_directory_that_others_obey_is_protected(directory: str) -> None:
    assert is_protected(["sub", *directory.split("/"), "some", "file"])


@pytest.mark.parametrize("name", FILES.split())
def test_a_file_that_others_run_or_obey_is_protected(name: str) -> None:
    assert is_protected(["sub", name])
    assert is_protected([name.upper()])


def test_a_file_whose_writing_is_of_high_risk_anyway_is_protected() -> None:
    assert is_protected(["sub", "fish", "config.fish"])


@pytest.mark.parametrize("path", ORDINARY.split())
def test_other_names_are_not_protected(path: str) -> None:
    assert not is_protected(path.split("/"))


def test_no_name_is_not_protected() -> None:
    assert not is_protected([])
