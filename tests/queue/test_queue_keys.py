"""The reviewer's key and the list of trusted reviewers: made once, whole, and read from a safe place only."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.queue import ReviewerKeysError
from signoff.queue.keys import identity, trust
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder, keys_folder
from signoff.queue.keys.trust import TrustedReviewer, read_line

MAKE = """
import sys
from pathlib import Path
from signoff.queue.keys.identity import load_or_make
from signoff.queue.keys.folder import KeysFolder
print("ready", flush=True)
sys.stdin.readline()
print(load_or_make(KeysFolder(Path(sys.argv[1]))).public.key_id)
"""


@pytest.fixture
def folder(tmp_path: Path) -> KeysFolder:
    """Where no keys are yet."""
    return KeysFolder(tmp_path / "config" / "keys")


@pytest.fixture
def made(folder: KeysFolder) -> KeysFolder:
    """A folder with a key."""
    identity.load_or_make(folder)
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def somebody(number: int) -> TrustedReviewer:
    return TrustedReviewer(bytes([number]) * 32, f"reviewer {number}")


def test_a_key_that_was_made_is_the_one_that_is_loaded(folder):
    made = identity.load_or_make(folder)
    assert identity.load_or_make(folder).public == made.public


def test_who_makes_a_key_trusts_it(folder):
    own = identity.load_or_make(folder).public
    assert trust.load(folder) == (own,)


def test_looking_for_a_key_makes_none(folder):
    assert identity.load(folder) is None
    assert not folder.directory.exists()


def test_nobody_else_gets_at_the_keys_whatever_the_umask(folder):
    before = os.umask(0)
    try:
        identity.load_or_make(folder)
    finally:
        os.umask(before)
    assert mode(folder.directory) == 0o700
    assert {mode(path) for path in folder.directory.iterdir()} == {0o600}


def test_nothing_is_left_lying_about(made):
    assert {path.name for path in made.directory.iterdir()} == {"deciding.key", "reviewers.pub", "lock"}


def test_processes_that_make_a_key_at_the_same_moment_agree(folder):
    start = [sys.executable, "-c", MAKE, str(folder.directory)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(start, **pipes) for _ in range(4)]
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    told = {process.communicate()[0] for process in processes}
    assert told == {f"{identity.load(folder).public.key_id}\n"}
    assert len(trust.load(folder)) == 1


def test_threads_that_trust_at_the_same_moment_lose_nobody(folder):
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda number: trust.trust(folder, somebody(number)), range(16)))
    assert set(trust.load(folder)) == set(map(somebody, range(16)))


def test_who_was_forgotten_stays_forgotten(made):
    (own,) = trust.load(made)
    assert trust.forget(made, own.key_id) == (own,)
    identity.load_or_make(made)
    assert trust.load(made) == ()


def test_whoever_was_trusted_before_there_was_a_key_stays_trusted(folder):
    trust.trust(folder, somebody(1))
    own = identity.load_or_make(folder).public
    assert trust.load(folder) == (somebody(1), own)


def test_the_beginning_of_several_key_ids_forgets_nobody(folder):
    for number in range(40):
        trust.trust(folder, somebody(number))
    assert len(trust.forget(folder, "")) == 40
    assert len(trust.load(folder)) == 40


def test_trusting_the_same_key_again_changes_nothing(made):
    (own,) = trust.load(made)
    before = made.reviewers.read_bytes()
    assert not trust.trust(made, TrustedReviewer(own.public_key, "another name"))
    assert made.reviewers.read_bytes() == before


def test_comments_stay_when_the_list_changes(made):
    with made.reviewers.open("a") as file:
        file.write("\n# the night shift\n")
    trust.trust(made, somebody(1))
    assert "# the night shift\n" in made.reviewers.read_text()
    assert len(trust.load(made)) == 2


@given(st.binary(min_size=32, max_size=32), st.text("abc @-.é", min_size=1).filter(str.strip))
def test_a_line_says_who_it_is(key, name):
    reviewer = TrustedReviewer(key, name.strip())
    assert read_line(reviewer.line()) == reviewer


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ed25519", "three words"),
        ("ed25519 AAAA", "three words"),
        ("rsa AAAA anna", "the first word must be ed25519"),
        ("ed25519-secret AAAA anna", "the first word must be ed25519"),
        ("ed25519 ??? anna", "not base64"),
        ("ed25519 AAAA anna", "the key has 3 bytes"),
        (somebody(1).line() + "\x1b[2J", "printable"),
        (somebody(1).line() + "x" * 300, "200 characters"),
        ("ed25519 \udcff anna".encode("utf-8", "surrogateescape").decode("latin-1"), "not base64"),
    ],
)
def test_a_line_that_says_something_else_is_named(made, line, words):
    with made.reviewers.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(ReviewerKeysError, match=f"reviewers.pub, line 3: .*{words}"):
        trust.load(made)


def test_a_list_that_is_no_text_is_refused(made):
    made.reviewers.write_bytes(b"\xff\xfe")
    with pytest.raises(ReviewerKeysError, match=r"line 1: .*decode"):
        trust.load(made)


@pytest.mark.parametrize("content", ["", "nonsense", "ed25519-secret AAAA anna\n", "ed25519 AAAA anna\n"])
def test_a_damaged_key_is_refused_and_not_replaced(made, content):
    made.deciding_key.write_text(content)
    with pytest.raises(ReviewerKeysError, match="is damaged"):
        identity.load_or_make(made)
    assert made.deciding_key.read_text() == content


def test_an_error_about_a_damaged_key_does_not_quote_it(made):
    secret = made.deciding_key.read_text().split()[-2]
    made.deciding_key.write_text(f"ed25519-secret {secret[:-3]}\u00e9 anna\n")
    with pytest.raises(ReviewerKeysError) as caught:
        identity.load(made)
    assert secret[:8] not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", ["deciding.key", "reviewers.pub"])
class TestUnsafePlaces:
    """Each refusal names what is wrong, for both files."""

    def read(self, folder: KeysFolder, name: str) -> object:
        return folder.read_secret() if name == "deciding.key" else folder.read_reviewers()

    def test_a_file_that_others_can_change_is_refused(self, made, name):
        (made.directory / name).chmod(0o622)
        with pytest.raises(ReviewerKeysError, match=r"other users have access.*chmod 600"):
            self.read(made, name)

    def test_a_directory_that_others_can_change_is_refused(self, made, name):
        made.directory.chmod(0o722)
        with pytest.raises(ReviewerKeysError, match=r"other users have access.*chmod 700"):
            self.read(made, name)

    def test_a_link_is_refused(self, made, name, tmp_path):
        (made.directory / name).rename(tmp_path / "elsewhere")
        (made.directory / name).symlink_to(tmp_path / "elsewhere")
        with pytest.raises(ReviewerKeysError, match="it is a link"):
            self.read(made, name)

    def test_a_second_name_is_refused(self, made, name, tmp_path):
        (tmp_path / "second").hardlink_to(made.directory / name)
        with pytest.raises(ReviewerKeysError, match="has 2 names"):
            self.read(made, name)

    def test_a_pipe_is_refused_and_not_waited_for(self, made, name):
        (made.directory / name).unlink()
        os.mkfifo(made.directory / name, 0o600)
        with pytest.raises(ReviewerKeysError, match="not a regular file"):
            self.read(made, name)

    def test_a_directory_that_is_a_link_is_refused(self, made, name, tmp_path):
        (tmp_path / "link").symlink_to(made.directory)
        with pytest.raises(ReviewerKeysError, match="is a link"):
            self.read(KeysFolder(tmp_path / "link"), name)

    def test_what_belongs_to_somebody_else_is_refused(self, made, name, monkeypatch):
        # As if we were somebody else: giving files away takes a privilege.
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        if made.directory.stat().st_uid == 0 and name == "reviewers.pub":
            pytest.skip("a list of root's is trusted")
        with pytest.raises(ReviewerKeysError, match="belongs to user"):
            self.read(made, name)

    def test_a_huge_file_is_refused(self, made, name):
        (made.directory / name).write_bytes(bytes(1_000_001))
        with pytest.raises(ReviewerKeysError, match="larger than"):
            self.read(made, name)


def test_others_may_read_the_public_list(made):
    made.reviewers.chmod(0o644)
    made.directory.chmod(0o755)
    assert len(trust.load(made)) == 1


def test_others_may_not_read_the_key(made):
    made.deciding_key.chmod(0o640)
    with pytest.raises(ReviewerKeysError, match="other users have access"):
        identity.load(made)


def test_a_place_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReviewerKeysError, match=f"cannot be kept in .*{KEYS_VARIABLE}"):
        identity.load_or_make(KeysFolder(tmp_path / "file" / "keys"))


def test_the_keys_are_in_the_configuration_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv(KEYS_VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert keys_folder().directory == tmp_path / "signoff" / "keys"
