import pytest

from assistant.answering.aspects import find_uncounted, find_unsaid, lacks_score
from assistant.text.terms import terms

ABSTRACT = (
    "ReefNet forecasts coral bleaching on satellite images. We test it on the Shallow benchmark, and it needs a single "
    "GPU and 40 training images. It is 25% faster than before. On Deepset it reaches an F1 score of 0.81. "
    "Training takes 3 h and 8 GB."
)


def unsaid(question: str) -> str:
    return find_unsaid(question, ABSTRACT, frozenset(terms(ABSTRACT)))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Which learning rate was used for ReefNet?", "learning rate"),
        ("At which university was ReefNet made?", "university"),
        ("What did reviewers say about ReefNet?", "reviewers"),
        ("How much power in watts does ReefNet need?", "watts"),
        ("How much does ReefNet cost?", "what it costs"),
        ("Does ReefNet beat divers on lobster data?", "lobster"),
        ("Which images did ReefNet take from submarines?", "submarines"),
    ],
)
def test_what_a_paper_has_no_word_of_is_named(question: str, missing: str) -> None:
    assert unsaid(question) == missing


@pytest.mark.parametrize(
    "question",
    [
        "How long does training take in hours?",
        "How much memory in gigabytes does ReefNet take?",
        "How fast is ReefNet on satellite images?",
        "What does ReefNet forecast in practice?",
        "How is ReefNet used in detail?",
        "",
    ],
)
def test_what_a_paper_speaks_of_is_not_doubted(question: str) -> None:
    assert unsaid(question) == ""


@pytest.mark.parametrize(
    ("question", "uncounted"),
    [
        ("How many divers does ReefNet replace?", "divers"),
        ("How many benchmarks is ReefNet tested on?", "benchmarks"),
        ("How many images does it need?", ""),
        ("How many GPUs are needed?", ""),
        ("How many training images are there?", ""),
        ("How many times faster is it?", ""),
        ("How fast is it?", ""),
    ],
)
def test_a_thing_without_a_count_beside_it_is_not_counted(question: str, uncounted: str) -> None:
    assert find_uncounted(question, ABSTRACT) == uncounted


def test_a_percentage_is_no_count() -> None:
    assert find_uncounted("How many parameters has it?", "It has 25% fewer parameters.") == "parameters"


def test_a_data_set_without_a_number_near_it_has_no_score() -> None:
    assert lacks_score("Shallow", "We test it on the Shallow benchmark. Corals are pretty. It scores 0.81 on Deepset.")
    assert not lacks_score("Deepset", ABSTRACT)
