"""What each format may hold besides the plain case, and how what is wrong in it is told."""

import gzip
import json
import time
from pathlib import Path

import pytest

from assistant.corpus import json_documents, read_papers, tables, xml_records
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

TEXT = "We measure tides with trees."


def read(tmp_path: Path, name: str, content: str | bytes) -> list[Paper | Skipped]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_papers(path))


def read_one(tmp_path: Path, name: str, content: str | bytes) -> Paper:
    (paper,) = read(tmp_path, name, content)
    assert isinstance(paper, Paper), paper
    return paper


def told(records: list[Paper | Skipped]) -> list[tuple[str, str]]:
    """Return the line and reason of what was skipped."""
    return [(record.place.rpartition(":")[2], record.reason) for record in records if isinstance(record, Skipped)]


def refused(tmp_path: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        read(tmp_path, name, content)
    return str(caught.value).removeprefix(f"{tmp_path}/")


# JSON


def test_a_list_of_any_length_is_read_an_entry_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "LONGEST_VALUE", 100_000)
    entries = [{"title": f"T{n}", "abstract": f"We count to {n}. " * 50} for n in range(500)]
    records = read(tmp_path, "a.json", json.dumps({"meta": {"count": 500}, "results": entries}))
    assert [record.title for record in records if isinstance(record, Paper)] == [f"T{n}" for n in range(500)]


def test_a_value_over_the_limit_ends_the_file_with_its_line(tmp_path: Path) -> None:
    content = '[\n{"abstract": "' + "x" * (2 * json_documents.LONGEST_VALUE) + '"}]'
    assert refused(tmp_path, "a.json", content).startswith("a.json:2: not JSON (")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('[{"abstract": "x"}]garbage', "a.json:1: not JSON (expected [ or {)."),
        ('[{"abstract": "x"}\n{"abstract": "y"}]', "a.json:2: not JSON (expected , or ])."),
        ('{"results": [{"abstract": "x"}', "a.json:1: not JSON (expected , or ])."),
        ("[" * 100_000, "a.json:1: not JSON (nested too deeply)."),
        ('{"a": ' * 100_000, "a.json:1: not JSON (nested too deeply)."),
        ('[{"year": ' + "9" * 5000 + "}]", "a.json:1: not JSON (a number that is too long)."),
        ("[{'abstract': 'x'}]", "a.json:1: not JSON (Expecting property name enclosed in double quotes)."),
        ("{1: 2}", "a.json:1: not JSON (expected a name in quotes)."),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(tmp_path: Path, content: str, reason: str) -> None:
    assert refused(tmp_path, "a.json", content) == reason


def test_an_object_without_papers_is_told_and_costs_no_record(tmp_path: Path) -> None:
    (skipped,) = read(tmp_path, "a.json", '{"status": "ok", "count": 0}')
    assert isinstance(skipped, Skipped)
    assert (skipped.reason, skipped.records) == ("no papers in this object", 0)


def test_a_single_entry_is_a_paper_and_its_references_are_none(tmp_path: Path) -> None:
    entry = {"title": "T", "abstract": TEXT, "references": [{"title": "Other"}], "NaN": float("nan")}
    assert read_one(tmp_path, "a.json", json.dumps(entry)).title == "T"


def test_a_note_of_openreview_alone_is_a_paper(tmp_path: Path) -> None:
    note = {"id": "n1", "content": {"title": {"value": "T"}, "abstract": {"value": TEXT}}}
    paper = read_one(tmp_path, "a.json", json.dumps(note))
    assert (paper.id, paper.title, paper.abstract) == ("n1", "T", TEXT)


@pytest.mark.parametrize(
    "document",
    [
        {"search-results": {"entry": [{"dc:title": "T", "dc:description": TEXT, "prism:coverDate": "2020-05-01"}]}},
        {"resultList": {"result": [{"title": "T", "abstractText": TEXT, "pubYear": "2020"}]}},
        {
            "hits": {
                "hits": [{"metadata": {"titles": [{"title": "T"}], "abstracts": [{"value": TEXT}], "date": "2020"}}]
            }
        },
        [{"key": "K", "data": {"title": "T", "abstractNote": TEXT, "date": "5/2020"}}],
        {"data": [{"attributes": {"titles": [{"title": "T"}], "descriptions": [{"description": TEXT}], "year": 2020}}]},
        {"bibjson": {"title": "T", "abstract": TEXT, "year": "2020"}},
        {"K": {"title": "T", "abstract": TEXT, "year": 2020}},
        [{"_source": {"title": "T", "abstract": [TEXT], "publication_date": "2020"}}],
    ],
)
def test_the_answers_of_other_services_are_read(tmp_path: Path, document: object) -> None:
    paper = read_one(tmp_path, "a.json", json.dumps(document))
    assert (paper.title, paper.abstract, paper.year) == ("T", TEXT, 2020)


def test_an_abstract_in_paragraphs_is_one(tmp_path: Path) -> None:
    entry = {"metadata": {"title": "T"}, "abstract": [{"text": "One."}, {"text": "Two."}]}
    assert read_one(tmp_path, "a.jsonl", json.dumps(entry)).abstract == "One.\nTwo."


@pytest.mark.parametrize("index", [{"We": ["a"]}, {"We": 0}, {"We": [True]}])
def test_an_inverted_index_that_is_none_is_told(tmp_path: Path, index: object) -> None:
    assert told(read(tmp_path, "a.jsonl", json.dumps({"abstract_inverted_index": index}))) == [
        ("1", "the abstract is not text")
    ]


def test_places_of_an_inverted_index_may_lie_far_apart(tmp_path: Path) -> None:
    paper = read_one(tmp_path, "a.jsonl", json.dumps({"abstract_inverted_index": {"sea": [10**15], "The": [0]}}))
    assert paper.abstract == "The sea"


def test_a_file_in_which_no_line_is_json_is_refused_without_its_content(tmp_path: Path) -> None:
    reason = refused(tmp_path, "a.jsonl", "root:x:0:0\nbin:x:1:1\n")
    assert reason == "a.jsonl:1: not JSON (Expecting value at column 1), nor is any other line."


# Identifiers


@pytest.mark.parametrize(
    ("fields", "doi"),
    [
        ({"doi": "https://doi.org/10.5555/a.b"}, "10.5555/a.b"),
        ({"DOI": "doi: 10.5555/a.b."}, "10.5555/a.b"),
        ({"url": "https://dx.doi.org/10.5555/a.b"}, "10.5555/a.b"),
        ({"externalIds": {"DOI": "10.5555/a.b", "CorpusId": 5}}, "10.5555/a.b"),
        ({"url": "https://example.org/10.5555/a.b"}, ""),
    ],
)
def test_a_doi_is_kept_without_the_address_of_its_resolver(tmp_path: Path, fields: dict[str, object], doi: str) -> None:
    assert read_one(tmp_path, "a.jsonl", json.dumps({"abstract": TEXT, **fields})).doi == doi


@pytest.mark.parametrize(
    "fields",
    [
        {"arxiv_id": "2101.00001v2"},
        {"arxiv": "arXiv:2101.00001"},
        {"url": "https://arxiv.org/abs/2101.00001v3"},
        {"pdf_url": "http://arxiv.org/pdf/2101.00001.pdf"},
        {"doi": "10.48550/arXiv.2101.00001"},
        {"externalIds": {"ArXiv": "2101.00001"}},
        {"id": "http://arxiv.org/abs/2101.00001v1"},
    ],
)
def test_the_number_at_arxiv_is_found_where_it_stands(tmp_path: Path, fields: dict[str, object]) -> None:
    paper = read_one(tmp_path, "a.jsonl", json.dumps({"abstract": TEXT, **fields}))
    assert ("arxiv", "2101.00001") in paper.extra


def test_a_number_that_only_looks_like_one_of_arxiv_is_none(tmp_path: Path) -> None:
    paper = read_one(tmp_path, "a.jsonl", json.dumps({"abstract": TEXT, "doi": "10.5555/2101.00001", "note": "1"}))
    assert paper.extra == (("note", "1"),)


def test_keywords_are_kept_as_one_text(tmp_path: Path) -> None:
    given = {"abstract": TEXT, "Author Keywords": ["sea", {"display_name": "moon"}]}
    assert read_one(tmp_path, "a.jsonl", json.dumps(given)).extra == (("keywords", "sea; moon"),)


# Tables


def test_a_quote_in_a_row_that_is_not_closed_costs_that_row(tmp_path: Path) -> None:
    rows = f'title,abstract\nA,"{TEXT}\nB,"{TEXT}"\nC,{TEXT}\n'
    records = read(tmp_path, "a.csv", rows)
    assert told(records) == [("2", "a quote that is not closed")]
    assert [record.title for record in records if isinstance(record, Paper)] == ["B", "C"]


def test_an_open_quote_does_not_swallow_a_long_table(tmp_path: Path) -> None:
    rows = 'title,abstract\nA,"open\n' + f"B,{TEXT}\n" * (2 * tables.MOST_LINES)
    records = read(tmp_path, "a.csv", rows)
    assert told(records) == [("2", "a quote that is not closed")]
    assert len(records) == 1 + 2 * tables.MOST_LINES


def test_a_table_of_nothing_but_open_quotes_is_read_in_time(tmp_path: Path) -> None:
    started = time.process_time()
    records = read(tmp_path, "a.csv", "title,abstract\n" + 'A,"open\n\n' * 20_001)
    assert len(records) > 10_000
    assert time.process_time() - started < 5


def test_a_cell_may_have_lines_and_doubled_quotes(tmp_path: Path) -> None:
    assert (
        read_one(tmp_path, "a.csv", 'title;abstract\nA;"He said ""yes"";\nthen no."\n').abstract
        == 'He said "yes";\nthen no.'
    )


def test_a_heading_may_stand_below_a_few_lines_of_prose(tmp_path: Path) -> None:
    assert read_one(tmp_path, "a.csv", f"Exported on Monday\n\nTitle,Abstract\nA,{TEXT}\n").title == "A"


def test_a_table_without_an_abstract_names_its_columns(tmp_path: Path) -> None:
    assert refused(tmp_path, "a.csv", "name,size\na,1\n") == (
        "a.csv:1: no column is called abstract; found: name, size. Name it in the first row."
    )


def test_a_text_that_a_spreadsheet_was_kept_from_running_is_as_it_was(tmp_path: Path) -> None:
    assert read_one(tmp_path, "a.csv", f"title,abstract\n'=A,{TEXT}\n").title == "=A"


def test_of_a_column_that_stands_twice_the_last_counts(tmp_path: Path) -> None:
    assert read_one(tmp_path, "a.csv", "abstract,abstract\nOne.,Two.\n").abstract == "Two."


# BibTeX


def bib(**fields: str) -> str:
    return "@article{k,\n" + ",\n".join(f"  {name} = {value}" for name, value in fields.items()) + "\n}\n"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"{The {BERT} of \emph{Seas} and {\em Tides}}", "The BERT of Seas and Tides"),
        (
            r"{Caf{\'e}, na{\"\i}ve, \v{C}ech, \o re, Stra{\ss}e, Erd\H{o}s, \c{c}a}",
            "Café, naïve, Čech, øre, Straße, Erdős, ça",
        ),
        (r"{$\alpha_{i}$-trees with \(\mathbf{x}\)}", r"$\alpha_{i}$-trees with \(\mathbf{x}\)"),
        (r"{5\% of \$4 \& more\_so}", "5% of $4 & more_so"),
        (r"{{\textquotedblleft}Hi{\textquotedblright} {\textless} 3 {\&} {\%}}", "“Hi” < 3 & %"),
        (r'"Quoted {"}well{"} enough"', 'Quoted "well" enough'),
        (r"{See \cite{x} and \input{/etc/passwd}}", r"See \cite{x} and \input{/etc/passwd}"),
        (r'sea # " and " # {moon}', "Tide and moon"),
        ("{Broken\n     over  lines}", "Broken over lines"),
    ],
)
def test_a_value_of_bibtex_is_the_text_that_is_meant(tmp_path: Path, written: str, meant: str) -> None:
    paper = read_one(tmp_path, "a.bib", '@STRING{sea = "Tide"}\n' + bib(title=written, abstract="{We try.}"))
    assert paper.title == meant


def test_macros_that_double_each_other_are_stopped(tmp_path: Path) -> None:
    macros = "".join(f"@string{{s{n} = s{n - 1} # s{n - 1} # s{n - 1} # s{n - 1}}}\n" for n in range(1, 16))
    content = '@string{s0 = "lololo"}\n' + macros + bib(abstract="s15") + bib(abstract="{We try.}")
    bad, good = read(tmp_path, "a.bib", content)
    assert isinstance(bad, Skipped)
    assert bad.reason == "the abstract is a macro that is not defined, or too long"
    assert isinstance(good, Paper)


@pytest.mark.parametrize("macros", ["@string{a = b}\n@string{b = a}\n", "@string{a = a # a}\n", ""])
def test_an_abstract_of_a_macro_that_has_no_value_is_told(tmp_path: Path, macros: str) -> None:
    (skipped,) = read(tmp_path, "a.bib", macros + bib(title="a", abstract="{We.}"))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "the title is a macro that is not defined, or too long"


def test_an_entry_in_parentheses_and_several_in_a_line_are_read(tmp_path: Path) -> None:
    content = (
        "@article(a, title={A}, abstract={We a.})\n"
        + "x @misc{b, title=2001, abstract={We b.}} @misc{c, abstract={We c.}}\n"
    )
    assert [record.id for record in read(tmp_path, "a.bib", content) if isinstance(record, Paper)] == ["a", "b", "c"]


def test_names_in_bibtex_part_at_and_outside_of_braces(tmp_path: Path) -> None:
    content = bib(
        author="{{Barnes and Noble} and de la Cruz, Mar{\\'\\i}a and\n Knuth, D. E. and others}", abstract="{We.}"
    )
    assert read_one(tmp_path, "a.bib", content).authors == ("Barnes and Noble", "María de la Cruz", "D. E. Knuth")


def test_text_between_entries_and_after_a_percent_sign_is_a_comment(tmp_path: Path) -> None:
    hidden = bib(abstract="{Not this.}").replace("\n", " ")
    content = f"Some words.\n%{hidden}\n@comment{{@article{{x, y={{z}}}}}}\n{bib(abstract='{This.}')}"
    assert read_one(tmp_path, "a.bib", content).abstract == "This."


# Tagged lines


def test_a_blank_line_in_an_abstract_of_ris_is_kept_as_a_break(tmp_path: Path) -> None:
    paper = read_one(tmp_path, "a.ris", "TY  - JOUR\nAB  - One\nhalf.\n\nTwo.\nER  - \n")
    assert paper.abstract == "One half.\nTwo."


def test_a_record_over_the_limit_costs_itself_only(tmp_path: Path) -> None:
    long = "TY  - JOUR\nAB  - " + "word word\n" * 120_000 + "ER  - \n"
    records = read(tmp_path, "a.ris", long + f"TY  - JOUR\nAB  - {TEXT}\nER  - \n")
    assert told(records) == [("1", "longer than 1,048,576 characters")]
    assert isinstance(records[1], Paper)


# XML


def test_parts_of_an_abstract_keep_their_labels(tmp_path: Path) -> None:
    parts = '<AbstractText Label="AIM">We <i>ask</i>.</AbstractText><AbstractText Label="UNLABELLED">So.</AbstractText>'
    content = f"<PubmedArticleSet><PubmedArticle><Abstract>{parts}</Abstract></PubmedArticle></PubmedArticleSet>"
    assert read_one(tmp_path, "a.xml", content).abstract == "AIM: We ask.\nSo."


@pytest.mark.parametrize("entity", ['<!ENTITY a "b">', '<!ENTITY a SYSTEM "file:///etc/passwd">', '<!ENTITY % a "b">'])
@pytest.mark.parametrize("name", ["a.xml", "a.atom"])
def test_a_file_that_declares_an_entity_is_refused(tmp_path: Path, name: str, entity: str) -> None:
    reason = refused(tmp_path, name, f"<!DOCTYPE x [{entity}]><feed><entry><summary>&a;</summary></entry></feed>")
    assert reason == f"{name}:1: declares an entity, which no list of papers needs and an attack does."


def test_depth_and_size_of_xml_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nested too deeply" in refused(tmp_path, "a.atom", "<feed>" + "<a>" * 200)
    monkeypatch.setattr(xml_records, "LONGEST_RECORD", 1000)
    long = f"<feed><entry><summary>{'x' * 2000}</summary></entry></feed>"
    assert "a record is longer than 1,000 characters" in refused(tmp_path, "a.atom", long)


def test_xml_in_latin_1_is_read_with_and_without_its_declaration(tmp_path: Path) -> None:
    feed = "<feed><entry><summary>Le caf\xe9 est noir.</summary></entry></feed>".encode("latin-1")
    for head in (b"", b'<?xml version="1.0" encoding="ISO-8859-1"?>'):
        assert read_one(tmp_path, "a.atom", head + feed).abstract == "Le café est noir."


# Plain text and Markdown


def test_a_label_before_an_abstract_is_not_part_of_it(tmp_path: Path) -> None:
    records = read(tmp_path, "a.txt", "Abstract: We one.\n\nABSTRACT — We two.\n\nAbstract\nWe three.\n")
    assert [record.abstract for record in records if isinstance(record, Paper)] == ["We one.", "We two.", "We three."]


def test_a_word_abstract_that_is_no_label_stays(tmp_path: Path) -> None:
    assert (
        read_one(tmp_path, "a.txt", "Abstract interpretation is old.\n").abstract == "Abstract interpretation is old."
    )


def test_abstracts_cut_to_a_width_have_no_titles(tmp_path: Path) -> None:
    block = "We study how the sea rises along the coasts of\nEurope and how trees can say so\nbefore it does.\n"
    records = read(tmp_path, "a.txt", f"{block}\n{block.replace('sea', 'moon')}")
    assert [record.title for record in records if isinstance(record, Paper)] == ["", ""]


def test_code_and_lists_in_a_section_of_markdown_are_its_text(tmp_path: Path) -> None:
    content = "## A Title\n\nWe show two things.\n\n- One of them.\n- The other.\n\n```\n## no heading\n```\n"
    paper = read_one(tmp_path, "a.md", content)
    assert paper.title == "A Title"
    assert "- One of them." in paper.abstract


def test_items_with_a_link_names_and_a_quoted_abstract_are_papers(tmp_path: Path) -> None:
    content = "1. [A Net](https://arxiv.org/abs/2101.00001) - Ann Bee, Carl Dee, 2020\n   > We do it.\n"
    paper = read_one(tmp_path, "a.md", "# List\n\n" + content)
    assert (paper.title, paper.authors, paper.year) == ("A Net", ("Ann Bee", "Carl Dee"), 2020)
    assert (paper.abstract, paper.url) == ("We do it.", "https://arxiv.org/abs/2101.00001")


@pytest.mark.parametrize("heading", ["# Papers\n\n", ""])
def test_paragraphs_below_one_heading_of_markdown_are_abstracts(tmp_path: Path, heading: str) -> None:
    records = read(tmp_path, "a.md", heading + "We do it well.\n\nWe do that.\n")
    assert [record.abstract for record in records if isinstance(record, Paper)] == ["We do it well.", "We do that."]


def test_a_table_of_markdown_is_read(tmp_path: Path) -> None:
    assert read_one(tmp_path, "a.md", "| Title | Abstract |\n|:---|---|\n| A | We do it. |\n").title == "A"


def test_a_heading_below_a_line_of_prose_that_speaks_of_abstracts_is_found(tmp_path: Path) -> None:
    prose = '"About the data: exported on May 1, 2024, with ""tides"" in title and abstract of the papers."'
    assert read_one(tmp_path, "a.csv", f"{prose}\nRank,Title,Abstract\n1,A,We do it.\n").title == "A"


# Repairs


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("<p>We use CO<sub>2</sub> &amp; <i>E. coli</i>.</p>", "We use CO2 & E. coli."),
        ("<jats:title>Abstract</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One.\nTwo."),
        ("p &amp;lt; 0.05", "p < 0.05"),
        ("if a <b and c> d then", "if a <b and c> d then"),
        ("for all x<i>0 and y<b>1", "for all x<i>0 and y<b>1"),
        ("x<p>y without an end tag is $x<p>y$", "x\ny without an end tag is $x\ny$"),
        ("<img src=x onerror=alert(1)> We.", "<img src=x onerror=alert(1)> We."),
        ("Itâ€™s the MÃ¼ller model.", "It's the Müller model.".replace("'", "’")),
        ("eﬃcient ﬁlters", "efficient filters"),
        ("AT&T and R&D;", "AT&T and R&D;"),
        ("$\\alpha < \\beta$ and \\'etude", "$\\alpha < \\beta$ and \\'etude"),
        ("Â is a letter, Ã too.", "Â is a letter, Ã too."),
    ],
)
def test_an_abstract_is_kept_but_for_what_a_file_certainly_did_to_it(tmp_path: Path, given: str, kept: str) -> None:
    assert read_one(tmp_path, "a.jsonl", json.dumps({"abstract": given})).abstract == kept


# Compressed files


def test_a_compressed_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    line = json.dumps({"abstract": TEXT}) + "\n"
    for name in ("a.jsonl.gz", "a.jsonl", "bare"):
        assert read_one(tmp_path, name, gzip.compress(line.encode())).abstract == TEXT


def test_a_damaged_compressed_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress((json.dumps({"abstract": TEXT}) + "\n").encode() * 5000)
    for broken in (whole[:-20], whole[:-8] + bytes(8), whole[:40] + b"\xff" * 40 + whole[80:]):
        assert refused(tmp_path, "a.jsonl.gz", broken) == (
            "a.jsonl.gz: the gzip file is damaged. Copy it again from where it came."
        )


def test_a_file_that_inflates_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.corpus.files.LARGEST_FILE", 2**20)
    bomb = gzip.compress(b"A" * 2**22)
    assert refused(tmp_path, "a.jsonl.gz", bomb) == "a.jsonl.gz: inflates to more than 1,048,576 bytes. Split it."


def test_a_tar_archive_is_refused_for_what_it_is(tmp_path: Path) -> None:
    archive = gzip.compress(b"list.txt".ljust(257, b"\0") + b"ustar\0" + bytes(500))
    assert refused(tmp_path, "a.jsonl.gz", archive) == "a.jsonl.gz: is a tar archive, not a text file of papers."
