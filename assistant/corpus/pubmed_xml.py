"""PubMed's XML, whose abstracts may have labelled parts."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from assistant.corpus.entry import Entry, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.xml_records import read_records, text_of
from assistant.domain import Paper, Skipped


def looks_like_pubmed_xml(head: str) -> bool:
    """Return whether a text begins as PubMed's sets of records do."""
    return head.startswith("<") and re.search(r"<Pubmed(?:Book)?Article(?:Set)?[\s>]", head[:5000]) is not None


@reader(".xml", looks=looks_like_pubmed_xml)
def read_pubmed_xml(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of a set; a label of a part of an abstract goes before it, in its own line."""
    found = read_records(path, "PubmedArticle", "PubmedBookArticle")
    return make_papers(path, (Entry(line, _read(article)) for line, article in found))


def _read(article: Element) -> dict[str, object]:
    number = text_of(article.find(".//PMID"))
    dates = (article.find(".//JournalIssue/PubDate"), article.find(".//ArticleDate"), article.find(".//PubDate"))
    return {
        "id": number,
        "title": text_of(_first(article, ".//ArticleTitle", ".//BookTitle")),
        "abstract": "\n".join(_read_parts(article)),
        "authors": [name for author in article.iterfind(".//AuthorList/Author") if (name := _read_name(author))],
        "year": next((text for date in dates if (text := text_of(date))), ""),
        "venue": text_of(_first(article, ".//Journal/Title", ".//Journal/ISOAbbreviation")),
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number else "",
        "doi": text_of(
            _first(article, ".//ELocationID[@EIdType='doi']", "./PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
        ),
        "keywords": [text_of(keyword) for keyword in article.iterfind(".//KeywordList/Keyword")],
    }


def _first(article: Element, *paths: str) -> Element | None:
    return next((found for path in paths if (found := article.find(path)) is not None), None)


def _read_parts(article: Element) -> Iterator[str]:
    for part in article.iterfind(".//Abstract/AbstractText"):
        label, text = part.get("Label", ""), text_of(part)
        if text:
            yield f"{label}: {text}" if label and label.upper() not in {"UNLABELLED", "UNLABELED"} else text


def _read_name(author: Element) -> str:
    given = text_of(author.find("ForeName")) or text_of(author.find("Initials"))
    names = (given, text_of(author.find("LastName")), text_of(author.find("Suffix")))
    return " ".join(name for name in names if name) or text_of(author.find("CollectiveName"))
