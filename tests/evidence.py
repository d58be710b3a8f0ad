"""Evidence for tests: papers with their sentences, as a retriever would find them."""

from assistant.domain import Evidence, FoundPaper, Paper, ScoredSentence
from tests.fakes import make_paper, make_sentences

SPARROW = make_paper(
    "list#1",
    "We propose Sparrow, a sparse attention method. It halves the memory of training by 50%. "
    "Sparrow was tested on 12 translation tasks.",
    title="Sparrow: sparse attention",
)
ROBIN = make_paper(
    "list#2",
    "Language models need many tokens. Robin selects documents by their novelty before training. "
    "Experiments with 7B models confirm a gain of 3.2 points.",
    title="Robin: data selection",
)
WREN = make_paper(
    "list#3",
    "Graph networks smooth their features too much. Wren prunes edges while it learns.",
    title="Wren: pruning graphs",
)


def make_evidence(*papers: Paper, question: str = "What is Sparrow?") -> Evidence:
    """Return evidence of the papers, best first; without any, of all three above."""
    found = tuple(
        FoundPaper(
            paper,
            0.9 - place / 10,
            tuple(ScoredSentence(sentence, 0.8, 0.8, 0.8) for sentence in make_sentences(paper)),
        )
        for place, paper in enumerate(papers or (SPARROW, ROBIN, WREN))
    )
    return Evidence(question, found)
