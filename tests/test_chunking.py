"""Passages hold whole sentences and never more word pieces than they may."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.chunking import CountPieces, chunk, passage_text
from assistant.domain import Paper, Passage
from assistant.models.splitter import split_long
from assistant.text.sentences import Span
from tests.fakes import make_paper


def count_words(text: str) -> int:
    return len(text.split())


def count_quarters(text: str) -> int:
    return math.ceil(len(text) / 4)


def texts(paper: Paper, passages: tuple[Passage, ...]) -> list[str]:
    return [paper.abstract[passage.start : passage.end] for passage in passages]


def refuse(text: str, size: int, count_pieces: object) -> tuple[Span, ...]:
    raise AssertionError(f"nothing is to be cut here: {text}, {size}, {count_pieces}")


def test_sentences_are_packed_into_a_passage_as_long_as_there_is_room() -> None:
    paper = make_paper(abstract="One two three. Four five. Six. Seven eight nine ten. Eleven.")
    passages, sentences = chunk(paper, 5, count_words, refuse)
    assert texts(paper, passages) == ["One two three. Four five.", "Six. Seven eight nine ten.", "Eleven."]
    assert [sentence.text for sentence in sentences][-2:] == ["Seven eight nine ten.", "Eleven."]


def test_a_short_abstract_is_one_passage() -> None:
    paper = make_paper()
    passages, sentences = chunk(paper, 256, count_words, refuse)
    assert texts(paper, passages) == [paper.abstract]
    assert len(sentences) == 2


def test_a_sentence_over_the_size_is_cut_for_passages_and_whole_as_a_sentence() -> None:
    paper = make_paper(abstract="First. One two three, four five six; seven eight nine. Last.")
    passages, sentences = chunk(paper, 4, count_words, split_long)
    assert texts(paper, passages) == ["First.", "One two three,", "four five six;", "seven eight nine.", "Last."]
    assert [sentence.text for sentence in sentences][1] == "One two three, four five six; seven eight nine."


def test_the_title_is_embedded_with_each_passage_and_takes_its_room() -> None:
    paper = make_paper(title="Sparse attention", abstract="One two three. Four five. Six.")
    passages, _ = chunk(paper, 7, count_words, refuse)
    assert [passage_text(paper, passage) for passage in passages] == [
        "Sparse attention\nOne two three. Four five.",
        "Sparse attention\nSix.",
    ]


def test_a_title_leaves_at_least_half_of_the_room_to_the_abstract() -> None:
    paper = make_paper(title="word " * 50, abstract="One two. Three four. Five six.")
    passages, _ = chunk(paper, 8, count_words, refuse)
    assert texts(paper, passages) == ["One two. Three four.", "Five six."]


def test_without_a_title_only_the_passage_is_embedded() -> None:
    paper = make_paper()
    assert passage_text(paper, Passage(paper.id, 0, 10)) == paper.abstract[:10]


def test_a_paper_without_words_has_no_passages() -> None:
    assert chunk(make_paper(abstract=" \n "), 256, count_words, refuse) == ((), ())


SHARDS = st.sampled_from(
    ["word ", "Long words, many; ", "End. ", "What? ", "\n", "\n\n", "x" * 30, "句子。", "，", "$a. b$ ", "(1) "]
)


@pytest.mark.parametrize("count_pieces", [count_words, count_quarters, len])
@given(abstract=st.lists(SHARDS, max_size=60).map("".join) | st.text(max_size=200), size=st.integers(1, 40))
def test_passages_are_in_order_disjoint_sized_and_made_of_whole_sentences(
    count_pieces: CountPieces, abstract: str, size: int
) -> None:
    paper = make_paper(abstract=abstract)
    passages, sentences = chunk(paper, size, count_pieces, split_long)
    assert all(first.end <= second.start for first, second in pairwise(passages))
    assert all(sentence.text == abstract[sentence.start : sentence.end] for sentence in sentences)
    assert "".join("".join(texts(paper, passages)).split()) == "".join(abstract.split())
    starts = {sentence.start for sentence in sentences}
    ends = {sentence.end for sentence in sentences}
    long = [sentence for sentence in sentences if count_pieces(sentence.text) > size]
    for passage, text in zip(passages, texts(paper, passages), strict=True):
        assert text == text.strip() != ""
        assert count_pieces(text) <= size
        cut = any(sentence.start <= passage.start and passage.end <= sentence.end for sentence in long)
        assert cut or (passage.start in starts and passage.end in ends)
