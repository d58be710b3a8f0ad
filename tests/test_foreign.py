import contextlib
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant import Assistant
from assistant.domain import Answer, Paper, Progress, Step
from assistant.models.multilingual import Multilingual
from assistant.ports import Hit, Vector, Vectors
from assistant.retrieval.choice import LanguageRetriever
from assistant.retrieval.correction import Corrector
from assistant.retrieval.foreign import ForeignRetriever
from assistant.retrieval.hybrid import HybridRetriever
from assistant.settings import Settings
from assistant.store.foreign import NAME, ForeignFile
from assistant.store.foreign_writing import refresh
from assistant.store.library import SqliteLibrary
from tests.fakes import FakeEmbedder, FakeIndex, FakeLibrary, make_holding, make_paper
from tests.records import make_record

PAPERS = (
    make_paper("reefs#1", "Corals bleach in warm water. We present ReefNet, a forecast. It is fast."),
    make_paper("reefs#2", "Sea urchins graze on algae. We count them by drone."),
)
HOLDINGS = tuple(make_holding(paper, FakeEmbedder()) for paper in PAPERS)
DICTIONARY = {"seeigel": "urchins", "korallen": "corals", "海胆": "urchins"}


class Translator(FakeEmbedder):
    """Embeds a text as the bag of its words, translated."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed([" ".join(DICTIONARY.get(word.lower(), word) for word in text.split()) for text in texts])


class FakeForeignIndex:
    def __init__(self, ready: bool = True, stale: str = "") -> None:
        self.ready = ready
        self.fresh = ready and not stale
        self._stale = stale
        self._vectors = {
            held.paper.id: Translator().embed([held.paper.title, *(sentence.text for sentence in held.sentences)])
            for held in HOLDINGS
        }

    def search(self, vector: Vector, k: int, within: frozenset[str] | None = None) -> tuple[Hit, ...]:
        hits = [
            Hit(id, float((rows @ vector).max())) for id, rows in self._vectors.items() if not within or id in within
        ]
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:k])

    def fetch(self, papers: Sequence[Paper]) -> Mapping[str, Vectors]:
        return {paper.id: self._vectors[paper.id] for paper in papers if paper.id != self._stale}


def make_retriever(foreign: bool = True, ready: bool = True) -> LanguageRetriever:
    library = FakeLibrary(HOLDINGS)
    other = ForeignRetriever(library, FakeForeignIndex(ready), Translator())
    english = HybridRetriever(library, FakeIndex(HOLDINGS), FakeEmbedder())
    return LanguageRetriever(english, other if foreign else None, Corrector(library, FakeEmbedder()))


def test_a_question_in_german_finds_the_english_paper_and_says_its_language() -> None:
    evidence = make_retriever().retrieve("Wie ernähren sich Seeigel ?", 2)
    assert evidence.papers[0].paper.id == "reefs#2"
    assert (evidence.language, evidence.notice) == ("de", "")
    nearest = max(evidence.papers[0].sentences, key=lambda scored: scored.similarity)
    assert nearest.sentence.text == "Sea urchins graze on algae."


def test_a_paper_is_not_found_by_the_vectors_of_what_it_was() -> None:
    other = ForeignRetriever(FakeLibrary(HOLDINGS), FakeForeignIndex(stale="reefs#2"), Translator())
    assert [found.paper.id for found in other.retrieve("Wie ernähren sich Seeigel ?", 2, "de").papers] == ["reefs#1"]


def test_a_name_in_the_question_finds_its_paper_whatever_the_language() -> None:
    evidence = make_retriever().retrieve("ReefNet 是什么？它有多快？", 2)
    assert evidence.papers[0].paper.id == "reefs#1"
    assert [term.stem for term in evidence.terms] == ["reefnet"]


def test_a_question_in_english_is_not_searched_for_as_another_language() -> None:
    assert make_retriever().retrieve("How do urchins graze?", 2).language == "en"


def test_a_language_that_is_not_supported_is_told_in_a_plain_sentence() -> None:
    evidence = make_retriever().retrieve("אילו מאמרים עוסקים ב ReefNet?", 2)
    assert evidence.notice.startswith("Questions in Hebrew are not supported: ask in one of Arabic, Chinese,")
    assert evidence.papers[0].paper.id == "reefs#1"


def test_a_language_that_is_switched_off_is_told() -> None:
    assert "ASSISTANT_LANGUAGES=off" in make_retriever(foreign=False).retrieve("Wie leben die Korallen?", 2).notice


def test_a_store_that_was_not_read_for_other_languages_is_told() -> None:
    assert "`assistant index`" in make_retriever(ready=False).retrieve("Wie leben die Korallen?", 2).notice


def test_the_stages_of_a_foreign_question_can_be_seen() -> None:
    ranking = make_retriever().rank("Wie ernähren sich Seeigel ?")
    assert ranking.final[0].paper_id == ranking.dense[0].paper_id == "reefs#2"


def open_file(store: Path, library: SqliteLibrary | None = None) -> ForeignFile:
    return ForeignFile(store, library or SqliteLibrary(store / "library.sqlite3"), Translator())


def read(store: Path, embedder: Translator | None = None) -> int:
    """Bring the file up to date; return how many papers were embedded for that."""
    with contextlib.closing(SqliteLibrary(store / "library.sqlite3")) as library:
        return refresh(store, library, embedder or Translator(), lambda progress: None)


def test_what_another_process_removed_is_not_found(tmp_path: Path) -> None:
    file = open_file(tmp_path)
    assert file.search(np.ones(4, dtype=np.float32), 3) == ()
    assert file.fetch(PAPERS) == {}
    assert not file.ready


def build(tmp_path: Path, lines: Sequence[str]) -> Assistant:
    (tmp_path / "list.txt").write_text("Reefs\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    assistant = Assistant(tmp_path / "store", settings=Settings(), embedder=FakeEmbedder())
    assistant.index([tmp_path / "list.txt"])
    return assistant


def test_new_papers_are_read_for_other_languages_and_old_ones_once(tmp_path: Path) -> None:
    first, second = (paper.abstract for paper in PAPERS)
    embedder, store = Translator(), tmp_path / "store"
    with build(tmp_path, [first]):
        assert read(store) == 1
    with build(tmp_path, [first, second]) as assistant:
        shown: list[Progress] = []
        assert refresh(store, assistant._store.library, embedder, shown.append) == 1
        assert refresh(store, assistant._store.library, embedder, shown.append) == 0
        file = open_file(store, assistant._store.library)
        assert (shown[-1].done, shown[-1].total) == (1, 1)
        assert [hit.paper_id for hit in file.search(embedder.embed(["urchins"])[0], 2)] == ["list#2", "list#1"]
        assert len(file.fetch(assistant.papers())["list#1"]) == 4


def test_vectors_of_another_model_are_not_used_and_made_anew(tmp_path: Path) -> None:
    with build(tmp_path, [PAPERS[0].abstract]) as assistant:
        store = tmp_path / "store"
        read(store, Translator(digest="another"))
        file = open_file(store, assistant._store.library)
        assert not file.ready
        assert file.search(Translator().embed(["urchins"])[0], 3) == ()
        assert file.fetch(assistant.papers()) == {}
        assert read(store) == 1
        assert file.ready and file.fresh


def test_vectors_of_papers_that_were_changed_meanwhile_are_not_used_and_only_those_are_made_anew(
    tmp_path: Path,
) -> None:
    first, second = (paper.abstract for paper in PAPERS)
    store = tmp_path / "store"
    with build(tmp_path, [first, second]) as assistant:
        read(store)
        file = open_file(store, assistant._store.library)
        assert file.fresh
        assistant._settings = Settings(languages="off")
        with assistant._store.writer(FakeEmbedder(), 256) as writer:
            changed = make_paper("list#2", "Sea otters crack mussels. They use stones.")
            writer.catalogue.add([make_record(changed, FakeEmbedder())])
        assert not file.fresh
        assert list(file.fetch(assistant.papers())) == ["list#1"]
        assert read(store) == 1
        assert file.fresh
        assert list(file.fetch(assistant.papers())) == ["list#1", "list#2"]


def test_vectors_of_a_library_that_was_replaced_are_not_used(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with build(tmp_path, [PAPERS[1].abstract]) as assistant:
        assistant.backup(tmp_path / "urchins.backup")
    shutil.rmtree(store)
    with build(tmp_path, [PAPERS[0].abstract]) as assistant:
        read(store)
        file = open_file(store, assistant._store.library)
        assistant.replace(tmp_path / "urchins.backup")
        assert not file.fresh
        assert file.fetch(assistant.papers()) == {}
        assert read(store) == 1
        assert file.fresh


def damage(file: Path, content: bytes) -> None:
    for part in file.parent.glob(f"{file.name}*"):
        part.write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"garbage", b"SQLite format 3\x00" + bytes(4096)])
def test_a_damaged_file_of_other_languages_is_made_again_and_stops_nothing(tmp_path: Path, content: bytes) -> None:
    store = tmp_path / "store"
    with build(tmp_path, [PAPERS[0].abstract]) as assistant:
        assert read(store) > 0
        damage(store / NAME, content)
        damaged = open_file(store, assistant._store.library)
        assert not damaged.ready
        assert damaged.search(Translator().embed(["urchins"])[0], 3) == ()
        assert read(store) > 0
        assert damaged.ready


def test_the_upkeep_knows_the_file_of_other_languages(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with build(tmp_path, [PAPERS[0].abstract]) as assistant:
        assert assistant.status().languages == 0
        read(store)
        assert assistant.status().languages == 1
        assert assistant.check().sound
        damage(store / NAME, b"garbage")
        status = assistant.status()
        assert (status.languages, str(store / NAME) in status.fault) == (None, True)
        assert "`assistant check --repair`" in status.fault
        repaired = assistant.repair()
        assert repaired.sound
        assert repaired.repaired == ("languages",)
        assert not list(store.glob("languages*"))
        read(store)
        damage(store / NAME, b"garbage")
        assistant.rebuild()
        assert assistant.check().sound


def test_a_file_of_an_older_layout_is_no_damage_and_is_made_again(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with build(tmp_path, [PAPERS[0].abstract]) as assistant:
        read(store)
        with contextlib.closing(sqlite3.connect(store / NAME)) as connection, connection:
            connection.execute("PRAGMA user_version = 0")
            connection.execute("ALTER TABLE papers DROP COLUMN sum")
        assert (assistant.status().languages, assistant.status().fault) == (0, "")
        assert assistant.check().sound
        assert read(store) == 1
        assert assistant.status().languages == 1


PARTS = (("papers", "mean"), ("papers", "label"), ("papers", "hash"), ("sentences", "vectors"))


@pytest.mark.parametrize(("table", "column"), PARTS)
def test_vectors_for_other_languages_that_are_not_as_they_were_written_are_found(
    tmp_path: Path, table: str, column: str
) -> None:
    store = tmp_path / "store"
    with build(tmp_path, [PAPERS[0].abstract]) as assistant:
        read(store)
        with contextlib.closing(sqlite3.connect(store / NAME)) as connection, connection:
            connection.execute(f"UPDATE {table} SET {column} = randomblob(length({column}))")
        (fault,) = (finding.fault for finding in assistant.check().findings if finding.what == "languages")
        assert "1 papers have vectors" in fault
        assert assistant.repair().sound


def test_the_second_embedder_puts_two_languages_into_one_space() -> None:
    vectors = Multilingual().embed(["Sea urchins graze on algae", "Seeigel weiden Algen ab", "银行提高了利率"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[0] @ vectors[1] > 0.4 > vectors[0] @ vectors[2]
    assert Multilingual().embed([]).shape == (0, vectors.shape[1])


def test_questions_in_other_languages_are_answered_from_the_seeds(
    seeds_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small store is read for other languages when the first question needs it, and says so."""
    monkeypatch.setenv("ASSISTANT_LANGUAGES", "on")
    store = Path(shutil.copytree(seeds_store, tmp_path / "copy"))
    with Assistant(store) as assistant:
        assistant.ask("What is LaCache?")
        assert not (store / "languages.sqlite3").exists()
        *steps, answer = assistant.stream("LaCache 的 KV 缓存采用什么形状的模式？")
        assert Step("reading the papers for other languages, once") in steps
        assert isinstance(answer, Answer)
        assert "ladder-shaped" in answer.text
        assert assistant.ask("Wie lange ist Brot haltbar, wenn man es einfriert?").abstained
        assert "Hindi" in assistant.ask("तंत्रिका नेटवर्क पर कौन से शोध पत्र हैं?").notice
