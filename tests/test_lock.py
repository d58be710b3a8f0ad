import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.errors import StoreBusy, StoreError
from assistant.store.lock import NAME, read_work, write_lock

ROOT = Path(__file__).parent.parent
HOLD = (
    "import sys; from pathlib import Path; from assistant.store.lock import write_lock\n"
    "with write_lock(Path(sys.argv[1])):\n print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def holder(place: Path) -> Iterator[subprocess.Popen[str]]:
    """Start another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLD, str(place)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_writer_is_refused_at_once_with_the_first_ones_process_id(
    place: Path, holder: subprocess.Popen[str]
) -> None:
    started = time.perf_counter()
    with pytest.raises(StoreBusy, match=f"Process {holder.pid} .*{place}"), write_lock(place):
        pass
    assert time.perf_counter() - started < 1


def test_a_lock_that_was_let_go_is_free(place: Path, holder: subprocess.Popen[str]) -> None:
    assert holder.stdin
    holder.stdin.close()
    assert holder.wait(timeout=10) == 0
    with write_lock(place):
        assert (place / NAME).read_text().strip() == str(os.getpid())


def test_the_lock_of_a_killed_process_is_taken_over(place: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait(timeout=10)
    assert (place / NAME).read_text().strip() == str(holder.pid)
    assert read_work(place) == "broken off"
    with write_lock(place) as held:
        assert held.broken_off
        assert read_work(place) == "checking"
        held.settle()
        assert read_work(place) == "writing"
        assert (place / NAME).read_text().strip() == str(os.getpid())
    assert read_work(place) == "none"


def test_what_a_killed_writer_left_stays_to_be_looked_at_until_somebody_has(
    place: Path, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait(timeout=10)
    with pytest.raises(KeyboardInterrupt), write_lock(place):
        raise KeyboardInterrupt
    assert read_work(place) == "broken off"
    with write_lock(place) as held:
        assert held.broken_off


def test_a_store_that_nobody_writes_to_has_no_work_going_on(place: Path, holder: subprocess.Popen[str]) -> None:
    assert read_work(place) == "writing"
    assert read_work(place / "nowhere") == "none"


def test_two_writers_in_one_process_are_two_writers(place: Path) -> None:
    with write_lock(place):
        with pytest.raises(StoreBusy, match=str(os.getpid())), write_lock(place):
            pass
        with pytest.raises(StoreBusy), write_lock(place):
            pass
    with write_lock(place):
        pass


def test_the_lock_is_let_go_after_an_error(place: Path) -> None:
    with pytest.raises(ZeroDivisionError), write_lock(place):
        raise ZeroDivisionError
    with write_lock(place):
        pass


def test_a_shorter_process_id_leaves_nothing_of_a_longer_one(place: Path) -> None:
    (place / NAME).write_text("999999999999")
    with write_lock(place) as held:
        held.settle()
        assert (place / NAME).read_text().strip() == str(os.getpid())


def test_a_folder_that_cannot_have_a_lock_is_named(place: Path) -> None:
    with pytest.raises(StoreError, match=rf"{place}.*No such file"), write_lock(place / "nowhere"):
        pass


STOP = """
import os, sys; from pathlib import Path; from assistant.store.lock import write_lock
os.write = os.pwrite = lambda *_: os._exit(9)
with write_lock(Path(sys.argv[1])):
    pass
"""


def test_a_writer_that_is_killed_while_it_writes_its_id_is_no_clean_end(place: Path) -> None:
    (place / NAME).write_text("999999")
    assert subprocess.run([sys.executable, "-c", STOP, str(place)], cwd=ROOT, check=False).returncode == 9
    assert read_work(place) == "broken off"


def test_the_id_of_a_writer_is_there_at_every_moment(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for name in ("write", "ftruncate", "fsync"):
        call = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *given, call=call: (call(*given), seen.append((place / NAME).read_text())))
    (place / NAME).write_text("999999")
    with write_lock(place) as held:
        held.settle()
        assert len(seen) >= 2
        assert all(text.strip() for text in seen)


WINDOWS = """
import errno, fcntl, os, subprocess, sys, types
from pathlib import Path

def locking(handle, mode, count):
    fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, count, os.lseek(handle, 0, os.SEEK_CUR))

open_file, sync = os.open, os.fsync

def open_no_folder(path, flags, mode=0o777):
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return open_file(path, flags, mode)

def sync_what_may_be_written(handle):
    if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "Bad file descriptor")
    sync(handle)

sys.modules["fcntl"] = None
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
os.open, os.fsync = open_no_folder, sync_what_may_be_written
for name in ("pread", "pwrite", "getuid", "fork"):
    delattr(os, name)

from assistant.store.lock import read_work, write_lock
from assistant.store import open_store
from tests.test_store import PAPERS, find, index

folder = Path(sys.argv[1])
with open_store(folder / "store") as store:
    index(store, PAPERS[:5])
    print(find(store, PAPERS[3]), store.take_notices(), read_work(store.folder))
with write_lock(folder):
    print(input())
"""


def test_a_store_works_with_what_windows_has_and_has_one_writer_there_too(place: Path) -> None:
    command = [sys.executable, "-c", WINDOWS, str(place)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "p3 () none\n"
        second = subprocess.run(command, cwd=ROOT, input="in\n", capture_output=True, text=True, check=False)
        assert f"Process {process.pid} is writing" in second.stderr
        process.stdin.write("done\n")
        process.stdin.close()
        assert process.stdout.read() == "done\n"
