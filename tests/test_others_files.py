"""What is not the store's stays as it is, and what stands in the store's way is named or put aside."""

import contextlib
import os
import shutil
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.errors import StoreError
from assistant.settings import Settings
from assistant.store.schema import NAME
from tests.fakes import FakeEmbedder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that is well; copy it, do not write."""
    folder = tmp_path_factory.mktemp("whole")
    texts = "\n\n".join(f"Method m{n}x learns from corpus c{n}y. It beats rival r{n}z." for n in range(12))
    (folder / "birds.txt").write_text(f"Birds\n\n{texts}")
    with contextlib.closing(open_assistant(folder / "store")) as assistant:
        assistant.index([folder / "birds.txt"])
    return folder / "store"


@pytest.fixture
def store(place: Path, whole: Path) -> Path:
    (place / "more.txt").write_text("More\n\nMethod n1x learns from corpus d1y. It beats rival s1z.")
    return shutil.copytree(whole, place / "store")


def open_assistant(store: Path) -> Assistant:
    return Assistant(store, settings=Settings(languages="off"), embedder=FakeEmbedder())


def test_a_backup_touches_no_other_file(store: Path, place: Path) -> None:
    for name in ("y.backup.new", "y.backup.new.new", ".y.backup.unfinished"):
        (place / name).write_text("mine")
    before = sorted(path.name for path in place.iterdir())
    with open_assistant(store) as assistant:
        assistant.backup(place / "y.backup")
    assert sorted(path.name for path in place.iterdir()) == sorted([*before, "y.backup"])
    assert {(place / name).read_text() for name in before if "y.backup" in name} == {"mine"}


@pytest.mark.parametrize(
    "name", ["library.sqlite3.new", "current", "new.backup", "index-1/b", "../store/b", "../link/b"]
)
def test_a_backup_into_the_stores_own_folder_is_refused(store: Path, place: Path, name: str) -> None:
    (place / "link").symlink_to(store)
    before = sorted(store.rglob("*"))
    with open_assistant(store) as assistant, pytest.raises(StoreError, match="the store's own folder") as raised:
        assistant.backup(store / name)
    assert str(store / name) in str(raised.value)
    assert sorted(store.rglob("*")) == before


def test_a_backup_that_cannot_be_written_is_named(store: Path, place: Path) -> None:
    with (
        open_assistant(store) as assistant,
        pytest.raises(StoreError, match=f"{place}/x+ cannot be written: File name"),
    ):
        assistant.backup(place / ("x" * 300))
    (place / "loose").symlink_to(place / "nowhere")
    with open_assistant(store) as assistant, pytest.raises(StoreError, match="exists"):
        assistant.backup(place / "loose")


def test_folders_that_only_look_like_an_index_are_left_alone(store: Path, place: Path) -> None:
    (store / "index-7").mkdir()
    (store / "index-7" / "chroma.sqlite3").write_text("mine")
    (store / "index-8").write_text("mine")
    (place / "theirs").mkdir()
    (place / "theirs" / "paper").write_text("mine")
    (store / "index-9").symlink_to(place / "theirs")
    with open_assistant(store) as assistant:
        assistant.rebuild()
        assistant.index([place / "more.txt"])
        assistant.rebuild()
    assert (store / "index-7" / "chroma.sqlite3").read_text() == "mine"
    assert (store / "index-8").read_text() == "mine"
    assert (place / "theirs" / "paper").read_text() == "mine"
    assert sorted(path.name for path in store.glob("index-*")) == ["index-11", "index-7", "index-8", "index-9"]


def put_folder(path: Path) -> None:
    path.mkdir()
    (path / "note").write_text("mine")


def put_pipe(path: Path) -> None:
    os.mkfifo(path)


def put_link(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


@pytest.mark.parametrize("put", [put_folder, put_pipe, put_link])
@pytest.mark.parametrize("way_out", ["index", "repair", "rebuild"])
def test_what_stands_in_the_place_of_the_pointer_is_put_aside_and_the_index_built(
    store: Path, place: Path, put: object, way_out: str
) -> None:
    (store / "current").unlink()
    put(store / "current")  # type: ignore[operator]
    with open_assistant(store) as assistant:
        assert "m7x" in assistant.ask("What does method m7x beat?").text
        assert "no index" in assistant.status().fault
        ways = {"index": lambda: assistant.index([place / "more.txt"]), "repair": assistant.repair}
        report = ways.get(way_out, assistant.rebuild)()
        told = " ".join((*assistant.take_notices(), *getattr(report, "notices", ())))
        assert assistant.status().fault == ""
        assert assistant.check().sound
    assert (store / "current").is_file()
    assert not (store / "current.new").exists()
    if put is put_folder:
        assert (store / "current-aside" / "note").read_text() == "mine"
        assert f"kept as {store / 'current-aside'}" in told


@pytest.mark.parametrize("name", ["current.new", f"{NAME}-wal", "rebuild.sqlite3", "building", "writer.lock"])
def test_a_folder_in_the_place_of_another_file_is_put_aside_or_named(store: Path, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        (store / name).unlink()
    put_folder(store / name)
    with open_assistant(store) as assistant:
        try:
            assistant.rebuild()
        except StoreError as error:
            assert name in str(error) or str(store / NAME) in str(error)
            assert "\n" not in str(error)
    kept = store / f"{name}-aside" if (store / f"{name}-aside").exists() else store / name
    assert (kept / "note").read_text() == "mine"
