"""A snapshot says what a call would do, and notices when that is no longer true."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.effects import Command, FileEdit, FileWrite
from signoff.present.document.media import is_binary, media_type
from signoff.present.snapshot import files
from signoff.present.snapshot.snapshot import Snapshot, SnapshotError, take

PNG = b"\x89PNG\r\n\x1a\n\x00\x00"


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    path.chmod(0o640)
    return path


def after(snapshot: Snapshot) -> bytes:
    (item,) = snapshot.items
    return snapshot.blobs[item.after_sha256]


class TestFileWrites:
    def test_a_new_file_has_no_content_before(self, tmp_path: Path) -> None:
        (item,) = take([FileWrite(str(tmp_path / "new"), "text")]).items
        assert (item.before.exists, item.before.sha256, item.before.mode) == (False, None, None)

    def test_an_existing_file_is_recorded_with_hash_size_and_mode(self, file: Path) -> None:
        before = take([FileWrite(str(file), "new")]).items[0].before
        assert (before.exists, before.sha256, before.size, before.mode) == (
            True,
            sha(b"one\ntwo\n"),
            8,
            0o640,
        )

    def test_blobs_hold_the_content_before_and_after(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        assert dict(snapshot.blobs) == {sha(b"one\ntwo\n"): b"one\ntwo\n", sha(b"new"): b"new"}

    def test_text_is_not_translated(self, tmp_path: Path) -> None:
        snapshot = take([FileWrite(str(tmp_path / "new"), "a\r\nb\r\u00e9")])
        assert after(snapshot) == b"a\r\nb\r\xc3\xa9"

    def test_nothing_is_written(self, tmp_path: Path) -> None:
        take([FileWrite(str(tmp_path / "new"), "text")])
        assert list(tmp_path.iterdir()) == []

    def test_a_link_is_reported_with_its_target(self, file: Path, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to("a.txt")
        before = take([FileWrite(str(link), "new")]).items[0].before
        assert (before.link_target, before.real_path) == ("a.txt", str(file.resolve()))

    def test_a_dangling_link_is_a_new_file_at_its_target(self, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to("elsewhere")
        before = take([FileWrite(str(link), "new")]).items[0].before
        assert (before.exists, before.real_path) == (False, str((tmp_path / "elsewhere").resolve()))

    def test_a_path_through_a_linked_directory_is_resolved(self, file: Path) -> None:
        linked = file.parent.parent / f"{file.parent.name}-linked"
        linked.symlink_to(file.parent)
        before = take([FileWrite(str(linked / "a.txt"), "new")]).items[0].before
        assert (before.link_target, before.real_path) == (None, str(file.resolve()))

    def test_permissions_that_it_gets_are_part_of_the_change(self, file: Path) -> None:
        (item,) = take([FileWrite(str(file), "new", mode=0o755), FileWrite(str(file), "newer")]).items
        assert (item.before.mode, item.after_mode) == (0o640, 0o755)

    @pytest.mark.parametrize(("replaces", "found"), [("", None), (sha(b"one\ntwo\n"), b"one\ntwo\n")])
    def test_the_content_that_it_replaces_must_be_there(
        self, tmp_path: Path, replaces: str, found: bytes | None
    ) -> None:
        path = tmp_path / "b.txt"
        write = FileWrite(str(path), "new", replaces)
        if found is not None:
            path.write_bytes(found)
        assert after(take([write])) == b"new"
        path.write_bytes(b"another")
        with pytest.raises(SnapshotError, match="was changed meanwhile"):
            take([write])


class TestFileEdits:
    def test_the_only_occurrence_is_replaced(self, file: Path) -> None:
        assert after(take([FileEdit(str(file), "two", "2")])) == b"one\n2\n"

    def test_edits_of_one_file_apply_in_order_and_are_one_change(self, file: Path) -> None:
        path = str(file)
        snapshot = take([FileEdit(path, "one", "1"), FileEdit(path, "1\ntwo", "3")])
        assert after(snapshot) == b"3\n"
        assert snapshot.items[0].before.sha256 == sha(b"one\ntwo\n")

    def test_contents_between_two_edits_are_not_kept(self, file: Path) -> None:
        path = str(file)
        snapshot = take([FileEdit(path, "one", "1"), FileEdit(path, "1", "3")])
        assert set(snapshot.blobs.values()) == {b"one\ntwo\n", b"3\ntwo\n"}

    def test_an_edit_may_follow_the_write_of_a_new_file(self, tmp_path: Path) -> None:
        path = str(tmp_path / "new")
        snapshot = take([FileWrite(path, "a b"), FileEdit(path, "b", "c")])
        assert after(snapshot) == b"a c"
        assert not snapshot.items[0].before.exists

    def test_edits_with_a_command_between_them_are_two_changes(self, file: Path) -> None:
        path = str(file)
        run = Command("make", str(file.parent))
        snapshot = take([FileEdit(path, "one", "1"), run, FileEdit(path, "two", "2")])
        first, second = snapshot.items
        assert (first.follows, second.follows) == (False, True)
        assert second.before.sha256 == first.after_sha256

    def test_two_paths_of_one_file_are_two_changes_in_order(self, file: Path) -> None:
        link = file.parent / "link"
        link.symlink_to(file)
        snapshot = take([FileEdit(str(file), "one", "1"), FileEdit(str(link), "two", "2")])
        assert [snapshot.blobs[item.after_sha256] for item in snapshot.items] == [
            b"1\ntwo\n",
            b"1\n2\n",
        ]

    @pytest.mark.parametrize(
        ("content", "old", "advice"),
        [
            (b"one\n", "two", "read the file again"),
            (b"a\r\nb\r\n", "a\nb", "CRLF"),
            (b"a\nb\n", "a\r\nb", "LF line ends"),
            (b"x\nx\n", "x", "lines 1 and 2"),
            (b"aaa", "aa", "more than once"),
            (b"one\n", "", "is empty"),
            (b"\xff\xfe", "a", "not UTF-8"),
            (b"one\n", "\ud800", "surrogate"),
        ],
    )
    def test_an_edit_that_cannot_be_done_says_why(
        self, tmp_path: Path, content: bytes, old: str, advice: str
    ) -> None:
        path = tmp_path / "f"
        path.write_bytes(content)
        with pytest.raises(SnapshotError, match=advice):
            take([FileEdit(str(path), old, "new")])

    def test_an_edit_of_a_missing_file_says_to_write_it(self, tmp_path: Path) -> None:
        with pytest.raises(SnapshotError, match="write it instead"):
            take([FileEdit(str(tmp_path / "none"), "a", "b")])

    @given(
        head=st.text(alphabet="ab\n", max_size=8),
        tail=st.text(alphabet="ab\n", max_size=8),
        new=st.text(alphabet="abX\n\u00e9", max_size=8),
    )
    def test_an_edit_changes_nothing_around_it(
        self, tmp_path_factory: pytest.TempPathFactory, head: str, tail: str, new: str
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "edited"
        path.write_text(f"{head}<old>{tail}", encoding="utf-8", newline="")
        assert after(take([FileEdit(str(path), "<old>", new)])).decode() == head + new + tail


class TestWhatCannotBeShown:
    def test_a_fifo_is_refused_without_blocking(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(SnapshotError, match="is a FIFO"):
            take([FileWrite(str(tmp_path / "fifo"), "x")])

    def test_a_directory_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SnapshotError, match="is a directory"):
            take([FileWrite(str(tmp_path), "x")])

    def test_a_socket_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s")
            with pytest.raises(SnapshotError, match="is a socket"):
                take([FileWrite(str(tmp_path / "s"), "x")])

    def test_a_device_is_refused(self) -> None:
        with pytest.raises(SnapshotError, match="is a device"):
            take([FileWrite("/dev/null", "x")])

    def test_a_loop_of_links_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a").symlink_to("b")
        (tmp_path / "b").symlink_to("a")
        with pytest.raises(SnapshotError, match="leads back to itself"):
            take([FileWrite(str(tmp_path / "a"), "x")])

    def test_a_path_below_a_file_is_refused(self, file: Path) -> None:
        with pytest.raises(SnapshotError, match="cannot be read"):
            take([FileWrite(str(file / "below"), "x")])

    def test_a_relative_path_is_refused(self) -> None:
        with pytest.raises(SnapshotError, match="absolute"):
            take([FileWrite("a.txt", "x")])

    def test_a_path_with_a_nul_is_refused(self) -> None:
        with pytest.raises(SnapshotError, match="cannot be the path"):
            take([FileWrite("/tmp/a\0b", "x")])

    def test_a_file_above_the_limit_is_refused_by_its_size_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "huge"
        with path.open("wb") as sparse:
            sparse.truncate(files.MAX_FILE_SIZE + 1)
        with pytest.raises(SnapshotError, match="larger than 64 MB"):
            take([FileWrite(str(path), "x")])

    def test_content_above_the_limit_is_refused(self, tmp_path: Path) -> None:
        content = bytes(files.MAX_FILE_SIZE + 1)
        with pytest.raises(SnapshotError, match="would be larger than 64 MB"):
            take([FileWrite(str(tmp_path / "new"), content)])

    def test_a_hostile_path_is_quoted_visibly(self) -> None:
        with pytest.raises(SnapshotError) as caught:
            take([FileWrite("/dev/../\x1b[2Jnone/\u202e", "x"), FileWrite("rel\x1b[2J", "x")])
        assert "\x1b" not in str(caught.value)

    def test_a_working_directory_must_exist(self, tmp_path: Path) -> None:
        with pytest.raises(SnapshotError, match="not a directory"):
            take([Command("ls", str(tmp_path / "none"))])

    @pytest.mark.parametrize(
        "command",
        [Command("a\0b", "/"), Command("a", "/", {"A": "\0"}), Command("a", "/", {"A=B": "c"})],
    )
    def test_a_command_no_shell_can_be_given_is_refused(self, command: Command) -> None:
        with pytest.raises(SnapshotError):
            take([command])


class TestDrift:
    def test_there_is_none_while_nothing_changed(self, file: Path) -> None:
        snapshot = take([FileEdit(str(file), "one", "1"), Command("ls", str(file.parent))])
        assert snapshot.drift() == ()

    def test_a_changed_file_is_noticed(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        file.write_bytes(b"ONE\ntwo\n")
        assert snapshot.drift() == (f'"{file}" was changed',)

    def test_a_rewrite_with_the_same_content_is_no_drift(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        file.write_bytes(b"one\ntwo\n")
        assert snapshot.drift() == ()

    def test_a_file_that_appeared_is_noticed(self, tmp_path: Path) -> None:
        snapshot = take([FileWrite(str(tmp_path / "new"), "new")])
        (tmp_path / "new").write_text("other")
        assert snapshot.drift() == (f'"{tmp_path / "new"}" appeared',)

    def test_a_file_that_is_gone_is_noticed(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        file.unlink()
        assert snapshot.drift() == (f'"{file}" is gone',)

    def test_changed_permissions_are_noticed(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        file.chmod(0o755)
        assert snapshot.drift() == (f'"{file}" has other permissions',)

    def test_a_file_that_became_a_link_to_the_same_content_is_noticed(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        other = file.rename(file.with_name("other"))
        file.symlink_to(other)
        assert snapshot.drift()

    def test_a_directory_swapped_for_a_link_is_noticed(self, file: Path) -> None:
        folder = file.parent / "folder"
        folder.mkdir()
        snapshot = take([FileWrite(str(folder / "new"), "new")])
        folder.rmdir()
        folder.symlink_to("/")
        assert snapshot.drift() == (f'"{folder / "new"}" now leads to "/new"',)

    def test_a_file_that_became_a_fifo_is_noticed_without_blocking(self, file: Path) -> None:
        snapshot = take([FileWrite(str(file), "new")])
        file.unlink()
        os.mkfifo(file)
        assert "is a FIFO" in snapshot.drift()[0]

    def test_a_working_directory_that_is_gone_is_noticed(self, tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        snapshot = take([Command("ls", str(folder))])
        folder.rmdir()
        assert snapshot.drift() == (f'the working directory "{folder}" is gone',)

    def test_a_working_directory_that_leads_elsewhere_is_noticed(self, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(tmp_path)
        snapshot = take([Command("ls", str(link))])
        link.unlink()
        link.symlink_to("/")
        assert "leads to another place" in snapshot.drift()[0]

    def test_what_an_earlier_step_leaves_is_not_looked_for_on_the_disk(self, file: Path) -> None:
        path = str(file)
        run = Command("make", str(file.parent))
        snapshot = take([FileEdit(path, "one", "1"), run, FileEdit(path, "two", "2")])
        assert snapshot.drift() == ()


class TestStoring:
    @pytest.fixture
    def snapshot(self, file: Path) -> Snapshot:
        run = Command("ls | wc", str(file.parent), {"B": "2", "A": "1"})
        return take([FileEdit(str(file), "one", "1"), run, FileWrite(f"{file}.png", PNG, mode=0o600)])

    def test_a_snapshot_survives_json(self, snapshot: Snapshot) -> None:
        data = json.loads(json.dumps(snapshot.to_json()))
        assert Snapshot.from_json(data, snapshot.blobs.__getitem__) == snapshot

    def test_blobs_are_loaded_by_hash(self, snapshot: Snapshot) -> None:
        stored = Snapshot.from_json(snapshot.to_json(), snapshot.blobs.__getitem__)
        assert dict(stored.blobs) == dict(snapshot.blobs)

    def test_a_blob_with_another_content_is_refused(self, snapshot: Snapshot) -> None:
        stored = Snapshot.from_json(snapshot.to_json(), lambda _: b"forged")
        with pytest.raises(SnapshotError, match="damaged"):
            stored.blobs[snapshot.items[0].after_sha256]

    def test_json_does_not_hold_contents(self, snapshot: Snapshot) -> None:
        assert "one" not in json.dumps(snapshot.to_json())

    @pytest.mark.parametrize(
        "data",
        [
            None,
            [],
            {},
            {"version": 2, "steps": []},
            {"version": True, "steps": []},
            {"version": 1, "steps": [{"kind": "file"}]},
            {"version": 1, "steps": [{"kind": "other"}]},
            {"version": 1, "steps": ["file"]},
        ],
    )
    def test_damaged_json_is_refused(self, data: object) -> None:
        with pytest.raises(SnapshotError, match="ask again"):
            Snapshot.from_json(data, lambda _: b"")

    def test_digest_material_is_the_same_for_the_same_call(self, file: Path) -> None:
        def material(env: dict[str, str]) -> str:
            run = Command("ls", str(file.parent), env)
            return json.dumps(take([FileWrite(str(file), "new"), run]).digest_material())

        assert material({"A": "1", "B": "2"}) == material({"B": "2", "A": "1"})

    @pytest.mark.parametrize("change", ["content", "mode", "link"])
    def test_digest_material_differs_when_the_world_does(self, file: Path, change: str) -> None:
        effects = [FileWrite(str(file), "new")]
        before = take(effects).digest_material()
        if change == "content":
            file.write_text("other")
        elif change == "mode":
            file.chmod(0o600)
        else:
            file.symlink_to(file.rename(file.with_name("other")))
        assert take(effects).digest_material() != before

    def test_digest_material_differs_with_the_permissions_that_a_file_gets(self, file: Path) -> None:
        materials = [
            take([FileWrite(str(file), "new", mode=mode)]).digest_material() for mode in (None, 0o755, 0o700)
        ]
        assert len({json.dumps(each) for each in materials}) == 3

    def test_digest_material_differs_with_the_order_of_steps(self, file: Path) -> None:
        write, run = FileWrite(str(file), "new"), Command("ls", str(file.parent))
        assert take([write, run]).digest_material() != take([run, write]).digest_material()


class TestBinary:
    @pytest.mark.parametrize("data", [b"a\0b", b"\xff", "\u00e9".encode("latin-1")])
    def test_nul_and_what_is_not_utf8_are_binary(self, data: bytes) -> None:
        assert is_binary(data)

    @pytest.mark.parametrize("data", [b"", b"text\n", "\u00e9\u202e".encode(), b"\x1b[2J"])
    def test_any_utf8_without_nul_is_text(self, data: bytes) -> None:
        assert not is_binary(data)

    @pytest.mark.parametrize(
        ("data", "path", "expected"),
        [
            (PNG, "a.txt", "image/png"),
            (b"\x7fELF\x02", "a", "application/x-elf"),
            (b"\x00asm\x01", "a", "application/wasm"),
            (b"\x00\x01", "a.mp3", "audio/mpeg"),
            (b"\x00\x01", "a.tar.gz", "application/octet-stream"),
            (b"\x00\x01", "a", "application/octet-stream"),
        ],
    )
    def test_the_media_type_is_told_by_content_then_name(self, data: bytes, path: str, expected: str) -> None:
        assert media_type(data, path) == expected

    def test_a_text_that_becomes_binary_is_a_binary_change(self, file: Path) -> None:
        (item,) = take([FileWrite(str(file), PNG)]).items
        assert (item.binary, item.media_type) == (True, "image/png")

    def test_a_binary_file_that_becomes_text_is_a_binary_change(self, file: Path) -> None:
        file.write_bytes(PNG)
        (item,) = take([FileWrite(str(file), "text")]).items
        assert (item.binary, item.media_type) == (True, "image/png")

    def test_a_text_change_has_no_media_type(self, file: Path) -> None:
        (item,) = take([FileWrite(str(file), "text")]).items
        assert (item.binary, item.media_type) == (False, None)
