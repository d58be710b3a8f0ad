"""An answer as a notebook shows it: nothing of a paper, a question or a model becomes markup."""

import re
from html import escape

from assistant.domain import Answer, Citation
from assistant.markers import MARKER
from assistant.remarks import describe_doubt, list_remarks
from assistant.text.invisible import remove_invisible
from assistant.text.phrases import raise_first

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:@])")
# Notebooks typeset what stands between dollars, "$5 to $10" as well, except in elements of these classes.
_NO_MATHS = "tex2jax_ignore mathjax_ignore"


def write_html(answer: Answer) -> str:
    """Return the answer and its sources as HTML."""
    text = "".join(f"<p>{_html(part)}</p>" for part in _split_paragraphs(answer.text))
    remarks = "".join(f"<p><em>{_html(remark)}</em></p>" for remark in _list_remarks(answer))
    sources = "".join(f'<li value="{each.number}">{_html_source(each)}</li>' for each in answer.citations)
    return f'<div class="{_NO_MATHS}">{text}{remarks}{f"<ol>{sources}</ol>" if sources else ""}</div>'


def write_markdown(answer: Answer) -> str:
    """Return the answer and its sources as Markdown."""
    text = "\n\n".join(_markdown(part) for part in _split_paragraphs(answer.text))
    remarks = "\n\n".join(f"*{_markdown(remark)}*" for remark in _list_remarks(answer))
    sources = "\n\n".join(_markdown_source(each) for each in answer.citations)
    return "\n\n".join(part for part in (text, remarks, sources) if part)


def _list_remarks(answer: Answer) -> list[str]:
    doubts = (f"{raise_first(describe_doubt(each))}: “{each.text}”" for each in answer.doubtful)
    return [*list_remarks(answer), *doubts]


def _split_paragraphs(text: str) -> list[str]:
    return [part for part in re.split(r"\n\s*\n", remove_invisible(text).strip()) if part]


def _html(text: str) -> str:
    return MARKER.sub(lambda match: f"<b>{match[0]}</b>", escape(remove_invisible(text)).replace("\n", "<br>"))


def _html_source(citation: Citation) -> str:
    quotes = "".join(f"<blockquote>{escape(_on_one_line(quote.text))}</blockquote>" for quote in citation.quotes)
    return f"{escape(_on_one_line(citation.label))} ({escape(_on_one_line(citation.paper.id))}){quotes}"


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", escape(_on_one_line(text), quote=False))


def _markdown_source(citation: Citation) -> str:
    quotes = "".join(f"\n> {_markdown(quote.text)}\n" for quote in citation.quotes)
    return f"\\[{citation.number}\\] {_markdown(citation.label)} ({_markdown(citation.paper.id)})\n{quotes}".rstrip()


def _on_one_line(text: str) -> str:
    return " ".join(remove_invisible(text).split())
