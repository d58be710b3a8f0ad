"""Text of papers, users and models on the page: literal, linked and marked, never markup."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.chat.cards import render_sources
from assistant.chat.exchange import Exchange
from assistant.chat.page import address, escape, link_markers, mark_quotes, split_paragraphs
from assistant.chat.transcript import NO_ANSWER, render_exchange, render_welcome
from assistant.domain import Answer, AnswerSentence, Citation, Paper, Quote, Retrieved
from assistant.text.invisible import remove_invisible
from tests.fakes import make_paper
from tests.scripted import HERON, SPARROW, STORK, answer_from, cite, quote

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "![x](https://evil.example/p.png)",
    "[click](javascript:alert(1))",
    "<style>*{display:none}</style>",
    "{{7*7}} ${7*7} $$\\href{javascript:alert(1)}{x}$$",
    "</textarea></title><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
)
TAG = re.compile(r"<[^<>]*>")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.sampled_from(HOSTILE)


@st.composite
def quoted_abstracts(draw: st.DrawFn) -> tuple[str, tuple[Quote, ...]]:
    abstract = draw(texts.filter(bool))
    edges = st.integers(0, len(abstract))
    spans = draw(st.lists(st.tuples(edges, edges).filter(lambda span: span[0] < span[1]), max_size=6))
    return abstract, tuple(Quote(abstract[start:end], start, end) for start, end in spans)


def exchange_of(text: str, paper: Paper) -> Exchange:
    citation = Citation(1, paper, text, (Quote(paper.abstract[:5], 0, 5),))
    answer = Answer(text, text, f"{text} [1]", (citation,), (Retrieved(paper, text, 1.0),), notice=text, answerer=text)
    return Exchange(1, text, steps=(text,), answer=answer, text=answer.text)


def read_tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    tags: list[tuple[str, dict[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append((tag, dict(attrs)))  # type: ignore[method-assign]
    parser.feed(html)
    return tags


@given(texts)
@example("a<b and c>d, $5 to $10, x|y & **z**")
def test_any_text_is_shown_literally(text: str) -> None:
    html = escape(text)
    assert not set("<>\"'") & set(html)
    assert unescape(html) == remove_invisible(text)


@given(quoted_abstracts())
def test_marking_changes_no_character_of_the_abstract(given_: tuple[str, tuple[Quote, ...]]) -> None:
    abstract, quotes = given_
    html = mark_quotes(abstract, quotes)
    assert set(TAG.findall(html)) <= {"<mark>", "</mark>", "<br>"}
    # Cut into pieces, an escape sequence or a joiner may be kept that the whole text loses.
    shown = remove_invisible(unescape(TAG.sub("", html.replace("<br>", "\n"))))
    assert shown.split() == remove_invisible(abstract).split()


@given(st.text("abc \t", min_size=1, max_size=60), st.data())
def test_exactly_the_quoted_characters_are_marked(abstract: str, data: st.DataObject) -> None:
    edges = st.integers(0, len(abstract))
    spans = data.draw(st.lists(st.tuples(edges, edges), max_size=6))
    quotes = [Quote(abstract[start:end], start, end) for start, end in spans]
    marked: list[bool] = []
    inside = False
    for piece in re.split(r"(</?mark>)", mark_quotes(abstract, quotes)):
        if piece in ("<mark>", "</mark>"):
            assert inside == (piece == "</mark>")
            inside = piece == "<mark>"
        else:
            marked += [inside] * len(piece)
    quoted = {place for start, end in spans for place in range(start, end)}
    assert [place in quoted for place in range(len(abstract))] == marked


def test_quotes_that_overlap_share_a_mark_and_quotes_that_touch_keep_their_own() -> None:
    abstract = "one two three"
    overlap = [Quote("one two", 0, 7), Quote("two three", 4, 13), Quote("one two", 0, 7)]
    touching = [Quote("one ", 0, 4), Quote("two", 4, 7)]
    assert mark_quotes(abstract, overlap) == "<mark>one two three</mark>"
    assert mark_quotes(abstract, touching) == "<mark>one </mark><mark>two</mark> three"


def test_a_quote_beyond_the_abstract_is_cut_at_its_end() -> None:
    assert mark_quotes("abc", [Quote("c…", 2, 9), Quote("", 7, 9)]) == "ab<mark>c</mark>"


@given(texts)
def test_only_tags_of_ours_stand_on_the_page(text: str) -> None:
    paper = make_paper(id=text, abstract=text or "none", title=text, authors=(text,), venue=text, url=text, doi=text)
    exchange = exchange_of(text, paper)
    failed = Exchange(2, text, problem=text)
    page = render_exchange(exchange) + render_exchange(failed) + render_sources((exchange,)) + render_welcome(1, text)
    tags = read_tags(page)
    assert {name for name, _ in tags} <= {
        *("article", "div", "section", "details", "summary", "p", "ol", "li"),
        *("a", "i", "br", "strong", "h2", "h3", "h4", "h5", "span", "code", "mark"),
    }
    assert {attribute for _, attributes in tags for attribute in attributes} <= {
        *("id", "class", "dir", "role", "tabindex", "title", "href", "target", "rel"),
        *("aria-live", "aria-busy", "data-turn", "data-testid", "data-again"),
    }
    assert page.count("<") == page.count(">") == len(TAG.findall(page))


def test_markers_of_citations_become_links_to_the_cards_of_their_turn() -> None:
    html = link_markers("Fast [1][2] but [7] no.", 3, (cite(1, HERON, "Graphs grow."), cite(2, STORK, "Stork")))
    assert re.findall(r'href="(#[^"]+)"', html) == ["#t3-1", "#t3-2"]
    assert unescape(TAG.sub("", html)) == "Fast\xa0[1][2] but [7] no."
    assert "“Graphs grow.”" in html


def test_words_between_double_stars_are_bold_and_other_stars_stay() -> None:
    html = link_markers("**Heron <1>**: 2 ** 3 ** 4, *x*, ****, **half [1]", 1, ())
    assert html == "<strong>Heron &lt;1&gt;</strong>: 2 ** 3 ** 4, *x*, ****, **half [1]"


def test_blank_lines_part_paragraphs() -> None:
    assert split_paragraphs("one\n \n two\nthree ") == ["one", "two\nthree"]
    assert mark_quotes("one\n\ntwo", [Quote("one\n\ntwo", 0, 8)]) == "<mark>one<br><br>two</mark>"


@pytest.mark.parametrize(
    ("url", "doi", "expected"),
    [
        ("https://www.example.org/a?b=1&c=2", "", "https://www.example.org/a?b=1&c=2"),
        ("HTTP://example.org:8080/ä", "", "HTTP://example.org:8080/%C3%A4"),
        ("", "10.1234/x.1", "https://doi.org/10.1234/x.1"),
        ("", "https://doi.org/10.1234/x<1>", "https://doi.org/10.1234/x%3C1%3E"),
        ("", "doi: 10.1234/x", "https://doi.org/10.1234/x"),
        ("javascript:alert(1)", "10.1234/x", "https://doi.org/10.1234/x"),
        ("java\u200bscript:alert(1)", "", ""),
        ("file:///etc/passwd", "", ""),
        ("http://169.254.169.254/latest", "", ""),
        ("http://localhost/x", "", ""),
        ("http://[::1]/x", "", ""),
        ("https://example.org@evil.example/", "", ""),
        ("https://evil.example\\@example.org/", "", ""),
        ("https://example.org/a b", "", ""),
        ("//example.org/a", "", ""),
        ("", "not a doi", ""),
    ],
)
def test_a_link_leads_to_the_web_address_of_the_record_or_its_doi_or_nowhere(url: str, doi: str, expected: str) -> None:
    assert address(make_paper(url=url, doi=doi)) == expected


def test_a_card_shows_the_paper_and_marks_its_quotes() -> None:
    answer = answer_from("What is Sparrow?", "It is. [1]", cite(1, SPARROW, "We propose Sparrow"))
    html = render_sources((Exchange(2, "What is Sparrow?", answer=answer),))
    shown = unescape(TAG.sub(" ", html))
    assert 'id="t2-1"' in html
    assert "<mark>We propose Sparrow</mark>" in html
    assert "Ada Lovelace, Alan Turing, Grace Hopper et al." in shown
    for fact in ("2025", "ICML", "doi.org", "list#1", "Also retrieved", HERON.title, "$O(n^2)$ of memory, $5 to $10"):
        assert fact in shown


def test_the_newest_sources_stand_first_and_alone_open() -> None:
    one = Exchange(1, "One?", answer=answer_from("One?", "A [1]", cite(1, SPARROW, "Attention")))
    two = Exchange(2, "Two?", answer=answer_from("Two?", "B [1]", cite(1, HERON, "Graphs")))
    html = render_sources((one, two, Exchange(3, "Three?", problem="Busy.")))
    assert html.index("Two?") < html.index("One?")
    assert re.findall(r'class="(group[^"]*)" data-turn="(\d)"', html) == [("group current", "2"), ("group", "1")]


def test_an_abstention_shows_what_was_nearest() -> None:
    answer = answer_from("Who won?", "The papers do not answer this.")
    html = render_sources((Exchange(1, "Who won?", answer=answer),))
    assert "Nearest papers, none of them cited" in html
    assert "Also retrieved" not in html


def show_answer(answer: Answer) -> str:
    return render_exchange(Exchange(1, answer.question, answer=answer, text=answer.text))


def test_the_label_that_a_paragraph_opens_with_is_bold() -> None:
    citation = cite(1, SPARROW, SPARROW.abstract[:10])
    page = show_answer(
        Answer("Which?", "Which?", f"{citation.label}: it is fast. [1]\n\nNo label: plain.", (citation,))
    )
    assert f"<strong>{escape(citation.label)}:</strong> it is fast." in page
    assert "<strong>No label" not in page


def test_notices_stand_below_the_answer() -> None:
    html = show_answer(Answer("Q", "Q", "A.", notice="The model is down.", reason="Too far.", removed_markers=2))
    for told in ("The model is down.", "Too far.", "2 citations that name no paper were removed.", "no model at work"):
        assert html.count(told) == 1


@pytest.mark.parametrize("notice", ["", "The model fell silent. The answer is incomplete."])
def test_an_answer_that_breaks_off_is_said_to_be_incomplete_once(notice: str) -> None:
    assert show_answer(Answer("Q", "Q", "A.", notice=notice, incomplete=True)).count("The answer is incomplete.") == 1


def test_an_abstention_is_not_said_to_be_quoted_or_written_by_a_model() -> None:
    for answerer in ("extractive", "some-model"):
        html = show_answer(Answer("Q", "Q", "No paper answers this.", abstained=True, answerer=answerer))
        assert f'<p class="byline">{NO_ANSWER}</p>' in html
        assert "quoted" not in html
        assert "some-model" not in html


def test_sentences_that_the_papers_do_not_hold_are_marked_where_they_stand() -> None:
    sentences = (
        AnswerSentence("Heron is fast [1].", (1,), "supported"),
        AnswerSentence("It cures <cats>. [1][2]", (1, 2), "not supported"),
        AnswerSentence("It is old.", (), "not supported"),
        AnswerSentence("It is partly new [1].", (1,), "partly"),
        AnswerSentence("It is fast [1].", (1,), "not supported"),
    )
    text = "Heron is fast [1]. It cures <cats>. [1][2] It is old.\n\nIt is partly new [1]. It is fast [1]. The end."
    answer = Answer("Q", "Q", text, (cite(1, HERON, "Graphs"), cite(2, STORK, "Stork")), sentences=sentences)
    html = show_answer(answer)
    body = html.partition('<div class="answer">')[2].partition("</div>")[0]
    marked = re.sub(r'<span class="doubt">([^<]*)</span>', r"{\1}", body).replace("</p>", "\n")
    assert unescape(TAG.sub("", marked)).replace("\xa0", " ").splitlines() == [
        "Heron is fast [1]. It cures <cats>. [1][2] {not found in the cited papers} It is old. {no paper cited}",
        "It is partly new [1]. {only in part found in the cited paper} It is fast [1]. "
        "{not found in the cited paper} The end.",
    ]


def test_a_sentence_that_is_not_found_in_the_text_marks_nothing() -> None:
    lost = AnswerSentence("Somewhere else.", (1,), "not supported")
    assert "doubt" not in show_answer(Answer("Q", "Q", "Here.", sentences=(lost,)))


def test_a_number_of_any_length_is_no_marker_of_ours() -> None:
    assert link_markers(f"[{'9' * 5_000}] [01]", 1, (cite(1, HERON, "Graphs"),)) == f"[{'9' * 5_000}] [01]"


def test_the_welcome_counts_the_papers_and_tells_who_answers() -> None:
    assert "Ask 1,200 papers" in render_welcome(1_200, "")
    assert "Ask 1 paper<" in render_welcome(1, "")
    assert "first question reads the papers" in render_welcome(0, "")
    assert "byline" not in render_welcome(1, "")
    assert "no model at work" in render_welcome(1, "extractive")
    assert "Written by &lt;qwen&gt;" in render_welcome(1, "<qwen>")


def test_quotes_of_the_script_are_verbatim() -> None:
    given_ = quote(HERON, "a<b and c>d")
    assert HERON.abstract[given_.start : given_.end] == given_.text
