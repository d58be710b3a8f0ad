"""What a question for papers is about, without the words that only ask for papers."""

import re

_ASKING = frozenset(
    """which what who where when how many any all every each some several other others list show give find name
    tell enumerate me us i we you there here paper papers work works research study studies article articles
    abstract abstracts publication publications literature author authors people group groups method methods
    approach approaches technique techniques deal deals dealing discuss discusses discussed propose proposes
    proposed use uses used using mention mentions mentioned involve involves involved treat treats treated
    address addresses addressed cover covers covered report reports reported provide provides provided look
    looks looking at concern concerns describe describes described present presents introduce introduces
    consider considers exist exists working evaluate evaluates play plays role overview everything anything
    something stuff need want know have has had got please can could would related relevant topic topics area
    field studied investigated investigate investigates explore explores compare compares it them these those
    this that about on in of for with to the a an and or is are was were be do does did been by from as plus
    also else corpus collection library available come comes out regarding concerning show shows apply applies
    applied support supports release releases released""".split()
)
_CLAUSE = re.compile(r"[.?!;:](?:\s|$)")
_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^\W+|\W+$")
_BRACKETS = re.compile(r"\s*\([^()]*\)?")
_OR = re.compile(r"\s+or\s+|,\s+(?:or\s+)?")


def find_topic(question: str) -> str:
    """Return the longest clause of a question without the asking words at its ends; the question if nothing is left."""
    stretches = [_strip(clause) for clause in _CLAUSE.split(question)]
    return max(stretches, key=lambda stretch: len(stretch.split()), default="") or question


def split_topics(question: str) -> tuple[str, ...]:
    """Return the topic of a question for papers, and where it is one thing or another, each of them too."""
    topic = find_topic(question)
    bare = _BRACKETS.sub("", topic)
    others = [part.strip() for part in _OR.split(bare)] if re.search(r"\bor\b", bare) else []
    return tuple(dict.fromkeys((topic, *(part for part in others if part))))


def _strip(clause: str) -> str:
    words = [(match.start(), match.end(), _EDGE.sub("", match[0]).lower()) for match in _WORD.finditer(clause)]
    telling = [place for place, (_, _, word) in enumerate(words) if word and word not in _ASKING]
    return clause[words[telling[0]][0] : words[telling[-1]][1]].strip(" ,()") if telling else ""
