"""Papers leave the store: removed by id, pruned with their source, taken out of a collection."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.cli import run
from assistant.domain import NO_FILTERS, Filters, Origin
from assistant.errors import PaperMissing, SettingsError
from assistant.ports import Sighting
from assistant.pruning import Looked, find_gone, find_homeless
from assistant.settings import Settings
from assistant.store import open_store
from assistant.store.schema import NAME
from tests.fakes import FakeEmbedder, make_paper
from tests.test_circumstances import SAMPLES

TEXTS = {
    "corals": "Corals bleach in warm water.",
    "urchins": "Sea urchins graze on algae.",
    "whales": "Whales sing to each other over great distances.",
    "worms": "Tube worms live beside hot vents.",
}


def write(path: Path, *ids: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    lines = (json.dumps({"id": id, "title": id.title(), "abstract": TEXTS[id], "year": 2020}) for id in ids)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def open_at(place: Path, collection: str = "") -> Assistant:
    return Assistant(place / "store", settings=Settings(), embedder=FakeEmbedder(), collection=collection)


@pytest.fixture
def assistant(place: Path) -> Iterator[Assistant]:
    with open_at(place) as made:
        yield made


def ids(assistant: Assistant) -> set[str]:
    return {paper.id for paper in assistant.papers()}


def found(assistant: Assistant, question: str, filters: Filters = NO_FILTERS) -> set[str]:
    return {one.paper.id for one in assistant.retrieve(question, 10, filters).papers}


def test_a_removed_paper_is_in_no_answer_of_an_assistant_that_was_open_before(
    assistant: Assistant, place: Path
) -> None:
    assistant.index([write(place / "a.jsonl", "corals", "urchins")])
    with open_at(place) as reader:
        assert "corals" in found(reader, "corals in warm water")
        assert assistant.remove("corals") == ("corals",)
        assert found(reader, "corals in warm water") == {"urchins"}
        assert not [
            quoted for quoted in reader.ask("Do corals bleach in warm water?").citations if quoted.paper.id == "corals"
        ]
        assert reader.check().sound


def test_nothing_is_removed_where_an_id_is_unknown_and_all_unknown_ones_are_named(
    assistant: Assistant, place: Path
) -> None:
    assistant.index([write(place / "a.jsonl", "corals", "urchins")])
    with pytest.raises(PaperMissing, match="'x', 'y'"):
        assistant.remove("corals", "x", "y")
    assert ids(assistant) == {"corals", "urchins"}


def test_a_removed_paper_comes_back_when_its_file_is_read_again(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    assistant.index([path])
    assistant.remove("corals")
    assert assistant.index([path]).new == 1


def test_pruning_removes_what_a_file_has_lost_and_nothing_of_other_files(assistant: Assistant, place: Path) -> None:
    one, two = write(place / "a.jsonl", "corals", "urchins"), write(place / "b.jsonl", "whales")
    assistant.index([one, two])
    write(one, "urchins", "worms")
    assert assistant.preview([one]).pruned == ("corals",)
    assert ids(assistant) == {"corals", "urchins", "whales"}
    report = assistant.sync([one])
    assert (report.new, report.pruned) == (1, ("corals",))
    assert ids(assistant) == {"urchins", "whales", "worms"}
    assert assistant.sync([one]).pruned == ()


def test_indexing_without_pruning_removes_nothing(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    assistant.index([path])
    write(path, "urchins")
    assert assistant.index([path]).pruned == ()
    assert ids(assistant) == {"corals", "urchins"}


def test_pruning_a_folder_removes_the_papers_of_files_that_are_gone_from_it(assistant: Assistant, place: Path) -> None:
    gone = write(place / "in" / "a.jsonl", "corals")
    write(place / "in" / "b.jsonl", "urchins")
    outside = write(place / "c.jsonl", "whales")
    assistant.index([place / "in", outside])
    gone.unlink()
    outside.unlink()
    assert assistant.sync([place / "in"]).pruned == ("corals",)
    assert ids(assistant) == {"urchins", "whales"}


def test_a_file_of_the_same_name_in_another_folder_keeps_its_papers(assistant: Assistant, place: Path) -> None:
    one, two = write(place / "x" / "list.jsonl", "corals"), write(place / "y" / "list.jsonl", "whales", "worms")
    assistant.index([one, two])
    one.unlink()
    write(two, "worms")
    assert assistant.sync([two]).pruned == ("whales",)
    assert ids(assistant) == {"corals", "worms"}


def test_a_paper_of_two_files_stays_until_both_have_lost_it(assistant: Assistant, place: Path) -> None:
    one, two = write(place / "a.jsonl", "corals", "urchins"), write(place / "b.jsonl", "corals", "whales")
    assistant.index([one, two])
    assert assistant.paper("corals").also_in == ("b.jsonl",)
    write(one, "urchins")
    assert assistant.sync([one]).pruned == ()
    write(two, "whales")
    assert assistant.sync([two]).pruned == ("corals",)


def test_a_file_that_was_moved_is_pruned_where_it_is_now(assistant: Assistant, place: Path) -> None:
    old = write(place / "old" / "list.jsonl", "corals", "urchins", "whales")
    assistant.index([old])
    old.unlink()
    assert assistant.sync([write(place / "new" / "list.jsonl", "urchins", "whales")]).pruned == ("corals",)


def test_nothing_of_a_file_that_was_not_read_whole_is_pruned_and_it_is_said(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    assistant.index([path])
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    report = assistant.sync([path])
    assert report.pruned == ()
    assert "a.jsonl:2" in report.unpruned[0].reason
    assert ids(assistant) == {"corals", "urchins"}


def test_a_record_without_an_abstract_does_not_keep_a_file_from_being_pruned(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    assistant.index([path])
    path.write_text(json.dumps({"id": "corals"}) + "\n" + json.dumps({"id": "urchins", "abstract": TEXTS["urchins"]}))
    assert assistant.sync([path]).pruned == ("corals",)


def test_papers_that_came_from_no_file_are_never_pruned(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals")
    assistant.add([make_paper("mine", source="a.jsonl")])
    assert assistant.sync([path]).pruned == ()
    assert ids(assistant) == {"corals", "mine"}


def test_an_edited_paper_is_updated_and_not_pruned(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals")
    assistant.index([path])
    path.write_text(json.dumps({"id": "corals", "title": "Corals", "abstract": "Now they recover.", "year": 2020}))
    report = assistant.sync([path])
    assert (report.updated, report.pruned) == (1, ())


def test_only_sightings_of_the_collection_are_lost() -> None:
    here = [Sighting("a", "l", Origin("/l", name)) for name in ("one", "two")]
    looked = Looked("one", frozenset(["/l"]), (), ())
    gone = find_gone(here, (), looked, lambda path: True)
    assert gone == (here[0],)
    assert find_homeless(here, gone) == ()
    assert find_homeless(here, here) == ("a",)


def test_a_paper_in_two_collections_is_kept_once_and_found_in_both(assistant: Assistant, place: Path) -> None:
    with open_at(place, "reefs") as reefs, open_at(place, "all") as everything:
        reefs.index([write(place / "a.jsonl", "corals", "urchins")])
        report = everything.index([write(place / "b.jsonl", "corals", "whales")])
        assert (report.new, report.same + report.merged) == (1, 1)
        assert assistant.collections() == (("all", 2), ("reefs", 2))
        assert (ids(reefs), ids(everything)) == ({"corals", "urchins"}, {"corals", "whales"})
        assert len(ids(assistant)) == 3
        assert found(reefs, "whales and urchins") == {"urchins", "corals"}
        assert found(assistant, "whales", Filters(collection="all")) == {"whales", "corals"}
        assert {one.paper.id for one in reefs.ask("What do urchins graze on?").retrieved} <= {"urchins", "corals"}


def test_a_paper_that_is_taken_out_of_a_collection_stays_in_the_other(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    with open_at(place, "one") as one, open_at(place, "two") as two:
        one.index([path])
        two.index([write(place / "b.jsonl", "corals")])
        assert one.remove("corals", "urchins") == ("urchins",)
        assert (ids(one), ids(two)) == (set(), {"corals"})
        with pytest.raises(PaperMissing, match="in the collection 'one'"):
            one.remove("corals")


def test_pruning_one_collection_leaves_the_same_file_in_another(assistant: Assistant, place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    with open_at(place, "one") as one, open_at(place, "two") as two:
        for each in (one, two):
            each.index([path])
        write(path, "urchins")
        assert one.sync([path]).pruned == ()
        assert (ids(one), ids(two)) == ({"urchins"}, {"corals", "urchins"})
        assert two.sync([path]).pruned == ("corals",)


@pytest.mark.parametrize("name", [" a", "a\n", "a\x1b", "x" * 101])
def test_a_collection_that_cannot_be_named_is_refused(place: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="collection"):
        open_at(place, name)


def test_papers_of_an_older_store_are_in_the_default_collection(tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLES / "store-format-1", tmp_path / "old")
    with open_store(folder) as store:
        assert store.exists()
        ((name, count),) = store.library.count_collections()
        assert (name, count) == ("default", store.library.count_papers())


def test_a_repair_or_another_embedder_moves_no_paper_to_another_collection(place: Path) -> None:
    with open_at(place, "reefs") as reefs:
        reefs.index([write(place / "a.jsonl", "corals")])
    with Assistant(place / "store", settings=Settings(), embedder=FakeEmbedder("other", "2")) as other:
        other.rebuild()
        assert other.collections() == (("reefs", 1),)


def test_a_repair_that_embeds_a_paper_anew_leaves_it_in_its_collection(place: Path) -> None:
    with open_at(place, "reefs") as reefs:
        reefs.index([write(place / "a.jsonl", "corals")])
    with contextlib.closing(sqlite3.connect(place / "store" / NAME)) as connection, connection:
        connection.execute("UPDATE sentences SET vector = zeroblob(length(vector))")
    with open_at(place) as again:
        assert "vectors" in again.repair().repaired
        assert again.collections() == (("reefs", 1),)


def test_papers_that_are_saved_from_a_damaged_library_stay_in_their_collections(place: Path) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    for name in ("one", "two"):
        with open_at(place, name) as assistant:
            assistant.index([path])
    with contextlib.closing(sqlite3.connect(place / "store" / NAME)) as connection, connection:
        connection.execute("DROP TABLE sums")
    with open_at(place) as again:
        again.repair()
        assert again.collections() == (("one", 2), ("two", 2))
        assert ids(again) == {"corals", "urchins"}


def test_a_file_of_a_folder_that_is_there_and_cannot_be_read_any_more_keeps_its_papers(
    assistant: Assistant, place: Path
) -> None:
    path = write(place / "in" / "a.jsonl", "corals")
    write(place / "in" / "b.jsonl", "urchins")
    assistant.index([place / "in"])
    path.write_bytes(b"%PDF-1.4 not a list any more")
    report = assistant.sync([place / "in"])
    assert report.pruned == ()
    assert "a.jsonl" in report.unpruned[0].place


def test_the_commands_remove_prune_export_and_list(
    seeds_store: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(place / "a.jsonl", "corals", "urchins")
    store = ("--store", "s")
    assert run(["index", str(path), "--collection", "reefs", *store]) == 0
    assert run(["collections", *store]) == 0
    assert "reefs       2 papers" in capsys.readouterr().out
    assert run(["remove", "corals", "--dry-run", *store]) == 0
    assert "1 papers would be removed; nothing was changed" in capsys.readouterr().out
    assert run(["remove", "nowhere", *store]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    write(path, "urchins")
    assert run(["index", str(path), "--prune", "--dry-run", "--collection", "reefs", *store]) == 0
    assert "would be removed: corals\n1 papers would be removed" in capsys.readouterr().out
    assert run(["index", str(path), "--prune", "--collection", "reefs", *store]) == 0
    assert "removed: corals\n1 papers removed" in capsys.readouterr().out
    assert run(["export", "--out", "out.bib", *store]) == 0
    assert (place / "out.bib").read_text(encoding="utf-8").startswith("@misc{urchins,")
    assert run(["export", "--format", "csv", *store]) == 0
    assert capsys.readouterr().out.startswith("id,title,authors,year")
    assert run(["search", "urchins", "--collection", "nothing", *store]) == 1
    assert "there is reefs" in capsys.readouterr().err
    assert run(["remove", "urchins", *store]) == 0
    assert "0 papers left" in capsys.readouterr().out


def test_the_list_of_papers_is_filtered(seeds_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["papers", "--source", "001_", "--match", "TabFlex", "--store", str(seeds_store)]) == 0
    assert "001_0cc1cb446cb33a97#2" in capsys.readouterr().out
    assert run(["papers", "--year", "1999", "--store", str(seeds_store)]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "no paper passes these filters\n")
    assert run(["papers", "x#1", "--year", "1999", "--store", str(seeds_store)]) == 2


def test_an_export_that_cannot_be_written_leaves_nothing_and_says_where(
    seeds_store: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "--out", "nowhere/x.jsonl", "--store", str(seeds_store)]) == 1
    assert "nowhere/x.jsonl: cannot be written" in capsys.readouterr().err
    assert list(place.iterdir()) == []
