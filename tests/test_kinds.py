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
        ("What's out there on reefs?", Kind.SURVEY),
        ("What is known about reefs in this collection?", Kind.SURVEY),
        ("Does anything here concern reefs?", Kind.SURVEY),
        ("Is there more than one paper on reefs?", Kind.SURVEY),
        ("Gather everything that deals with reefs.", Kind.SURVEY),
        ("Can you point me to papers on reefs?", Kind.SURVEY),
        ("I'm looking for work on reefs", Kind.SURVEY),
        ("Which trials were randomised?", Kind.SURVEY),
        ("Where do sea urchins come up?", Kind.SURVEY),
        ("Who has worked on reefs?", Kind.SURVEY),
        ("literature on reefs", Kind.SURVEY),
        ("What approaches are there to count urchins?", Kind.SURVEY),
        ("Which new data sets are introduced?", Kind.SURVEY),
        ("What does the collection have on reefs?", Kind.SURVEY),
        ("An overview of the papers on reefs", Kind.SURVEY),
        ("The reef paper and the urchin paper: how does each count?", Kind.COMPARISON),
        ("Which is faster, ReefNet or CoralCast?", Kind.COMPARISON),
        ("Do the reef study and the urchin study agree?", Kind.COMPARISON),
        ("List the components of ReefNet.", Kind.FACT),
        ("Is there a paper that proves a bound?", Kind.FACT),
        ("What approaches does the paper compare with?", Kind.FACT),
        ("Where does the tenfold gain come from?", Kind.FACT),
    ],
)
def test_the_wording_of_a_question_tells_its_kind(question: str, kind: Kind) -> None:
    assert read_kind(question) is kind


@given(st.text(max_size=500))
def test_any_text_has_a_kind_and_a_shape(text: str) -> None:
    assert SHAPES[read_kind(text)].papers >= 1
