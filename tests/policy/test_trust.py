"""A rule file counts only with the content that a person trusted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from signoff import private_files
from signoff.policy.trust import (
    TrustedFile,
    TrustError,
    changed_files,
    require_trusted,
    trust,
    trusted_files,
    untrust,
)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "signoff" / "trusted-rules.json"


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "signoff.yaml"
    path.write_bytes(b"a: 1\n")
    return str(path)


def test_a_file_that_was_never_trusted_is_refused(rules: str) -> None:
    with pytest.raises(TrustError, match="was never trusted; read it, then run: signoff policy trust"):
        require_trusted({rules: b"a: 1\n"})


def test_a_file_with_the_trusted_content_counts(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    require_trusted({rules: b"a: 1\n"})


def test_any_other_content_is_refused(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    with pytest.raises(TrustError, match="has changed since it was trusted"):
        require_trusted({rules: b"a: 2\n"})


def test_trust_of_one_file_says_nothing_of_another(rules: str, tmp_path: Path) -> None:
    trust({rules: b"a: 1\n"})
    with pytest.raises(TrustError, match=r"other\.yaml was never trusted"):
        require_trusted({rules: b"a: 1\n", str(tmp_path / "other.yaml"): b"a: 1\n"})


def test_a_file_is_the_same_by_whatever_name(rules: str, tmp_path: Path) -> None:
    trust({rules: b"a: 1\n"})
    (tmp_path / "link").symlink_to(tmp_path)
    require_trusted({str(tmp_path / "link" / "signoff.yaml"): b"a: 1\n"})


def test_trusting_again_replaces_what_was_trusted(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    trust({rules: b"a: 2\n"})
    with pytest.raises(TrustError):
        require_trusted({rules: b"a: 1\n"})


def test_files_that_changed_or_are_gone_are_told(rules: str, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.yaml")
    trust({rules: b"a: 1\n", gone: b""})
    assert changed_files() == (gone,)
    Path(rules).write_bytes(b"a: 2\n")
    assert changed_files() == (gone, rules)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"files": []}', '{"files": {"a": 1}}'])
def test_a_damaged_list_trusts_nothing_and_is_kept(store: Path, rules: str, content: str) -> None:
    private_files.make_directory(store.parent)
    private_files.put(store, content.encode())
    for act in (changed_files, lambda: require_trusted({rules: b""}), lambda: trust({rules: b""})):
        with pytest.raises(TrustError, match="move it away"):
            act()
    assert store.read_text() == content


def another_name(store: Path) -> None:
    store.with_name("other").hardlink_to(store)


def a_link(store: Path) -> None:
    store.rename(store.with_name("other"))
    store.symlink_to(store.with_name("other"))


def a_linked_folder(store: Path) -> None:
    store.parent.rename(store.parent.with_name("other"))
    store.parent.symlink_to(store.parent.with_name("other"))


def a_pipe(store: Path) -> None:
    store.unlink()
    os.mkfifo(store, 0o600)


def a_foreign_file(store: Path) -> None:
    os.chown(store, 1234, -1)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda store: store.chmod(0o620), r"other users have access to .*rules\.json \(mode 0620\).*chmod 600"),
        (lambda store: store.chmod(0o604), r"other users have access to .*rules\.json \(mode 0604\).*chmod 600"),
        (
            lambda store: store.parent.chmod(0o770),
            r"other users have access to .*signoff \(mode 0770\).*chmod 700",
        ),
        (a_foreign_file, "belongs to user 1234, not to you; move it away"),
        (a_link, "is a link: put the file itself there"),
        (a_linked_folder, "is a link; put the directory itself there"),
        (another_name, "has 2 names; remove the others"),
        (a_pipe, "is not a regular file; move it away"),
    ],
)
def test_a_list_that_somebody_else_may_have_written_trusts_nothing(
    store: Path, rules: str, harm: Callable[[Path], object], words: str
) -> None:
    trust({rules: b"a: 1\n"})
    if harm is a_foreign_file and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    harm(store)
    for act in (changed_files, lambda: require_trusted({rules: b"a: 1\n"}), lambda: trust({rules: b"a: 1\n"})):
        with pytest.raises(TrustError, match=f"no rule file is trusted: .*{words}"):
            act()


def test_the_list_is_private_whatever_the_umask(store: Path, rules: str) -> None:
    before = os.umask(0)
    try:
        trust({rules: b""})
    finally:
        os.umask(before)
    assert (store.stat().st_mode & 0o777, store.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_what_was_trusted_can_be_compared_with_what_the_file_holds_now(rules: str, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.yaml")
    trust({rules: b"a: 1\n", gone: b"b: 1\n"})
    assert trusted_files() == (
        TrustedFile(gone, "gone", b"b: 1\n"),
        TrustedFile(rules, "unchanged", b"a: 1\n"),
    )
    Path(rules).write_bytes(b"a: 2\n")
    assert TrustedFile(rules, "changed", b"a: 1\n") in trusted_files()


def test_only_copies_of_what_is_trusted_now_are_kept(rules: str, store: Path) -> None:
    trust({rules: b"a: 1\n"})
    trust({rules: b"a: 2\n"})
    (copy,) = (store.parent / "trusted-contents").iterdir()
    assert copy.read_bytes() == b"a: 2\n"


def test_a_copy_that_was_tampered_with_is_none(rules: str, store: Path) -> None:
    trust({rules: b"a: 1\n"})
    (copy,) = (store.parent / "trusted-contents").iterdir()
    copy.write_bytes(b"a: 3\n")
    assert trusted_files() == (TrustedFile(rules, "unchanged", None),)


def test_copies_are_for_their_owner_only(rules: str, store: Path) -> None:
    trust({rules: b"a: 1\n"})
    folder = store.parent / "trusted-contents"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())] == [0o700, 0o600]


def test_what_never_ends_or_never_begins_in_the_place_of_a_file_is_no_file(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    file = Path(rules)
    for put in (lambda: os.mkfifo(file), lambda: file.symlink_to("/dev/zero"), file.mkdir):
        file.unlink()
        put()
        assert [found.state for found in trusted_files()] == ["gone"]
        assert len(changed_files()) == 1


def test_a_file_that_became_too_large_to_be_read_has_changed(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    os.truncate(rules, 2**34)
    assert [found.state for found in trusted_files()] == ["changed"]


# -- trusting no more ----------------------------------------------------------------------------------------


def test_a_file_that_is_trusted_no_more_is_refused_and_no_copy_of_it_stays(rules: str, store: Path) -> None:
    trust({rules: b"a: 1\n"})
    assert untrust([rules]) == (rules,)
    with pytest.raises(TrustError, match="was never trusted"):
        require_trusted({rules: b"a: 1\n"})
    assert list((store.parent / "trusted-contents").iterdir()) == []


def test_a_file_that_is_gone_leaves_the_list_of_trust_by_the_name_that_stands_there(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    Path(rules).unlink()
    assert changed_files() == (rules,)
    untrust([rules])
    assert changed_files() == ()


def test_only_what_is_gone_can_be_asked_for(rules: str) -> None:
    trust({rules: b"a: 1\n"})
    assert untrust([rules], only_gone=True) == ()
    require_trusted({rules: b"a: 1\n"})
    Path(rules).unlink()
    assert untrust([rules], only_gone=True) == (rules,)


def test_trusting_no_more_leaves_other_files_as_they_are(rules: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.yaml")
    trust({rules: b"a: 1\n", other: b"b: 1\n"})
    untrust([rules, str(tmp_path / "never.yaml")])
    assert [(each.name, each.trusted) for each in trusted_files()] == [(other, b"b: 1\n")]


def test_where_nothing_is_trusted_nothing_is_written(rules: str, store: Path) -> None:
    assert untrust([rules]) == ()
    assert not store.parent.exists()


def test_what_one_program_takes_off_the_list_no_other_puts_back(rules: str, tmp_path: Path) -> None:
    names = [str(tmp_path / f"{number}.yaml") for number in range(40)]
    trust(dict.fromkeys(names, b"a: 1\n"))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: untrust([name]), names[:20]))
        list(pool.map(lambda name: trust({name: b"a: 2\n"}), names[20:]))
        list(pool.map(lambda name: untrust([name]), names[20:30]))
    assert {each.name for each in trusted_files()} == set(names[30:])
