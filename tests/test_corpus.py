"""Files of papers are found, read by the reader of their format, or refused in one clear line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus import files, find_files, read_all, read_papers
from assistant.corpus.formats import list_suffixes
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError, UnknownFormat

SEEDS = Path(__file__).parent.parent / "seeds"
LINE = '{"id": "a", "title": "T", "abstract": "We read words."}\n'


def write(path: Path, content: str | bytes = LINE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_the_seeds_are_55_papers_with_ids_that_stay() -> None:
    read = [list(read_papers(path)) for path in find_files([SEEDS])]
    assert [len(papers) for papers in read] == [17, 19, 19]
    papers = [paper for papers in read for paper in papers if isinstance(paper, Paper)]
    assert len({paper.id for paper in papers}) == 55
    assert papers[5].id == "000_7fa5d757957c3112#6"
    assert papers[5].source == "000_7fa5d757957c3112.txt"
    assert "$\\textbf{ZapFormat}$" in papers[5].abstract
    assert [paper.id for paper in papers if paper.title or paper.abstract != paper.abstract.strip()] == []


def test_each_abstract_of_the_seeds_stands_in_its_file_byte_for_byte() -> None:
    for path in find_files([SEEDS]):
        content = path.read_bytes()
        assert all(paper.abstract.encode() in content for paper in read_papers(path) if isinstance(paper, Paper))


def test_a_new_format_is_one_new_file(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import assistant.corpus; assistant.corpus.__path__.append(sys.argv[2])\n"
        "from pathlib import Path\n"
        "print(list(assistant.corpus.read_papers(Path('x.words')))[0].abstract)\n"
    )
    write(
        tmp_path / "more" / "words.py",
        "from assistant.corpus.formats import reader\nfrom assistant.domain import Paper\n"
        "@reader('.words')\ndef read_words(path):\n    yield Paper('w', path.name)\n",
    )
    command = [sys.executable, "-c", code, str(SEEDS.parent), str(tmp_path / "more")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "x.words\n"


def test_folders_are_read_to_the_bottom_in_the_order_of_names(tmp_path: Path) -> None:
    names = ["b.jsonl", "a/z.txt", "a/a/y.ndjson", "a/B.TXT", "c/list.bib.gz", "a/bare"]
    for name in names:
        write(tmp_path / name)
    found = [path.relative_to(tmp_path).as_posix() for path in find_files([tmp_path]) if isinstance(path, Path)]
    assert found == ["b.jsonl", "a/B.TXT", "a/bare", "a/z.txt", "a/a/y.ndjson", "c/list.bib.gz"]


def test_what_is_passed_over_in_a_folder_is_told_in_one_line(tmp_path: Path) -> None:
    kept = write(tmp_path / "a.jsonl")
    for name in (".hidden.txt", ".git/x.txt", "notes.docx", "pictures/b.png", "LICENSE", "c.txt.zip"):
        write(tmp_path / name, "You may copy this.")
    (tmp_path / "out.txt").symlink_to("/etc/hosts")
    os.mkfifo(tmp_path / "pipe.txt")
    assert find_files([tmp_path]) == (
        kept,
        Skipped(
            str(tmp_path),
            "passed over 2 hidden, 4 of no known format, 1 a link that leads out, 1 no regular file"
            " (.git, .hidden.txt, LICENSE, c.txt.zip, notes.docx, ...)",
            records=0,
        ),
    )


def test_an_empty_path_is_no_folder() -> None:
    for path in ("", " "):
        with pytest.raises(CorpusError, match=r"^The path is empty: give a file or folder of papers\.$"):
            find_files([path])


def test_of_files_that_hold_nothing_one_is_told_and_the_only_one_is_refused(tmp_path: Path) -> None:
    empty, full = write(tmp_path / "empty.txt", ""), write(tmp_path / "a.jsonl")
    assert next(iter(read_all([empty, full]))) == Skipped(str(empty), "no papers in it", records=0)
    with pytest.raises(CorpusError, match=r"empty\.txt: no papers in it\.$"):
        list(read_all([empty]))


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.txt"), write(tmp_path / "b.txt")
    assert find_files([second, tmp_path, str(first)]) == (second, first)


def test_links_that_leave_a_folder_or_lead_back_are_passed_over(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.txt")
    inside = write(tmp_path / "papers" / "a.txt")
    (tmp_path / "papers" / "out.txt").symlink_to(outside)
    (tmp_path / "papers" / "again.txt").symlink_to(inside)  # the same file is read once
    (tmp_path / "papers" / "loop").symlink_to(tmp_path / "papers")
    (tmp_path / "papers" / "dangling.txt").symlink_to("nowhere.txt")
    os.mkfifo(tmp_path / "papers" / "pipe.txt")
    assert [file for file in find_files([tmp_path / "papers"]) if isinstance(file, Path)] == [inside]
    assert find_files([tmp_path / "papers" / "out.txt"]) == (tmp_path / "papers" / "out.txt",)


@pytest.mark.parametrize("name", ["missing.txt", "dangling.txt", "loop.txt", "a\0b.txt", "x" * 300 + ".txt"])
def test_what_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "dangling.txt").symlink_to("nowhere")
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    with pytest.raises(CorpusError, match=r"\.txt: .+ Give a file or folder of papers\.$") as caught:
        find_files([tmp_path / name])
    assert str(caught.value).startswith(str(tmp_path))


def test_a_folder_without_papers_is_refused_with_the_formats(tmp_path: Path) -> None:
    write(tmp_path / "notes.docx")
    with pytest.raises(CorpusError, match=r"the folder holds no papers\. Known formats: \.atom, .*\.jsonl, .*\.xml\.$"):
        find_files([tmp_path])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "closed" / "a.txt")
    (tmp_path / "closed").chmod(0)
    with pytest.raises(CorpusError, match="closed: Permission denied"):
        find_files([tmp_path])


@pytest.mark.parametrize("name", ["paper.docx", "paper.exe", "paper.docx.gz"])
def test_a_file_that_no_reader_knows_is_refused_with_the_formats_whatever_it_holds(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    with pytest.raises(UnknownFormat, match=r"no reader for this format\. Known: \.atom, .*\.jsonl, .*\.xml\."):
        read_papers(path)


def test_a_file_without_a_suffix_that_holds_no_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"LICENSE: no reader for what it holds\. Known: "):
        read_papers(write(tmp_path / "LICENSE", "You may copy this.\n\nAnd that.\n"))


@pytest.mark.parametrize("suffix", list_suffixes())
def test_only_regular_files_are_read_and_none_blocks(tmp_path: Path, suffix: str) -> None:
    pipe, folder, device = (tmp_path / f"{kind}{suffix}" for kind in ("pipe", "folder", "device"))
    os.mkfifo(pipe)
    folder.mkdir()
    device.symlink_to("/dev/zero")
    for path in (pipe, folder, device):
        with pytest.raises(CorpusError, match="is not a regular file"):
            list(read_papers(path))
    with pytest.raises(CorpusError, match="No such file"):
        list(read_papers(tmp_path / f"gone{suffix}"))


@pytest.mark.parametrize("suffix", list_suffixes())
def test_a_file_that_is_not_text_is_refused_with_what_it_is(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a{suffix}", b"PK\x03\x04\n%\xe2\xe3\xcf\xd3\n")
    reason = "this PDF is damaged" if suffix == ".pdf" else "is a zip archive or an office document, not a text file"
    with pytest.raises(CorpusError, match=reason):
        list(read_papers(path))


@pytest.mark.parametrize("suffix", [".pdf", ".jsonl", ".txt", ""])
def test_a_pdf_is_a_pdf_whatever_it_is_called(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(CorpusError, match="this PDF is damaged"):
        list(read_papers(write(tmp_path / f"a{suffix}", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")))


@pytest.mark.parametrize("suffix", list_suffixes())
def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a{suffix}")
    os.truncate(path, files.LARGEST_FILE + 1)
    with pytest.raises(CorpusError, match=r"is too large \(2,147,483,649 bytes; at most 2,147,483,648\)"):
        list(read_papers(path))


@pytest.mark.parametrize("suffix", list_suffixes())
@pytest.mark.parametrize("content", ["", "\n \n\t\n", "\ufeff"])
def test_a_file_without_papers_is_told(tmp_path: Path, suffix: str, content: str) -> None:
    path = write(tmp_path / f"a{suffix}", content)
    assert list(read_papers(path)) == [Skipped(str(path), "no papers in it", records=0)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("name", "between"), [("a.jsonl", "{0}"), ("a.txt", "{0}{0}")])
def test_every_encoding_and_line_ending_is_read_alike(
    tmp_path: Path, name: str, between: str, encoding: str, ending: str
) -> None:
    mark = "\ufeff" if encoding in {"utf-16-le", "utf-16-be"} else ""
    records = ["Überlängen\u2028句子 😀.", "Second one."]
    if name == "a.jsonl":
        records = [f'{{"abstract": "{record}"}}' for record in records]
    path = write(tmp_path / name, (mark + between.format(ending).join(records) + ending).encode(encoding))
    read = [record.abstract for record in read_papers(path) if isinstance(record, Paper)]
    assert read == ["Überlängen\u2028句子 😀.", "Second one."]


def test_a_utf_16_file_that_breaks_off_is_refused_with_the_place(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "One paper.\n".encode("utf-16")[:-1])
    with pytest.raises(CorpusError, match=r"a\.txt: is not UTF-16 after byte \d+\. Save the file again as UTF-8\."):
        list(read_papers(path))


def test_a_strange_name_is_shown_on_one_line_with_escapes(tmp_path: Path) -> None:
    path = write(tmp_path / "a\n\u202eb.txt", "Words here.\n\n123\n")
    paper, skipped = read_papers(path)
    assert isinstance(paper, Paper)
    assert isinstance(skipped, Skipped)
    assert paper.id == "a\\n\\u202eb#1"
    assert paper.source == "a\\n\\u202eb.txt"
    assert skipped == Skipped(f"{tmp_path}/a\\n\\u202eb.txt:3", "no words in the abstract")


VALID = {
    "a.jsonl": (
        LINE * 2 + '{"abstract": "x\\ud83d\\ude00", "year": 1e3, "authors": ["A"], "k": [1, {"b": null}]}'
    ).encode(),
    "a.txt": "Heading\n\nFirst abstract.\r\n\r\nÜber\nzwei.\n".encode(),
}
MUTATIONS = st.lists(
    st.tuples(
        st.integers(0, 200), st.integers(0, 8), st.binary(max_size=6) | st.sampled_from([b"\xff\xfe", b"\n", b'"'])
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("name", VALID)
@given(mutations=MUTATIONS)
def test_broken_bytes_raise_nothing_but_a_corpus_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, mutations: list[tuple[int, int, bytes]]
) -> None:
    content = VALID[name]
    for place, removed, added in mutations:
        content = content[:place] + added + content[place + removed :]
    path = write(tmp_path_factory.getbasetemp() / "mutated" / name, content)
    try:
        read = list(read_papers(path))
    except CorpusError as error:
        assert str(path) in str(error)
        assert "\n" not in str(error)
    else:
        assert read
        assert all(isinstance(record, Skipped) or record.abstract.encode() for record in read)
