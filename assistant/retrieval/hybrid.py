"""Finds the evidence for a question: two channels propose papers, their sentences decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.domain import NO_FILTERS, Evidence, Filters, FoundPaper, QuestionTerm, ScoredSentence
from assistant.ports import Embedder, Hit, Holding, Index, Library, Vector
from assistant.retrieval.duplicates import put_repeats_last
from assistant.retrieval.fusion import Channel, fuse
from assistant.retrieval.ranking import Ranking, keep, list_hits, measure_fit, trust, weigh_terms
from assistant.retrieval.seats import seat_named
from assistant.retrieval.wording import READ, find_forms, widen
from assistant.text.terms import terms, topic_terms

CANDIDATES = 100
"""Papers that each channel proposes."""

MATCHED = 1_000
"""Papers whose BM25 score is read: what the vectors propose is to be weighed by its words as well."""

MOST_PLACES, LEAST_TERMS = 80_000, 2
"""Papers that are read for the terms of a question, each counted once a term: what everybody's paper holds ("model")
says little and is left out of the words first, at 100,000 papers; the vectors have the whole question."""

FEW, COMMON = 50, 20
"""Another wording is searched for when at most so many papers, or one in so many, hold it."""

DENSE, SENTENCE, LEXICAL = 0.35, 0.30, 0.35
"""Weights of the passage's similarity, the best sentence's similarity and BM25: SciFact train is flat around them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a question, with all that its order rests on."""

    vector: Vector
    asked: tuple[QuestionTerm, ...]
    holdings: Mapping[str, Holding]
    ranking: Ranking


class HybridRetriever:
    """A Retriever over a Library (BM25) and an Index (dense), ordered with the best sentence of each paper."""

    def __init__(self, library: Library, index: Index, embedder: Embedder) -> None:
        self._library = library
        self._index = index
        self._embedder = embedder

    def retrieve(self, question: str, k: int, filters: Filters = NO_FILTERS) -> Evidence:
        """Return at most k papers that pass the filters, best first, with their sentences scored."""
        found = self._find(question, filters)
        order = put_repeats_last(found.ranking.final, found.holdings, k)
        seated = seat_named(question, order, k, found.asked, found.holdings)
        papers = (score_paper(found.holdings[hit.paper_id], hit.score, found.vector, found.asked) for hit in seated)
        return Evidence(question, tuple(papers), found.asked)

    def retrieve_topics(self, question: str, topics: Sequence[str], k: int, filters: Filters = NO_FILTERS) -> Evidence:
        """Return at most k papers on one of the topics of a question, the best fitting first."""
        searched = [self.retrieve(topic, k, filters) for topic in topics]
        best: dict[str, FoundPaper] = {}
        for found in (found for evidence in searched for found in evidence.papers):
            if found.paper.id not in best or found.fit > best[found.paper.id].fit:
                best[found.paper.id] = found
        asked = {term.stem: term for evidence in searched for term in evidence.terms}
        papers = sorted(best.values(), key=lambda found: -found.fit)[:k]
        return Evidence(question, tuple(papers), tuple(asked.values()))

    def find_similar(self, paper_id: str, k: int) -> tuple[Hit, ...]:
        """Return the k papers nearest to one, without it: as a whole, and sentence by sentence."""
        own = self._library.fetch((paper_id,))
        if not own or not len(own[0].vectors):
            return ()
        mean = own[0].vectors.mean(axis=0)
        near = self._index.search(np.asarray(mean / np.linalg.norm(mean), dtype=np.float32), CANDIDATES + 1)
        others = {held.paper.id: held for held in self._library.fetch([hit.paper_id for hit in near])}
        others.pop(paper_id, None)
        pairs = {id: float((held.vectors @ own[0].vectors.T).max(axis=1).mean()) for id, held in others.items()}
        order = fuse((Channel(keep(near, others), 0.5), Channel(pairs, 0.5)))
        return put_repeats_last(list_hits(order), others, k)[:k]

    def rank(self, question: str) -> Ranking:
        """Return every candidate in the order of each stage."""
        return self._find(question, NO_FILTERS).ranking

    def _find(self, question: str, filters: Filters) -> _Found:
        vector = self._embedder.embed([question])[0]
        asked = weigh_terms(topic_terms(question), self._library)
        matched = self._match(choose_terms(asked), filters)
        near = self._index.search(vector, CANDIDATES, filters)
        holdings = self._fetch(near, matched, {})
        firsts = dict.fromkeys(hit.paper_id for hit in (*matched[:READ], *near[:READ]) if hit.paper_id in holdings)
        if forms := find_forms([term.stem for term in asked], (holdings[id].paper for id in firsts)):
            asked = widen(asked, forms, self._library)
            matched = add(matched, self._match(self._choose_forms(asked), filters))
            holdings = self._fetch(near, matched, holdings)
        lexical = keep(matched, holdings)
        # Each candidate has its own score in each channel: one that only the words found is not the farthest.
        known = keep(near, holdings)
        dense = {**known, **self._index.measure(vector, [id for id in holdings if id not in known])}
        nearest = {paper_id: float(_similarities(holding, vector).max()) for paper_id, holding in holdings.items()}
        words = Channel(lexical, LEXICAL * trust(lexical, holdings, asked))
        final = fuse((Channel(dense, DENSE), Channel(nearest, SENTENCE), words))
        fused = _fuse_channels(near, matched[:CANDIDATES])
        return _Found(vector, asked, holdings, Ranking(matched[:CANDIDATES], near, fused, list_hits(final)))

    def _choose_forms(self, asked: Sequence[QuestionTerm]) -> list[str]:
        """Return the other wordings to search for: one that many papers hold ("LLM") costs time and says little."""
        forms = list(dict.fromkeys(form for term in asked for form in term.forms))
        most = max(FEW, self._library.count_papers() // COMMON)
        return [form for form, held in zip(forms, self._library.count_holding(forms), strict=True) if 0 < held <= most]

    def _match(self, stems: Sequence[str], filters: Filters) -> tuple[Hit, ...]:
        return self._library.match(stems, MATCHED, filters) if stems else ()

    def _fetch(
        self, near: Sequence[Hit], matched: Sequence[Hit], known: Mapping[str, Holding]
    ) -> Mapping[str, Holding]:
        """Return what is held of the papers that the channels propose; only what is not known yet is read."""
        proposed = tuple(dict.fromkeys(hit.paper_id for hit in (*near, *matched[:CANDIDATES])))
        fetched = self._library.fetch([id for id in proposed if id not in known])
        held = {**known, **{holding.paper.id: holding for holding in fetched}}
        return {id: held[id] for id in proposed if id in held}


def add(matched: Sequence[Hit], others: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return what was found by either of two searches by words, best first: BM25 is a sum over the terms."""
    scores = {hit.paper_id: hit.score for hit in matched}
    for hit in others:
        scores[hit.paper_id] = scores.get(hit.paper_id, 0.0) + hit.score
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(paper_id, score) for paper_id, score in order[:MATCHED])


def choose_terms(asked: Sequence[QuestionTerm]) -> list[str]:
    """Return the terms to search for: the rarest ones, until too many places would have to be read."""
    chosen: list[str] = []
    places = 0
    for term in sorted((term for term in asked if term.holding), key=lambda term: term.holding):
        places += term.holding
        if places > MOST_PLACES and len(chosen) >= LEAST_TERMS:
            break
        chosen.append(term.stem)
    return chosen


def _fuse_channels(near: Sequence[Hit], matched: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the candidates by what proposed them alone, as they stand before the sentences decide."""
    channels = [Channel({hit.paper_id: hit.score for hit in hits}, 0.5) for hits in (near, matched)]
    return list_hits(fuse(channels))


def score_paper(holding: Holding, score: float, vector: Vector, asked: Sequence[QuestionTerm]) -> FoundPaper:
    """Return the paper with each of its sentences scored against the question."""
    total = sum(term.rarity for term in asked) or 1.0
    scored = []
    for sentence, similarity in zip(holding.sentences, _similarities(holding, vector), strict=True):
        held = set(terms(sentence.text))
        coverage = sum(term.rarity for term in asked if term.held_in(held)) / total
        near = max(0.0, float(similarity))
        scored.append(ScoredSentence(sentence, (near + coverage) / 2, near, coverage))
    return FoundPaper(holding.paper, score, tuple(scored), measure_fit(holding.paper, scored, asked))


def _similarities(holding: Holding, vector: Vector) -> Vector:
    return np.asarray(holding.vectors @ vector, dtype=np.float32)
