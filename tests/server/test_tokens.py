"""Tokens: what is stored of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.server.tokens import Scope, TokenError, TokenFile

READ = frozenset({Scope.READ})


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json")


def test_a_token_is_found_by_its_text_and_its_text_is_not_kept(tokens: TokenFile, tmp_path: Path) -> None:
    text = tokens.new("phone", READ)
    holder = tokens.holder(text)
    assert holder is not None
    assert (holder.name, holder.scopes) == ("phone", READ)
    assert text not in (tmp_path / "tokens.json").read_text()


@pytest.mark.parametrize("text", ["", "signoff_", "signoff_x", "\udc80", "x" * 100_000])
def test_any_other_text_is_no_token(tokens: TokenFile, text: str) -> None:
    tokens.new("phone", READ)
    assert tokens.holder(text) is None


def test_a_change_by_another_process_is_seen_at_once(tokens: TokenFile, tmp_path: Path) -> None:
    text = tokens.new("phone", READ)
    assert tokens.holder(text)
    other = TokenFile(tmp_path / "tokens.json")
    other.revoke(other.all()[0].id[:8])
    assert tokens.holder(text) is None


@pytest.mark.parametrize("prefix", ["", "zzzz"])
def test_only_one_named_token_is_revoked(tokens: TokenFile, prefix: str) -> None:
    text = tokens.new("phone", READ)
    with pytest.raises(TokenError):
        tokens.revoke(prefix)
    assert tokens.holder(text)


@pytest.mark.parametrize(
    ("name", "scopes"), [("", READ), ("a\nb", READ), ("\x1b[31m", READ), ("x" * 65, READ), ("phone", frozenset())]
)
def test_a_token_needs_a_name_for_people_and_a_scope(
    tokens: TokenFile, name: str, scopes: frozenset[Scope]
) -> None:
    with pytest.raises(TokenError):
        tokens.new(name, scopes)
    assert tokens.all() == ()


@pytest.mark.parametrize("content", ["{", "[]", '{"tokens": [{}]}', json.dumps({"tokens": [{"id": 1}]})])
def test_a_damaged_file_lets_nobody_in_and_says_so(tokens: TokenFile, tmp_path: Path, content: str) -> None:
    text = tokens.new("phone", READ)
    (tmp_path / "tokens.json").write_text(content)
    with pytest.raises(TokenError, match="damaged"):
        tokens.holder(text)


def test_a_file_that_others_can_read_lets_nobody_in(tokens: TokenFile, tmp_path: Path) -> None:
    text = tokens.new("phone", READ)
    (tmp_path / "tokens.json").chmod(0o644)
    with pytest.raises(TokenError, match="other users"):
        tokens.holder(text)


def test_a_link_lets_nobody_in(tokens: TokenFile, tmp_path: Path) -> None:
    text = tokens.new("phone", READ)
    (tmp_path / "tokens.json").rename(tmp_path / "elsewhere")
    (tmp_path / "tokens.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TokenError, match="link"):
        tokens.holder(text)
