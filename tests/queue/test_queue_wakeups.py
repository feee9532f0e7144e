"""Bells, leases and the write lock: what processes use to find each other."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading

import pytest
from queue_samples import PATIENCE, eventually

from signoff.queue.records import ID_LETTERS, new_id
from signoff.queue.sqlite.locks import FileLeases, WriteLock
from signoff.queue.sqlite.wakeups import Bells
from signoff.queue.wakeups import AsyncBell


@pytest.fixture
def bells(tmp_path):
    bells = Bells(tmp_path)
    yield bells
    bells.close()


def test_a_ring_before_the_sleep_is_heard(bells):
    with bells.hang("key") as bell:
        bells.ring("key")
        bell.sleep(PATIENCE)  # would be over the test's patience otherwise


def test_a_ring_wakes_a_sleeper_once(bells):
    with bells.hang("key") as bell:
        for _ in range(10_000):  # far more than fit into the pipe's first page
            bells.ring("key")
        bell.sleep(PATIENCE)
        with pytest.raises(BlockingIOError):
            os.read(bell.descriptor, 1)


def test_a_ring_wakes_those_under_the_same_key_only(bells):
    with bells.hang("key") as one, bells.hang("key") as two, bells.hang("other") as other:
        bells.ring("key")
        one.sleep(PATIENCE)
        two.sleep(PATIENCE)
        with pytest.raises(BlockingIOError):
            os.read(other.descriptor, 1)


def test_ringing_where_nobody_sleeps_is_harmless(bells):
    bells.ring("nobody")


def test_an_abandoned_bell_is_taken_down_by_the_ringer(bells, tmp_path):
    (tmp_path / "key").mkdir()
    os.mkfifo(tmp_path / "key" / "abandoned")
    bells.ring("key")
    assert not (tmp_path / "key").exists()


def test_tidying_takes_down_what_the_dead_left_and_disturbs_no_sleeper(bells, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "dead").mkdir()
    os.mkfifo(tmp_path / "dead" / "abandoned")
    os.mkfifo(tmp_path / ".unfinished")
    os.utime(tmp_path / ".unfinished", (0, 0))
    os.mkfifo(tmp_path / ".just-made")
    with bells.hang("key") as bell:
        bells.tidy()
        assert {each.name for each in tmp_path.iterdir()} == {"key", ".just-made"}
        with pytest.raises(BlockingIOError):
            os.read(bell.descriptor, 1)
        bells.ring("key")
        bell.sleep(PATIENCE)


def test_hanging_and_leaving_at_the_same_time_never_fails(bells, tmp_path):
    def hang_and_leave():
        for _ in range(300):
            bells.hang("key").close()
            bells.ring("key")

    threads = [threading.Thread(target=hang_and_leave) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bells.close()
    assert list(tmp_path.iterdir()) == []


def test_a_bell_that_was_used_before_hears_its_new_key_only(bells):
    bells.hang("old").close()
    with bells.hang("new") as bell:
        bells.ring("old")
        with pytest.raises(BlockingIOError):
            os.read(bell.descriptor, 1)
        bells.ring("new")
        bell.sleep(PATIENCE)


def test_a_ring_for_the_sleeper_before_is_not_heard(bells):
    bells.hang("key").close()
    bells.ring("key")
    with bells.hang("key") as bell, pytest.raises(BlockingIOError):
        os.read(bell.descriptor, 1)


def test_a_bell_that_somebody_removed_is_made_again(bells, tmp_path):
    bells.hang("old").close()
    shutil.rmtree(tmp_path / "old")
    with bells.hang("new") as bell:
        bells.ring("new")
        bell.sleep(PATIENCE)


def test_a_bell_that_outlives_the_others_leaves_nothing_behind(bells, tmp_path):
    with bells.hang("key"):
        bells.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_ring_wakes_a_coroutine(bells):
    with AsyncBell(bells.hang("key")) as bell:
        sleeping = asyncio.create_task(bell.sleep(3600))
        await asyncio.sleep(0)
        bells.ring("key")
        async with asyncio.timeout(PATIENCE):
            await sleeping


def test_an_own_lease_is_alive_until_it_is_released(tmp_path):
    leases = FileLeases(tmp_path)
    lease = leases.take("agent")
    assert leases.alive("agent")
    assert leases.alive("agent")  # looking must not have dropped the lock
    lease.release()
    lease.release()
    assert leases.alive("agent") is None


def test_a_lease_file_that_nobody_locks_is_dead(tmp_path):
    (tmp_path / "agent").touch()
    assert FileLeases(tmp_path).alive("agent") is False


def test_an_own_lease_is_recognized_by_another_path(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    lease = FileLeases(tmp_path / "real").take("agent")
    assert FileLeases(tmp_path / "link").alive("agent")
    lease.release()


def test_only_one_thread_holds_the_write_lock(tmp_path):
    lock = WriteLock(tmp_path)
    holders, most = [], []

    def work():
        for _ in range(25):
            with lock.held(PATIENCE):
                holders.append(None)
                most.append(len(holders))
                os.sched_yield()
                holders.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (150, 1)


def test_giving_up_on_the_write_lock_leaves_it_usable(tmp_path):
    lock = WriteLock(tmp_path)
    with lock.held(PATIENCE), pytest.raises(TimeoutError), lock.held(0.01):
        pass
    eventually(lambda: not [t for t in threading.enumerate() if t.name == "signoff-write-lock"])
    with lock.held(PATIENCE):
        pass


def test_waiting_writers_are_let_through_in_turn(tmp_path):
    lock = WriteLock(tmp_path)
    order = []

    def work(name):
        with lock.held(PATIENCE):
            order.append(name)

    def waiting():
        return sum(thread.name == "signoff-write-lock" for thread in threading.enumerate())

    with lock.held(PATIENCE):
        threads = []
        for name in range(2):
            threads.append(threading.Thread(target=work, args=(name,)))
            threads[-1].start()
            eventually(lambda: waiting() == len(threads))
    # The first to come in may not overtake: the turnstile is taken.
    for thread in threads:
        thread.join()
    assert order == [0, 1]


FORKING = """
import os, pathlib, sys
from signoff.queue.sqlite.locks import WriteLock

lock = WriteLock(pathlib.Path(sys.argv[1]))
with lock.held(1.0):
    pass
reading, writing = os.pipe()
if os.fork() == 0:
    os.read(reading, 1)
    try:
        with lock.held(0.01):
            os._exit(1)
    except TimeoutError:
        os._exit(0)
with lock.held(1.0):
    os.write(writing, b"!")
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_forked_child_does_not_share_the_write_lock_of_its_parent(tmp_path):
    subprocess.run([sys.executable, "-c", FORKING, tmp_path], check=True)


def test_a_closed_write_lock_opens_its_files_again(tmp_path):
    lock = WriteLock(tmp_path)
    for _ in range(2):
        with lock.held(PATIENCE):
            lock.close()
        lock.close()


def test_ids_are_readable_and_begin_differently():
    ids = [new_id() for _ in range(1000)]
    assert len({each[:8] for each in ids}) == 1000
    assert all(len(each) == 20 and set(each) <= set(ID_LETTERS) for each in ids)
