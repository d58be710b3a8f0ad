"""What is written in a format is what is read from it, whatever the text; repairs leave sound text alone."""

import csv
import io
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assistant.corpus import read_papers
from assistant.corpus.latex import decode_accents, decode_text
from assistant.corpus.repair import repair
from assistant.domain import Paper

LINE = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp", "Cn", "Co"]), min_size=1, max_size=80
)
PROSE = LINE.map(lambda text: " ".join(text.split())).filter(lambda text: any(map(str.isalpha, text)))
SOUND = PROSE.filter(lambda text: repair(text) == text and not set(text) & set("\\{}%$&~<"))
"""Text that no format has a meaning of its own for."""


def write_jsonl(title: str, abstract: str) -> str:
    return json.dumps({"title": title, "abstract": abstract}) + "\n"


def write_json(title: str, abstract: str) -> str:
    return json.dumps({"results": [{"title": title, "abstract": abstract}]}, indent=1, ensure_ascii=False)


def write_csv(title: str, abstract: str) -> str:
    table = io.StringIO()
    csv.writer(table).writerows([["title", "abstract"], [title, abstract]])
    return table.getvalue()


def write_ris(title: str, abstract: str) -> str:
    return f"TY  - JOUR\r\nTI  - {title}\r\nAB  - {abstract}\r\nER  - \r\n"


def write_bibtex(title: str, abstract: str) -> str:
    return f"@article{{k,\n  title = {{{title}}},\n  abstract = {{{abstract}}}\n}}\n"


def write_endnote(title: str, abstract: str) -> str:
    return f"%0 Journal Article\n%T {title}\n%X {abstract}\n"


def write_atom(title: str, abstract: str) -> str:
    escaped = [text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for text in (title, abstract)]
    return f"<feed><entry><title>{escaped[0]}</title><summary>{escaped[1]}</summary></entry></feed>"


WRITERS = {
    "a.jsonl": write_jsonl,
    "a.json": write_json,
    "a.csv": write_csv,
    "a.ris": write_ris,
    "a.bib": write_bibtex,
    "a.enw": write_endnote,
    "a.atom": write_atom,
}


@pytest.mark.parametrize("name", WRITERS)
@given(title=SOUND, abstract=SOUND)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, title: str, abstract: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "written" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(WRITERS[name](title, abstract).encode())
    (paper,) = read_papers(path)
    assert isinstance(paper, Paper)
    assert (paper.title, paper.abstract) == (title, abstract)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@given(abstract=SOUND)
def test_a_text_in_any_encoding_of_unicode_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, encoding: str, abstract: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{encoding}.jsonl"
    path.write_bytes(json.dumps({"abstract": abstract}, ensure_ascii=False).encode(encoding))
    (paper,) = read_papers(path)
    assert isinstance(paper, Paper)
    assert paper.abstract == abstract


@given(PROSE)
def test_a_repaired_text_needs_no_second_repair(text: str) -> None:
    once = repair(text)
    assume("&" not in once)
    assert repair(once) == once


@given(PROSE)
def test_a_text_without_commands_is_left_alone(text: str) -> None:
    plain = text.replace("\\", "")
    assert decode_accents(plain) == plain


@given(st.text("\\'\"`^~{}[]()$aeioucvHk &%#_-\n", max_size=200))
def test_any_mixture_of_signs_of_latex_is_decoded_to_something(text: str) -> None:
    decode_accents(text)
    decode_text(text)


@given(st.text("xyz+-\\{}_^ ", max_size=40))
def test_a_formula_stays_as_it_is(inside: str) -> None:
    assume("$" not in inside and not inside.endswith("\\"))
    assert f"${inside}$" in decode_text(f"{{\\'e}} ${inside}$ {{\\'e}}")
