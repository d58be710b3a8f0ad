"""The panel of sources: a card for each paper, the quoted words marked in its abstract."""

from assistant.chat.exchange import Exchange, Exchanges
from assistant.chat.page import address, anchor, escape, host, mark_quotes, shorten
from assistant.domain import Answer, Citation, Paper, Retrieved

AUTHORS_SHOWN = 3
EMPTY = (
    '<section class="no-sources"><p>The papers behind an answer stand here, the quoted words marked.</p>'
    "<p>Click a number in an answer to open its source.</p></section>"
)


def render_sources(exchanges: Exchanges) -> str:
    """Return the sources of every answer as HTML, newest first; the newest alone stands open."""
    groups = [
        _group(exchange, exchange.answer) for exchange in exchanges if exchange.answer and exchange.answer.retrieved
    ]
    newest_first = groups[::-1]
    if not newest_first:
        return EMPTY
    return newest_first[0].replace('class="group"', 'class="group current"', 1) + "".join(newest_first[1:])


def _group(exchange: Exchange, answer: Answer) -> str:
    turn = exchange.number
    cited = "".join(_cited_card(turn, citation) for citation in answer.citations)
    known = {citation.paper.id for citation in answer.citations}
    others = [retrieved for retrieved in answer.retrieved if retrieved.paper.id not in known]
    also = "".join(_folded_card(retrieved) for retrieved in others)
    question = escape(shorten(exchange.question, 160))
    return (
        f'<section class="group" data-turn="{turn}"><h3 dir="auto"><a href="#t{turn}">{question}</a></h3>'
        + (f'<h4>Cited<span class="count">{len(answer.citations)}</span></h4>{cited}' if cited else "")
        + (f'<h4>{_also(answer)}<span class="count">{len(others)}</span></h4>{also}' if also else "")
        + "</section>"
    )


def _also(answer: Answer) -> str:
    return "Also retrieved" if answer.citations else "Nearest papers, none of them cited"


def _cited_card(turn: int, citation: Citation) -> str:
    return (
        f'<article class="card cited" id="{anchor(turn, citation.number)}" tabindex="-1">'
        f'<h5 dir="auto"><span class="number">{citation.number}</span>{escape(citation.label)}</h5>'
        f"{_about(citation.paper)}"
        f'<p class="abstract" dir="auto">{mark_quotes(citation.paper.abstract, citation.quotes)}</p>'
        f'<a class="back" href="#t{turn}">Back to the answer</a></article>'
    )


def _folded_card(retrieved: Retrieved) -> str:
    return (
        f'<details class="card"><summary dir="auto">{escape(retrieved.label)}</summary>{_about(retrieved.paper)}'
        f'<p class="abstract" dir="auto">{mark_quotes(retrieved.paper.abstract, ())}</p></details>'
    )


def _about(paper: Paper) -> str:
    facts = (_authors(paper), str(paper.year or ""), paper.venue)
    shown = [f'<span dir="auto">{escape(fact)}</span>' for fact in facts if fact]
    url = address(paper)
    if url:
        shown.append(f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer">{escape(host(url))}</a>')
    shown.append(f"<code>{escape(paper.id)}</code>")
    return f'<p class="about">{"".join(shown)}</p>'


def _authors(paper: Paper) -> str:
    named = ", ".join(paper.authors[:AUTHORS_SHOWN])
    return f"{named} et al." if len(paper.authors) > AUTHORS_SHOWN else named
