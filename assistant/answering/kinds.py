"""What kind of answer a question asks for."""

import re
from dataclasses import dataclass
from enum import StrEnum

from assistant.text.names import find_names


class Kind(StrEnum):
    """The kinds of questions, by the answer that a person expects."""

    FACT = "fact"
    FIGURE = "figure"
    DEFINITION = "definition"
    SUMMARY = "summary"
    COMPARISON = "comparison"
    SURVEY = "survey"


@dataclass(frozen=True, slots=True)
class Shape:
    """The outer form of an answer: how many papers and words it may have."""

    papers: int
    words: int


SHAPES = {
    Kind.FACT: Shape(papers=1, words=72),
    Kind.FIGURE: Shape(papers=1, words=52),
    Kind.DEFINITION: Shape(papers=1, words=52),
    Kind.SUMMARY: Shape(papers=1, words=115),
    Kind.COMPARISON: Shape(papers=3, words=160),
    Kind.SURVEY: Shape(papers=30, words=270),
}

_PAPERS = r"(?:papers|works|articles|abstracts|studies|publications|submissions|trials|references)"
_WORK = rf"(?:{_PAPERS}|work|research|literature)"
_MEASURES = (
    r"(?:accuracy|error|ratio|share|savings?|reductions?|acceleration|rate|costs?|price|size|length|lead time|duration"
    r"|median|mean|average|dose|depth)"
)
_MADE = r"(?:introduced|proposed|presented|released|published|developed|described|designed|randomi[sz]ed|done|there)"
_RULES = (
    (
        Kind.SURVEY,
        r"\b(?:everything|anything) (?:\w+ ){0,2}(?:on|about)\b",
        r"\bevery (?:paper|work)\b",
        r"\blist (?:them )?all\b",
        rf"\b(?:overview|rundown|survey) of\b.{{0,60}}\b{_WORK}\b|^(?:overview|{_PAPERS})\s*:",
        r"^(?:(?:please|can you|could you) )*"
        r"(?:list|show|name|enumerate|find|gather|collect|round up|survey|tell|point)\b"
        rf".{{0,20}}\b(?:{_WORK}|everything|anything)\b(?! (?:by|of|behind) (?:the )?authors)",
        rf"\b(?:looking|searching) for\b.{{0,20}}\b{_WORK}\b|^i (?:need|want)\b.{{0,20}}\b{_PAPERS}\b",
        rf"^(?:is|are) there (?:any|some|more than one|other|several)\b.{{0,20}}\b(?:paper|{_WORK})\b",
        r"^(?:do|does|is|are|has|have) (?:any|anything|anyone|anybody|some|something|several)\b",
        r"\bin (?:this|the) (?:collection|corpus|library)\b|\bin these papers\b",
        r"\b(?:this|the) (?:collection|corpus|library) (?:have|has|offers?|says?|contains?|holds?)\b",
        r"\bwhat(?:'s| is| else is)? (?:out )?there (?:on|about)\b",
        r"^what else\b.{0,12}\b(?:there|have)\b|\bis known about\b",
        rf"^(?:which|what) (?:[\w-]+ ){{1,5}}(?:are|were|have been) {_MADE}\b",
        r"^(?:which|what) (?:methods|approaches|techniques|ways|algorithms)\b.{0,60}\b(?:are there|exist)\b",
        r"^where (?:do|does|is|are) .{2,60} (?:come up|appear|mentioned|play a (?:part|role))\b",
        r"^who (?:uses?|used|has worked|have worked|investigates|considers)\b",
        rf"^(?:literature|research|{_PAPERS}) (?:in|on|about|with|that|which|where)\b",
        r"\b(?:all|everything) (?:that|you have|we have)\b",
        rf"\bthere are {_PAPERS} (?:on|about)\b",
        r"^(?:which|what) (?:authors|researchers|groups|people|teams) (?!wrote|invented|discovered)",
        r"^where (?:is|are|was|were) .{3,80} "
        r"(?:studied|used|applied|reported|measured|discussed|treated|an? outcome)\b",
    ),
    (
        Kind.SUMMARY,
        r"\bsummar(?:y|i[sz])",
        r"\btl;?dr\b",
        r"\bin a nutshell\b|\bshort version\b|\bin (?:short|brief|plain (?:words|english))\b|\bbriefly\b",
        r"\bwhat(?:'s| is) .{1,60} (?:all )?about\s*\??$|\b(?:idea|story) (?:behind|of)\b",
        r"^(?:please )?(?:describe|outline|introduce)\b",
        r"\bsum(?:s)? (?:it )?up\b|\brecap\b|\bsynopsis\b|\bdigest\b|\bboil\w* .{0,40}\bdown\b",
        r"\bkey (?:points?|takeaways?|findings?|contributions?|messages?)\b|\btakeaways?\b",
        r"\bin (?:a few|two|three|four|\d) (?:short )?(?:sentences|lines|words)\b",
        r"\b(?:explain|describe|brief me on|walk me through|tell me about)\b.{0,80}\b(?:paper|work|study|abstract)\b",
        r"\bmain (?:points|idea|message)\b",
        r"\b(?:overview|gist|outline) of\b",
        r"\bwhat(?:'s| is| does| do)? .{1,60}\b(?:paper|work|study|abstract)\b.{0,20}\b(?:about|say|do|report)\b",
    ),
    (
        Kind.COMPARISON,
        r"\bcompar(?:e|ing|ison)\b(?! (?:to|with)(?: (?:the )?baselines?)?\s*\??$)(?! (?:to|with) (?:the )?baselines?)",
        r"\bcompared (?:to|with) (?:what|how|that of|the one)\b",
        r"\bversus\b|\bvs\b",
        r"\bside by side\b",
        r"\b(?:does|do|did|is|are|was|were|has|have|can) each\b|\beach (?:one|of (?:them|the two|these))\b",
        r"^(?:which|what|who)\b.{0,60}\b(?:\w+er|more|less|better|worse)\b.{0,80}\bor\b",
        r"^how do the .{3,50} and (?:the )?.{3,50} papers\b",
        r"\b(?:agree|disagree|contradict)\b",
        r"\bin common\b",
        r"\bchoos(?:e|ing) between\b",
        r"\bdistinguish(?:es)?\b",
        r"\bset(?:s)? .{1,60} apart\b",
        r"\bcontrast\b.{1,60}\b(?:and|with)\b",
        r"\bdiffer(?:s|ences?)?\b.{1,60}\b(?:between|from|and)\b",
        r"\bhow do .{3,80} and .{3,80} differ\b",
        r"\bwhich of (?:them|the two|these two|both)\b",
        r"\b(?:both|two) (?:\w+ )?(?:papers|works|methods|approaches)\b",
    ),
    (
        Kind.SURVEY,
        rf"\b(?:which|what|list|name|show|find|give|all|any|other|several|how many)\b.{{0,30}}\b{_PAPERS}\b",
        rf"^(?:list|enumerate) (?:[\w-]+ ){{0,3}}(?:{_WORK}|methods|approaches|techniques|algorithms|models|method)\b",
        r"^(?:are there|are any|which of (?:these|those)|which ones)\b",
        rf"^{_PAPERS} (?:on|about|that|which|with|using|dealing)\b",
        r"\bwho (?:works|worked|else|deals|studies|addresses|looks)\b",
        r"\bwhat (?:work|research) (?:is|has|exists|do)\b",
        r"^(?:show|find|give) me (?:all |any |some )?(?:work|research)\b",
        r"\bwhat (?:is there|do (?:we|you) have|have (?:we|you) got)\b.{0,12}\b(?:on|about)\b",
    ),
    (
        Kind.DEFINITION,
        r"\bstands? for\b",
        r"\bshort for\b",
        r"\bacronym\b|\babbreviat",
        r"\bspell(?:ed)? out\b",
        r"\bfull (?:form|name)\b|\blong form\b|\bin full\b|\bwritten out\b|\bletters\b|\bmeaning of\b",
        r"^(?:please )?(?:expand|decode|decipher|unpack)\b",
        r"^(?:so )?(?:what(?:'s| is| are)|define|explain) (?:an? |the )?[\w.+/-]+(?: [\w.+/-]+)?\??$",
        r"^what does [\w.+/-]+ mean\b",
    ),
    (
        Kind.FIGURE,
        r"\bhow (?:many|much|large|big|fast|long|few|often|small|high|low|accurate|far)\b",
        r"\b(?:by|up to) (?:what|which) (?:factor|margin|percent)",
        r"\bwhat (?:accuracy|speed-?up|score|rate|number|size|factor|percent|fraction|share)",
        r"^(?:and |so |at |up to |by )*(?:what|which)(?:'s| is| are| was| were)? (?:the |an? )?"
        rf"(?:[\w-]+ ){{0,4}}{_MEASURES}\b",
        rf"^{_MEASURES} (?:of|for|with|in)\b|^(?:median|mean|average)\b",
        r"\bnumbers? of\b|\bpercent(?:age)?\b|\bspeed-?ups?\b",
    ),
)
_COMPILED = tuple((kind, re.compile("|".join(patterns), re.IGNORECASE)) for kind, *patterns in _RULES)
_TOGETHER = re.compile(r"\b(?:each|both|respectively|which one|differ|in common|alike|or|than)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\b(?:the|this|that) (?:paper|work|study|authors?|abstract)\b", re.IGNORECASE)
_METHODS = re.compile(
    r"^(?:which|what) (?:[\w-]+ ){0,3}(?:methods|approaches|techniques|algorithms|models|ideas)\b", re.IGNORECASE
)


def read_kind(question: str) -> Kind:
    """Return the kind of a question, by its wording."""
    text = " ".join(question.split())
    if _METHODS.search(text) and not find_names(text) and not _OF_ONE.search(text):
        return Kind.SURVEY
    return next((kind for kind, pattern in _COMPILED if pattern.search(text)), Kind.FACT)


def sets_together(question: str) -> bool:
    """Tell whether a question asks for what several things have in common or not."""
    return _TOGETHER.search(question) is not None
