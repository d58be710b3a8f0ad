"""Answers, papers and reports as lines that a person reads."""

from collections.abc import Iterator
from pathlib import Path

from assistant.cli.terminal import Line, on_one_line
from assistant.domain import Answer, Citation, Evidence, FoundPaper, Paper, Report
from assistant.health import Checkup, Status
from assistant.remarks import describe_doubt, list_remarks
from assistant.text.labels import label
from assistant.text.phrases import raise_first

INDENT = 4
_UNKNOWN = "unknown"


def answer_lines(answer: Answer) -> Iterator[Line]:
    """Yield the answer, why it is not what was asked for, and its numbered sources."""
    yield Line(answer.text)
    for remark in list_remarks(answer):
        yield Line(remark if remark == answer.reason else f"Note: {remark}", style="yellow")
    for doubtful in answer.doubtful:
        yield Line(raise_first(f"{describe_doubt(doubtful)}: “{on_one_line(doubtful.text)}”"), style="yellow")
    if answer.citations:
        yield Line("")
        yield Line("Sources", style="bold")
    for citation in answer.citations:
        yield from _source_lines(citation)


def evidence_lines(evidence: Evidence) -> Iterator[Line]:
    """Yield the papers found, best first, each with its score and its best sentence."""
    if not evidence.papers:
        yield Line("No paper holds these words or is near them.")
    for rank, found in enumerate(evidence.papers, 1):
        yield Line(f"{rank:>2}  {found.score:.3f}  {_title(found.paper)} ({on_one_line(found.paper.id)})")
        if found.sentences:
            yield Line(best_sentence(found), indent=INDENT, style="dim")


def best_sentence(found: FoundPaper) -> str:
    """Return the sentence of a found paper that fits best, on one line."""
    best = max(found.sentences, key=lambda scored: scored.score)
    return on_one_line(best.sentence.text)


def paper_lines(paper: Paper) -> Iterator[Line]:
    """Yield one paper whole: its label, what is known of it, and the abstract."""
    yield Line(_title(paper), style="bold")
    known = (
        ("id", paper.id),
        ("authors", ", ".join(paper.authors)),
        ("year", str(paper.year or "")),
        ("venue", paper.venue),
        ("doi", paper.doi),
        ("url", paper.url),
        ("source", paper.source),
        *paper.extra,
    )
    for name, value in known:
        if value:
            yield Line(f"{on_one_line(name)}: {on_one_line(value)}", style="dim")
    yield Line("")
    yield Line(paper.abstract)


def listed(paper: Paper, width: int) -> Line:
    """Return a paper as one line of a list: id, year, label."""
    return Line(f"{on_one_line(paper.id):<{width}}  {paper.year or '':>4}  {_title(paper)}")


def summarise(report: Report, store: Path) -> str:
    """Return what an index run did as one sentence."""
    return (
        f"read {report.read} = {report.new} new + {report.same} same + {report.updated} updated"
        f" + {report.merged} merged + {report.lost} skipped, in {report.seconds:.1f} s; store: {store}"
    )


def status_lines(status: Status) -> Iterator[Line]:
    """Yield how a store stands, a fact a line."""
    index = "none" if status.generation is None else f"generation {status.generation}"
    without = f"{_counted(status.outside)} passages are searched without it"
    at_most = "" if status.passage_size is None else f", of at most {status.passage_size} word pieces"
    facts = (
        ("store", str(status.store)),
        ("papers", _counted(status.papers)),
        ("passages", f"{_counted(status.passages)}{at_most}"),
        ("size", _UNKNOWN if status.size is None else size_in_words(status.size)),
        ("embedder", on_one_line(status.embedder or "") or _UNKNOWN),
        ("index", _UNKNOWN if status.outside is None else f"{index}; {without}"),
        ("languages", f"{_counted(status.languages)} papers are read for questions that are not English"),
        ("health", status.fault or "sound, as far as it shows at once; `assistant check` looks closer"),
    )
    for name, value in facts:
        yield Line(f"{name:<10} {value}")


def _counted(count: int | None) -> str:
    return _UNKNOWN if count is None else f"{count:,}"


def checkup_lines(checkup: Checkup) -> Iterator[Line]:
    """Yield what was checked, a part a line, and the verdict."""
    for finding in checkup.findings:
        yield Line(
            f"{finding.what:<13} {on_one_line(finding.fault) or 'sound'}", style="yellow" if finding.fault else ""
        )
    if checkup.repaired:
        yield Line(f"made anew: {', '.join(checkup.repaired)}")
    if not checkup.sound:
        yield Line(
            "`assistant restore FILE` puts a backup in the place of what cannot be repaired."
            if checkup.repaired
            else "`assistant check --repair` makes anew what can be made from the papers."
        )


def size_in_words(size: int) -> str:
    """Return a number of bytes as a person says it."""
    return f"{size / 1e6:,.1f} MB"


def _source_lines(citation: Citation) -> Iterator[Line]:
    yield Line(f"[{citation.number}] {on_one_line(citation.label)} ({on_one_line(citation.paper.id)})")
    for quote in citation.quotes:
        yield Line(f"“{on_one_line(quote.text)}”", indent=INDENT, style="dim")
    if citation.paper.url:
        yield Line(on_one_line(citation.paper.url), indent=INDENT, style="dim")


def _title(paper: Paper) -> str:
    return on_one_line(label(paper))
