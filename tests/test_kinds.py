import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.kinds import SHAPES, Kind, read_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why do corals bleach in warm water?", Kind.FACT),
        ("Which paper introduces a coral thermometer?", Kind.FACT),
        ("By how much does ReefNet lower the error?", Kind.FIGURE),
        ("how many reefs were sampled", Kind.FIGURE),
        ("What is ReefNet?", Kind.DEFINITION),
        ("What does SST stand for?", Kind.DEFINITION),
        ("Summarise the paper on coral bleaching.", Kind.SUMMARY),
        ("tl;dr of the ReefNet paper please", Kind.SUMMARY),
        ("What are the key takeaways of ReefNet?", Kind.SUMMARY),
        ("Explain the ReefNet paper in three sentences", Kind.SUMMARY),
        ("What is the reef study all about?", Kind.SUMMARY),
        ("Expand the acronym SST", Kind.DEFINITION),
        ("papers on reefs", Kind.SURVEY),
        ("Which coral bleaching models are there?", Kind.SURVEY),
        ("Compare ReefNet with CoralCast.", Kind.COMPARISON),
        ("What do the two papers on bleaching say?", Kind.COMPARISON),
        ("Which papers study reefs?", Kind.SURVEY),
        ("list everything on corals", Kind.SURVEY),
        ("Which methods forecast bleaching?", Kind.SURVEY),
    ],
)
def test_the_wording_of_a_question_tells_its_kind(question: str, kind: Kind) -> None:
    assert read_kind(question) is kind


@given(st.text(max_size=500))
def test_any_text_has_a_kind_and_a_shape(text: str) -> None:
    assert SHAPES[read_kind(text)].papers >= 1
