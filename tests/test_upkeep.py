"""Status, check, repair, rebuild, backup and restore of a store, as Python callers and the commands have them."""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.domain import Progress
from assistant.errors import StoreError, StoreMismatch, StoreMissing
from assistant.health import Checkup
from assistant.indexing import AT_ONCE
from assistant.ports import Vectors
from assistant.settings import Settings
from assistant.store import open_store
from assistant.store.replacing import NAME as STAGING
from assistant.store.schema import NAME
from assistant.store.trial import find_fault
from tests.fakes import FakeEmbedder

TEXT = "Birds 2031\n\n" + "\n\n".join(
    f"Method m{n}x learns from corpus c{n}y. It beats rival r{n}z by {n} points." for n in range(70)
)


@pytest.fixture(autouse=True)
def try_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try an index in this process: test_damage.py has it tried in another one."""
    monkeypatch.setattr("assistant.store.audit.try_opening", find_fault)


@pytest.fixture
def birds(place: Path) -> Path:
    path = place / "birds.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def make(place: Path, embedder: FakeEmbedder | None = None, name: str = "store") -> Assistant:
    settings = Settings(languages="off")
    return Assistant(place / name, settings=settings, embedder=embedder or FakeEmbedder())


@pytest.fixture
def built(place: Path, birds: Path) -> Path:
    with make(place) as assistant:
        assistant.index([birds])
    return place / "store"


def ask(assistant: Assistant, number: int = 41) -> str:
    return assistant.ask(f"What does method m{number}x beat?").text


def faults(checkup: Checkup) -> dict[str, str]:
    return {finding.what: finding.fault for finding in checkup.findings if finding.fault}


def change(store: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(store / NAME)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_the_status_says_what_is_there(place: Path, built: Path) -> None:
    with make(place) as assistant:
        status = assistant.status()
    assert (status.store, status.papers, status.passages, status.generation) == (built, 70, 70, 1)
    assert (status.embedder, status.passage_size, status.outside, status.fault) == ("fake/bag-of-terms", 256, 0, "")
    assert status.size == sum(path.stat().st_size for path in built.rglob("*") if path.is_file())


def test_the_status_of_nothing_and_of_what_cannot_be_read_is_a_status_too(place: Path, built: Path) -> None:
    with make(place, name="nowhere") as assistant:
        assert "nothing is built" in assistant.status().fault
    assert not (place / "nowhere").exists()
    os.truncate(built / NAME, 0)
    with make(place) as assistant:
        assert "damaged" in assistant.status().fault


def test_a_sound_store_has_no_faults(place: Path, built: Path) -> None:
    with make(place) as assistant:
        checkup = assistant.check()
    assert checkup.sound
    assert [finding.what for finding in checkup.findings] == [
        "library file",
        "manifest",
        "papers",
        "passages",
        "words",
        "vectors",
        "index",
        "languages",
    ]


def test_a_store_that_is_not_there_cannot_be_checked_rebuilt_or_backed_up(place: Path) -> None:
    with make(place) as assistant:
        for use in (assistant.check, assistant.repair, assistant.rebuild, lambda: assistant.backup(place / "b")):
            with pytest.raises(StoreMissing, match="assistant index"):
                use()


FAULTS = {
    "words": ("DELETE FROM words WHERE rowid = 7",),
    "passages": ("DELETE FROM sentences WHERE paper = 7",),
    "vectors": ("UPDATE passages SET vector = x'00' WHERE paper = 7",),
}


@pytest.mark.parametrize(("what", "statements"), FAULTS.items(), ids=FAULTS)
def test_what_is_wrong_is_found_and_made_anew_from_the_papers(
    place: Path, built: Path, what: str, statements: Sequence[str]
) -> None:
    change(built, *statements)
    with make(place) as assistant:
        assert what in faults(assistant.check())
        repaired = assistant.repair()
        assert repaired.sound, faults(repaired)
        assert what in repaired.repaired
        assert assistant.check().sound
        assert "r6z" in ask(assistant, 6)


def test_vectors_that_are_no_numbers_are_found(place: Path, built: Path) -> None:
    with contextlib.closing(sqlite3.connect(built / NAME)) as connection, connection:
        size = len(connection.execute("SELECT vector FROM passages").fetchone()[0])
        connection.execute("UPDATE passages SET vector = ? WHERE paper = 3", (b"\x00\x7e" * (size // 2),))
    with make(place) as assistant:
        assert faults(assistant.check())["vectors"] == "1 papers have vectors that are none: birds#3"


def test_a_paper_that_was_changed_behind_our_back_is_found_and_not_made_good(place: Path, built: Path) -> None:
    change(built, "UPDATE papers SET abstract = replace(abstract, 'beats', 'loses to') WHERE key = 7")
    with make(place) as assistant:
        assert "birds#7" in faults(assistant.check())["papers"]
        repaired = assistant.repair()
    assert not repaired.sound
    assert "papers" not in repaired.repaired


def test_a_damaged_library_file_is_found_and_not_repaired(place: Path, built: Path) -> None:
    with (built / NAME).open("r+b") as file:
        file.seek(-8192, 2)
        file.write(os.urandom(8192))
    with make(place) as assistant, contextlib.suppress(StoreError):
        assert not assistant.check().sound


def test_an_index_that_does_not_find_its_passages_is_found_and_built_again(place: Path, built: Path) -> None:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    client = chromadb.PersistentClient(built / "index-1", settings=ChromaSettings(anonymized_telemetry=False))
    client.get_collection("passages", embedding_function=None).delete(ids=["7"])
    client.close()  # type: ignore[attr-defined]
    with make(place) as assistant:
        assert "index" in faults(assistant.check())
        assert assistant.repair().sound


def test_a_rebuild_embeds_nothing_and_leaves_one_index(place: Path, built: Path) -> None:
    embedder = FakeEmbedder()
    with make(place, embedder) as assistant:
        before = ask(assistant)
        embedder.embedded = 0
        rebuilt = assistant.rebuild()
        assert (rebuilt.papers, rebuilt.passages, rebuilt.embedded) == (70, 70, 0)
        assert embedder.embedded == 3, "the probes"
        assert ask(assistant) == before
        assert assistant.status().generation == 2


class Reversed(FakeEmbedder):
    """Another embedder: its vectors are those of the first, backwards. Stops when it is told to."""

    def __init__(self, stop_after: int = 10**9) -> None:
        super().__init__("fake/reversed", "fake-r")
        self._left = stop_after

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().embed(texts)[:, ::-1]


def test_a_rebuild_with_another_embedder_embeds_all_and_equals_a_fresh_store(
    place: Path, built: Path, birds: Path
) -> None:
    with make(place, Reversed()) as assistant:
        with pytest.raises(StoreMismatch, match="assistant rebuild"):
            ask(assistant)
        rebuilt = assistant.rebuild()
        assert rebuilt.embedded == 70 * 3
        assert assistant.check().sound
        assert assistant.status().embedder == "fake/reversed"
        answer = ask(assistant)
        papers = assistant.papers()
        assert assistant.index([birds]).embedded == 0
    with make(place, Reversed(), "fresh") as fresh:
        fresh.index([birds])
        assert ask(fresh) == answer
        assert fresh.papers() == papers
    with make(place) as old, pytest.raises(StoreMismatch):
        ask(old)
    assert not (built / STAGING).exists()


def test_a_rebuild_that_is_stopped_leaves_the_old_store_answering_and_goes_on_later(place: Path, built: Path) -> None:
    seen: list[Progress] = []
    # The probes, and one batch.
    with make(place, Reversed(stop_after=2)) as assistant, pytest.raises(KeyboardInterrupt):
        assistant.rebuild(seen.append)
    with make(place) as old:
        assert "r41z" in ask(old)
    with make(place, Reversed()) as assistant:
        rebuilt = assistant.rebuild()
        assert rebuilt.embedded == (70 - AT_ONCE) * 3
        assert "r41z" in ask(assistant)
        assert assistant.check().sound


def test_a_backup_comes_back_as_it_was_made(place: Path, built: Path, birds: Path) -> None:
    with make(place) as assistant:
        made = assistant.backup(place / "birds.backup")
        papers = assistant.papers()
    assert (made.path, made.papers, made.size) == (place / "birds.backup", 70, (place / "birds.backup").stat().st_size)
    with make(place, name="other") as other:
        restored = other.restore(place / "birds.backup")
        assert (restored.papers, restored.kept) == (70, None)
        assert other.papers() == papers
        assert other.check().sound
        assert "r41z" in ask(other)
        assert other.index([birds]).embedded == 0


def test_a_backup_is_whole_while_papers_are_added(place: Path, built: Path) -> None:
    more = place / "more.txt"
    more.write_text(TEXT.replace("m", "q"), encoding="utf-8")
    with make(place) as assistant:
        writer = threading.Thread(target=lambda: make(place).index([more]))
        writer.start()
        made = [assistant.backup(place / f"{number}.backup") for number in range(2)]
        writer.join()
    for number, backup in enumerate(made):
        with make(place, name=f"restored-{number}") as restored:
            assert restored.restore(backup.path).papers == backup.papers >= 70
            assert restored.check().sound


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    half = len(content) // 2
    changed = {"half": content[:half], "empty": b"", "flipped": content[:half] + b"\xff\x00" + content[half + 2 :]}
    path.write_bytes(changed[how])


@pytest.mark.parametrize("how", ["half", "empty", "flipped"])
def test_half_a_backup_is_refused_and_the_store_stays(place: Path, built: Path, how: str) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
        damage(place / "birds.backup", how)
        for use in (assistant.restore, assistant.replace):
            with pytest.raises(StoreError):
                use(place / "birds.backup")
        assert "r41z" in ask(assistant)
        assert assistant.check().sound
    assert not list(built.glob("restore*"))


def test_a_backup_that_is_not_there_or_would_overwrite_a_file_is_refused(place: Path, built: Path, birds: Path) -> None:
    with make(place) as assistant:
        with pytest.raises(StoreError, match="No such file"):
            assistant.replace(place / "nowhere")
        with pytest.raises(StoreError, match="exists"):
            assistant.backup(birds)
        with pytest.raises(StoreError, match="does not exist"):
            assistant.backup(place / "nowhere" / "b")
    assert birds.read_text() == TEXT


def test_papers_are_replaced_by_a_backup_only_on_demand_and_are_kept(place: Path, built: Path) -> None:
    few = place / "few.txt"
    few.write_text("Few\n\nOnly one finch sings.", encoding="utf-8")
    with make(place, name="other") as other:
        other.index([few])
        other.backup(place / "few.backup")
    with make(place) as assistant:
        ask(assistant)
        with pytest.raises(StoreError, match=r"holds 70 papers: `--replace`"):
            assistant.restore(place / "few.backup")
        restored = assistant.replace(place / "few.backup")
        assert restored.papers == 1
        assert restored.kept
        assert [paper.abstract for paper in assistant.papers()] == ["Only one finch sings."]
        assert "finch" in assistant.ask("What sings?").text
        back = assistant.replace(restored.kept)
        assert back.papers == 70
        assert "r41z" in ask(assistant)
        assert assistant.check().sound


@pytest.mark.parametrize("size", [None, 0, 40_000])
def test_a_backup_is_put_in_the_place_of_a_lost_or_damaged_library(place: Path, built: Path, size: int | None) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    if size is None:
        (built / NAME).unlink()
    else:
        os.truncate(built / NAME, size)
    with make(place) as assistant:
        restored = assistant.restore(place / "birds.backup")
        assert (restored.kept is None) == (size is None)
        assert "r41z" in ask(assistant)
        assert assistant.check().sound
    if restored.kept:
        assert restored.kept.stat().st_size == size


def test_a_library_of_a_newer_version_is_not_put_aside_unasked(place: Path, built: Path) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    with contextlib.closing(sqlite3.connect(built / "library.sqlite3")) as connection:
        connection.execute("PRAGMA user_version = 99")
    with make(place) as assistant:
        with pytest.raises(StoreError, match=r"newer.*`--replace`"):
            assistant.restore(place / "birds.backup")
        assert not list(built.glob("library-*"))


def test_a_reader_that_is_open_sees_what_was_restored(place: Path, built: Path) -> None:
    with make(place) as reader, make(place) as writer:
        assert "r41z" in ask(reader)
        few = place / "few.txt"
        few.write_text("Few\n\nOnly one finch sings.", encoding="utf-8")
        with make(place, name="other") as other:
            other.index([few])
            other.backup(place / "few.backup")
        writer.replace(place / "few.backup")
        assert len(reader.papers()) == 1
        assert "finch" in reader.ask("What sings?").text


def test_a_clean_store_is_opened_without_a_trial(place: Path, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("a trial")

    for name in ("try_opening", "find_changed"):
        monkeypatch.setattr(f"assistant.store.screening.{name}", refuse)
    monkeypatch.setattr("assistant.store.seal._hash", refuse)
    with make(place) as assistant:
        assert "r41z" in ask(assistant)
        assert assistant.take_notices() == ()
    with contextlib.closing(open_store(built)) as store:
        assert store.built


def test_a_damaged_index_is_told_with_the_answer(place: Path, built: Path) -> None:
    for path in built.glob("index-1/*/index_metadata.pickle"):
        os.truncate(path, 0)
    with make(place) as assistant:
        answer = assistant.ask("What does method m41x beat?")
    assert "r41z" in answer.text
    assert "index_metadata.pickle has 0 bytes" in answer.notice
    with make(place) as assistant:
        assert not assistant.ask("What does method m41x beat?").notice
        assert "no index" in assistant.status().fault
