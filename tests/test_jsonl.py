"""JSON lines: what an entry may hold, and how a bad one is told without losing the others."""

import json
from pathlib import Path

import pytest

from assistant.corpus import read_papers
from assistant.corpus.entry import LONGEST_ABSTRACT, MOST_EXTRA
from assistant.corpus.files import BLOCK
from assistant.corpus.lines import LONGEST_LINE
from assistant.domain import Paper, Skipped

GOOD = '{"id": "good", "abstract": "A good one."}'


def read(tmp_path: Path, *lines: str | bytes) -> list[Paper | Skipped]:
    path = tmp_path / "list.jsonl"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    return list(read_papers(path))


def read_one(tmp_path: Path, **fields: object) -> Paper:
    (paper,) = read(tmp_path, json.dumps({"abstract": "Words.", **fields}))
    assert isinstance(paper, Paper), paper
    return paper


def test_every_field_of_an_entry_is_kept(tmp_path: Path) -> None:
    paper = read_one(
        tmp_path,
        id=" p-1 ",
        title="  A  title\nof two lines ",
        abstract="\n First.\r\n  Second $x$. \n",
        authors=["Ada  Lovelace", " ", "Alan Turing"],
        year=2020,
        venue="ICML",
        url="https://example.org/p-1",
        doi="10.1/x",
        score=0.5,
        open=True,
        note="kept",
        nested={"a": 1},
        tags=["b"],
        nothing=None,
    )
    assert paper == Paper(
        id="p-1",
        abstract="First.\r\n  Second $x$.",
        title="A title of two lines",
        authors=("Ada Lovelace", "Alan Turing"),
        year=2020,
        venue="ICML",
        url="https://example.org/p-1",
        doi="10.1/x",
        source="list.jsonl",
        extra=(("keywords", "b"), ("score", "0.5"), ("open", "True"), ("note", "kept")),
    )


def test_a_line_in_latin_1_is_read(tmp_path: Path) -> None:
    paper, _ = read(tmp_path, b'{"abstract": "Caf\xe9 au lait \x96 no\xebl."}', GOOD)
    assert isinstance(paper, Paper)
    assert paper.abstract == "Café au lait – noël."


def test_an_abstract_over_the_limit_is_told(tmp_path: Path) -> None:
    line = json.dumps({"abstract": "word " * (LONGEST_ABSTRACT // 5 + 1)})
    assert read(tmp_path, line, GOOD)[0] == Skipped(
        f"{tmp_path}/list.jsonl:1", "the abstract is longer than 100,000 characters"
    )


def test_fields_that_are_empty_or_missing_are_empty(tmp_path: Path) -> None:
    paper = read_one(tmp_path, title=None, authors=None, year="", venue="", id=None)
    assert paper == Paper(id="list#1", abstract="Words.", source="list.jsonl")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("Lovelace, Ada; Turing, Alan", ("Ada Lovelace", "Alan Turing")),
        ("Lovelace, Ada and Turing, Alan", ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace, Alan Turing and Kurt Sandler", ("Ada Lovelace", "Alan Turing", "Kurt Sandler")),
        ("Ada Lovelace, Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("Lovelace, Ada", ("Ada Lovelace",)),
        ("King, Martin Luther, Jr.", ("Martin Luther King Jr.",)),
        ("Ada Lovelace et al.; et al.", ("Ada Lovelace et al.",)),
        ("Acme, Inc.", ("Acme, Inc.",)),
        ("Smith J.; Doe A.", ("Smith J.", "Doe A.")),
        (["Erd\\H{o}s, Paul", 'G{\\"o}del, Kurt'], ("Paul Erdős", "Kurt Gödel")),
        ([{"name": "Ada Lovelace"}, {"given": "Alan", "family": "Turing"}], ("Ada Lovelace", "Alan Turing")),
        (
            [{"author": {"display_name": "Ada Lovelace"}}, {"first": "Alan", "last": "Turing"}],
            ("Ada Lovelace", "Alan Turing"),
        ),
        ([["Lovelace", "Ada", ""], ["King", "Martin", "Jr."]], ("Ada Lovelace", "Martin King Jr.")),
        ({"value": ["Ada Lovelace"]}, ("Ada Lovelace",)),
        ("Ada Lovelace and Alan Turing and Kurt Sandler", ("Ada Lovelace", "Alan Turing", "Kurt Sandler")),
        ("Ada Lovelace", ("Ada Lovelace",)),
        ("", ()),
        ([], ()),
    ],
)
def test_authors_are_a_list_or_a_text(tmp_path: Path, given: object, names: tuple[str, ...]) -> None:
    assert read_one(tmp_path, authors=given).authors == names


@pytest.mark.parametrize(
    "year",
    [
        2020,
        2020.0,
        "2020",
        " 2020 ",
        "2020-05-01",
        "May 2020",
        "2020/03/01/",
        "2020-05-01T10:00:00Z",
        [2020],
        {"date-parts": [[2020, 3]]},
        {"value": 2020},
        1_590_000_000_000,
        [{"version": "v1", "created": "Mon, 6 Apr 2020 19:18:42 GMT"}],
    ],
)
def test_a_year_is_a_number_or_a_text_with_one_in_it(tmp_path: Path, year: object) -> None:
    assert read_one(tmp_path, year=year).year == 2020


@pytest.mark.parametrize("year", ["MMXX", -1, 0, 10**30, 1e308, True, [], "2019/2020", "12020"])
def test_a_year_that_is_none_costs_no_paper(tmp_path: Path, year: object) -> None:
    assert read_one(tmp_path, year=year).year is None


def test_what_stands_for_a_year_is_kept_in_words(tmp_path: Path) -> None:
    assert read_one(tmp_path, year="in press", pages=4).extra == (("year", "in press"), ("pages", "4"))
    assert read_one(tmp_path, year=2020).extra == ()


@pytest.mark.parametrize("id", [5, "../../etc/passwd", "-rf", "'; DROP TABLE x;--", "a b", "ключ"])
def test_an_id_may_be_any_short_text_or_a_whole_number(tmp_path: Path, id: object) -> None:
    assert read_one(tmp_path, id=id).id == str(id)


@pytest.mark.parametrize("id", ["", " ", None])
def test_an_entry_without_an_id_has_file_and_line(tmp_path: Path, id: object) -> None:
    _, paper = read(tmp_path, GOOD, json.dumps({"id": id, "abstract": "Words."}))
    assert isinstance(paper, Paper)
    assert paper.id == "list#2"


BAD = {
    "the id holds a character that cannot be printed": ['{"id": "a\\u0000b"}', '{"id": "\\u202e"}', '{"id": "a\\nb"}'],
    "the id is longer than 200 characters": [json.dumps({"id": "x" * 201})],
    "the id is not text": ['{"id": ["l"]}', '{"id": true}', '{"id": 1.5}', '{"id": {}}'],
    "the title is not text": ['{"abstract": "W", "title": 5}', '{"abstract": "W", "title": {"a": 1}}'],
    "the title holds a broken character": ['{"abstract": "W", "title": "a\\u0000"}'],
    "the url is not text": ['{"abstract": "W", "url": ["x", "y"]}', '{"abstract": "W", "url": 5}'],
    "the abstract is not text": ['{"abstract": ["a", "b"]}', '{"abstract": 5}'],
    "the abstract holds a broken character": ['{"abstract": "a \\ud83d b"}', '{"abstract": "a\\u0000"}'],
    "no abstract": ["{}", '{"abstract": null}', '{"abstract": ""}', '{"abstract": " \\n"}'],
    "no words in the abstract": ['{"abstract": "123 -- ?"}'],
    "the authors are not a list of names": [
        '{"abstract": "W", "authors": [null, {"x": 1}]}',
        '{"abstract": "W", "authors": 5}',
    ],
    "the authors holds a broken character": ['{"abstract": "W", "authors": ["\\udc00"]}'],
    "the name of a field holds a broken character": ['{"abstract": "W", "\\udc00": 1}'],
    "not an entry (no JSON object)": ["1", '"str"', "null", "[]", "true"],
    "not an entry (NaN is not JSON)": ['{"abstract": "W", "x": NaN}'],
    "not an entry (-Infinity is not JSON)": ['{"abstract": "W", "x": -Infinity}'],
    "not an entry (nested too deeply)": ['{"a":' * 100_000 + "1" + "}" * 100_000, "[" * 100_000],
    "not an entry (a number that is too long)": ['{"abstract": "W", "x": ' + "9" * 10_000 + "}"],
    "not JSON (Extra data at column 3)": ["{}{}"],
    "not JSON (Expecting value at column 1)": ["x", "\0\0\0"],
}


@pytest.mark.parametrize(("reason", "line"), [(reason, line) for reason, lines in BAD.items() for line in lines])
def test_a_bad_line_is_told_with_its_place_and_the_others_are_read(tmp_path: Path, reason: str, line: str) -> None:
    first, bad, last = read(tmp_path, GOOD, line, GOOD)
    assert bad == Skipped(f"{tmp_path}/list.jsonl:2", reason)
    assert isinstance(first, Paper)
    assert isinstance(last, Paper)


def test_bytes_that_are_not_utf_8_cost_their_line_only(tmp_path: Path) -> None:
    bad, good = read(tmp_path, b'{"abstract": "\xff\xfe\x80", "title": "\xc3\x28"}', GOOD)
    assert bad == Skipped(f"{tmp_path}/list.jsonl:1", "not UTF-8 at byte 15")
    assert isinstance(good, Paper)


@pytest.mark.parametrize("length", [LONGEST_LINE + 1, 3 * LONGEST_LINE])
def test_a_line_over_the_limit_costs_itself_only(tmp_path: Path, length: int) -> None:
    _, long, good = read(tmp_path, GOOD, '{"abstract": "' + "x" * length + '"}', GOOD)
    assert long == Skipped(f"{tmp_path}/list.jsonl:2", "longer than 1,048,576 bytes")
    assert isinstance(good, Paper)


def test_a_long_last_line_without_a_break_is_told(tmp_path: Path) -> None:
    last = read(tmp_path, GOOD, "x" * (2 * LONGEST_LINE))[-1]
    assert last == Skipped(f"{tmp_path}/list.jsonl:2", "longer than 1,048,576 bytes")


def test_a_line_of_the_longest_length_is_read(tmp_path: Path) -> None:
    line = '{"abstract": "Words.", "more": "' + "x" * (LONGEST_LINE - 34) + '"}'
    assert len(line) == LONGEST_LINE
    assert all(isinstance(record, Paper) for record in read(tmp_path, line, line))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("more", [-2, -1, 0, 1])
def test_a_line_break_between_two_blocks_of_reading_is_one(tmp_path: Path, ending: str, more: int) -> None:
    line = GOOD + " " * (BLOCK - len(GOOD) + more)
    records = read(tmp_path, line + ending + "bad" + ending + GOOD)
    assert isinstance(records[0], Paper)
    assert records[1] == Skipped(f"{tmp_path}/list.jsonl:2", "not JSON (Expecting value at column 1)")
    assert isinstance(records[2], Paper)


def test_records_part_at_line_feeds_only(tmp_path: Path) -> None:
    paper = '{"id": "u", "abstract": "a\u2028b\u2029c\u0085d"}'
    assert [record.abstract for record in read(tmp_path, "", paper, " ", GOOD) if isinstance(record, Paper)] == [
        "a\u2028b\u2029c\u0085d",
        "A good one.",
    ]


def test_of_a_name_that_stands_twice_the_last_counts(tmp_path: Path) -> None:
    (paper,) = read(tmp_path, '{"id": "a", "id": "b", "abstract": "x"}')
    assert isinstance(paper, Paper)
    assert paper.id == "b"


def test_only_so_many_further_fields_are_kept(tmp_path: Path) -> None:
    paper = read_one(tmp_path, **{f"k{number}": number for number in range(5000)})
    assert len(paper.extra) == MOST_EXTRA
