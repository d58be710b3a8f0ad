"""The routes that list papers, show one, add and remove."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from assistant.documents import Json, paper_document
from assistant.domain import Filters, Report
from assistant.serving.descriptions import AddedDescription, PageDescription, PaperDescription
from assistant.serving.forms import Form, Name, Papers, Year
from assistant.serving.replies import reply
from assistant.serving.service import Service

PAGE = 50
LARGEST_PAGE = 200
FARTHEST = 2**31
"""No list of papers has as many."""


class Page(Form):
    """Which part of the list is wanted, of which papers."""

    offset: Annotated[int, Query(ge=0, le=FARTHEST)] = 0
    limit: Annotated[int, Query(ge=1, le=LARGEST_PAGE)] = PAGE
    first_year: Year = None
    last_year: Year = None
    venue: Name = ""
    author: Name = ""
    source: Name = ""
    collection: Name = ""
    match: Name = ""

    def read(self) -> Filters:
        """Return the filters."""
        limits = (self.first_year, self.last_year, self.venue, self.author, self.source)
        return Filters(*limits, collection=self.collection, match=self.match)


def make_paper_routes(service: Service) -> APIRouter:
    """Return the routes that read the list of papers."""
    router = APIRouter(tags=["papers"])
    assistant = service.assistant

    @router.get("/papers", responses={200: {"model": PageDescription}}, operation_id="list_papers")
    def list_papers(page: Annotated[Page, Query()]) -> Response:
        """List the papers in the order in which they were added."""
        filters = page.read()
        found = assistant.list_papers(filters, page.offset, page.limit)
        documents = [paper_document(paper) for paper in found]
        return reply({"total": assistant.count_papers(filters), "offset": page.offset, "papers": documents})

    @router.get("/papers/{id:path}", responses={200: {"model": PaperDescription}}, operation_id="get_paper")
    def get_paper(id: str) -> Response:
        """Show one paper with its abstract; `#` in an id is written `%23`."""
        return reply(paper_document(assistant.paper(id)))

    return router


def make_writing_routes(service: Service) -> APIRouter:
    """Return the routes that change the list of papers."""
    router = APIRouter(tags=["papers"])

    @router.post("/papers", responses={200: {"model": AddedDescription}}, operation_id="add_papers")
    async def add_papers(sent: Papers) -> Response:
        """Add papers; they are found at once, and kept on the disk."""
        papers = [paper.read() for paper in sent.papers]
        return reply(_added_document(await service.write(lambda: service.assistant.add(papers))))

    @router.delete("/papers/{id:path}", status_code=204, operation_id="remove_paper")
    async def remove_paper(id: str) -> Response:
        """Remove a paper."""
        await service.write(_removal(service, id))
        return Response(status_code=204)

    return router


def _removal(service: Service, id: str) -> Callable[[], object]:
    return lambda: service.assistant.remove(id)


def _added_document(report: Report) -> Json:
    return {
        "new": report.new,
        "same": report.same,
        "updated": report.updated,
        "merged": report.merged,
        "skipped": [f"{skipped.place}: {skipped.reason}" for skipped in report.skipped],
    }
