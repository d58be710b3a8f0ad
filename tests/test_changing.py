"""Papers that are added and removed one by one from Python."""

from pathlib import Path

import pytest

from assistant import Assistant
from assistant.domain import Filters, Paper
from assistant.errors import PaperMissing, StoreMissing

WREN = Paper("wren", "We propose Wren. It sorts feathers by their length.", year=2024, source="mine")
TABFLEX = "001_0cc1cb446cb33a97#2"


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of its own with the seeds and their index."""
    folder = tmp_path_factory.mktemp("changing") / "store"
    with Assistant(store=folder) as assistant:
        assistant.index()
    return folder


def test_a_paper_that_was_removed_is_found_by_nothing_and_leaves_a_sound_store(seeded: Path) -> None:
    with Assistant(store=seeded) as assistant:
        assert assistant.retrieve("TabFlex tabular datasets").papers[0].paper.id == TABFLEX
        assistant.remove(TABFLEX)
        found = {each.paper.id for each in assistant.retrieve("TabFlex tabular datasets", 50).papers}
        assert assistant.check().sound
        with pytest.raises(PaperMissing):
            assistant.remove(TABFLEX)
    assert TABFLEX not in found
    with Assistant(store=seeded) as again:
        assert again.count_papers() == 54
        assert again.index().new == 1
        assert again.retrieve("TabFlex tabular datasets").papers[0].paper.id == TABFLEX
        assert again.check().sound


def test_a_paper_that_was_added_again_is_known(seeded: Path) -> None:
    with Assistant(store=seeded) as assistant:
        first, second = assistant.add([WREN]), assistant.add([WREN])
        assert (first.new, second.same) == (1, 1)
        assert assistant.paper("wren") == WREN
        assert assistant.ask("What does Wren sort?").citations[0].paper == WREN
        assistant.remove("wren")


def test_a_list_is_cut_into_pages_of_what_passes(seeded: Path) -> None:
    with Assistant(store=seeded) as assistant:
        everything = assistant.papers()
        some = Filters(source="002_")
        passing = tuple(paper for paper in everything if "002_" in paper.source)
        assert assistant.list_papers(Filters(), 10, 5) == everything[10:15]
        assert assistant.list_papers(some, 0, 100) == passing
        assert assistant.list_papers(some, 18, 100) == passing[18:]
        assert assistant.list_papers(some, 100, 5) == ()
        assert assistant.count_papers(some) == len(passing) == 19


def test_where_nothing_is_built_nothing_is_listed_or_removed(tmp_path: Path) -> None:
    with Assistant(store=tmp_path / "nowhere") as assistant:
        for change in (lambda: assistant.remove("a"), lambda: assistant.list_papers(Filters(), 0, 1)):
            with pytest.raises(StoreMissing):
                change()
