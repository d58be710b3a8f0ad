"""Finds the fields of a paper under the names that the world's exports give them."""

import re
from collections.abc import Iterable, Mapping

NAMES: dict[str, str] = {
    "id": "id key citationkey citekey bibkey paperid eid ut utuniquewosid utuniqueid uid pmid openalexid"
    " accessionnumber anthologyid forum corpusid entryid lensid publicationid",
    "title": "title papertitle articletitle documenttitle primarytitle displayname titles fulltitle ti t1",
    "abstract": "abstract abstracttext abstractnote paperabstract abstractinvertedindex summary ab n2 descriptions"
    " description abstracts abs",
    "authors": "authorfullnames authorsfullnames fullauthornames af authorsparsed authors author authornames authorlist"
    " authorships creators creator authorstring au a1",
    "year": "year publicationyear pubyear yearofpublication py issued published publicationdate publishedon pubdate"
    " date y1 dp da versions pdate tcdate cdate created createdat updatedate coverdate datepublished",
    "venue": "venue journal journaltitle journalname containertitle sourcetitle publicationtitle publicationname"
    " publicationvenue booktitle journalref conferencename conference venueid jt t2 jf jo so primarylocation"
    " hostvenue series",
    "url": "url urls link links ur landingpageurl articleurl pdfurl pdflink openaccesspdf uri",
    "doi": "doi dois digitalobjectidentifier do di articledoi doilink lid",
    "arxiv": "arxiv eprint arxivid",
    "keywords": "keywords keyword authorkeywords keywordslist tags mots kw subjects indexterms de ot",
}
"""The names of each field, in letters and digits only; of several that an entry has, the first counts."""
_RANKS = {name: (field, rank) for field, names in NAMES.items() for rank, name in enumerate(names.split())}
_INNER = ("content", "attributes", "_source", "fields", "bibjson", "data", "metadata", "row")
"""Objects that hold the entry itself: OpenReview, DataCite, Elasticsearch, DOAJ, Zotero, INSPIRE."""
_IDS = {"doi": "doi", "arxiv": "arxiv", "pubmed": "pmid", "pmid": "pmid", "acl": "acl"}
_LETTERS = re.compile(r"[^a-z0-9]+")
_NO_ABSTRACT = ("url", "link", "id", "lang", "source", "license", "sha")


def reduce(name: str) -> str:
    """Return the name of a field in small letters and digits only, without the space of names before it ("dc:")."""
    return _LETTERS.sub("", name.rpartition(":")[2].casefold())


def sort_fields(entry: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Return what an entry has for each of `NAMES`, and its other fields under their own names."""
    known: dict[str, tuple[int, object]] = {}
    rest: dict[str, object] = {}
    for name, value in _open_up(entry):
        field, rank = _RANKS.get(reduce(name), ("", 0))
        if not field:
            rest[name] = value
            continue
        if field not in known or _is_better(rank, value, *known[field]):
            known[field] = rank, value
    if not _holds(known.get("abstract", (0, None))[1]):
        _find_abstract(rest, known)
    return {field: value for field, (_, value) in known.items()}, rest


def is_entry(entry: Mapping[str, object]) -> bool:
    """Return whether an object has a field that only a paper has: a title or an abstract."""
    return bool(name_known(name for name, _ in _open_up(entry)) & {"title", "abstract"})


def name_known(names: Iterable[str]) -> set[str]:
    """Return which fields a row of names has: what tells a heading of a table."""
    return {_RANKS[reduced][0] for reduced in map(reduce, names) if reduced in _RANKS}


def _is_better(rank: int, value: object, other_rank: int, other: object) -> bool:
    if _holds(value) != _holds(other):
        return _holds(value)
    # The same name again ("abstract" twice in a heading): the last counts, as in JSON.
    return rank <= other_rank


def _holds(value: object) -> bool:
    return value is not None and value not in ("", [], {})


def _open_up(entry: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    for name, value in entry.items():
        if isinstance(value, dict) and name in _INNER and (name_known(value) & {"title", "abstract"}):
            yield from value.items()
        elif isinstance(value, dict) and reduce(name) in {"externalids", "ids"}:
            yield from ((_IDS[reduce(key)], one) for key, one in value.items() if reduce(key) in _IDS)
        else:
            yield name, value


def _find_abstract(rest: dict[str, object], known: dict[str, tuple[int, object]]) -> None:
    """Take "Abstract (English)" or "abstract_en" where there is no field of the plain name."""
    for name, value in rest.items():
        reduced = reduce(name)
        if "abstract" in reduced and not reduced.endswith(_NO_ABSTRACT) and isinstance(value, str) and value.strip():
            known["abstract"] = 0, rest.pop(name)
            return
