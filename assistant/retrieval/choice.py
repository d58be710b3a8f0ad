"""Chooses how a question is searched for by the language that it is in; an English one is read without its typos."""

from dataclasses import replace

from assistant.answering.kinds import Kind, read_kind
from assistant.domain import NO_FILTERS, Evidence, Filters
from assistant.ports import Hit
from assistant.retrieval.correction import Corrector
from assistant.retrieval.foreign import ForeignRetriever
from assistant.retrieval.hybrid import HybridRetriever
from assistant.retrieval.ranking import Ranking
from assistant.text.languages import ENGLISH, NAMES, SUPPORTED, detect_language
from assistant.text.topics import split_topics

_KNOWN = ", ".join(sorted(NAMES[language] for language in SUPPORTED))


class LanguageRetriever:
    """A Retriever that asks another one for questions that are not English; without one it says so."""

    def __init__(self, english: HybridRetriever, foreign: ForeignRetriever | None, corrector: Corrector) -> None:
        self._english = english
        self._foreign = foreign
        self._corrector = corrector

    def retrieve(self, question: str, k: int, filters: Filters = NO_FILTERS) -> Evidence:
        """Return at most k papers that pass the filters; a notice says what was read differently."""
        language = detect_language(question)
        if self._foreign and self._serves(language):
            return self._foreign.retrieve(question, k, language, filters)
        if language != ENGLISH:
            return replace(self._english.retrieve(question, k, filters), notice=self._explain(language))
        corrected = self._corrector.correct(question)
        return replace(self._search(corrected.question, k, filters), notice=corrected.notice)

    def _search(self, question: str, k: int, filters: Filters) -> Evidence:
        """Return the evidence for an English question; one that asks for papers is searched for by its topics."""
        if read_kind(question) is Kind.SURVEY:
            return self._english.retrieve_topics(question, split_topics(question), k, filters)
        return self._english.retrieve(question, k, filters)

    def lacks(self, question: str) -> bool:
        """Tell whether papers must be read for other languages before this question is served."""
        return self._foreign is not None and not self._foreign.fresh and self._knows(detect_language(question))

    def find_similar(self, paper_id: str, k: int) -> tuple[Hit, ...]:
        """Return the k papers nearest to one, without it."""
        return self._english.find_similar(paper_id, k)

    def rank(self, question: str) -> Ranking:
        """Return every candidate in the order of each stage."""
        language = detect_language(question)
        if self._foreign and self._serves(language):
            return self._foreign.rank(question, language)
        return self._english.rank(self._corrector.correct(question).question if language == ENGLISH else question)

    def _serves(self, language: str) -> bool:
        return self._knows(language) and self._foreign is not None and self._foreign.ready

    def _knows(self, language: str) -> bool:
        return language in SUPPORTED - {ENGLISH}

    def _explain(self, language: str) -> str:
        """Return why a question was searched for as if it were English."""
        name = NAMES.get(language, "this language")
        if language not in SUPPORTED:
            return f"Questions in {name} are not supported: ask in one of {_KNOWN}."
        if self._foreign is None:
            return (
                f"Questions in {name} are switched off by ASSISTANT_LANGUAGES=off: only names in it were searched for."
            )
        return f"The store is not yet prepared for questions in {name}: run `assistant index` once."
