"""The API: what the assistant does, as JSON over HTTP, with its OpenAPI document."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from assistant import __version__
from assistant.serving.descriptions import HealthDescription, ProblemDescription
from assistant.serving.papers import make_paper_routes, make_writing_routes
from assistant.serving.problems import MEDIA_TYPE, find_problem, make_response
from assistant.serving.questions import make_question_routes
from assistant.serving.replies import reply
from assistant.serving.service import Service

DESCRIPTION = (
    "Answers questions about a corpus of paper abstracts, every claim cited to the exact words. "
    "Where the server has a token, each request carries it as `Authorization: Bearer TOKEN`. "
    "Errors are problems as RFC 9457 has them."
)
_PROBLEM_SCHEMA = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDescription"}}}}
PROBLEMS = {
    400: "The body is not JSON",
    401: "The token is missing or wrong",
    403: "The request comes from another site",
    404: "There is no such paper",
    413: "The body is too large",
    415: "The body is not sent as JSON",
    422: "What was sent cannot be understood",
    429: "Too many requests",
    503: "Too much to do, or the papers or the model cannot be reached",
}


def create_api(service: Service, store: str, read_only: bool) -> FastAPI:
    """Return the API over an assistant; a read-only one changes no papers."""
    api = FastAPI(
        title="Paper Assistant",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={status: {"description": why, **_PROBLEM_SCHEMA} for status, why in PROBLEMS.items()},
    )
    routers = [_make_health_route(service, store), make_question_routes(service), make_paper_routes(service)]
    if not read_only:
        routers.append(make_writing_routes(service))
    for router in routers:
        api.include_router(router)

    async def tell(request: Request, error: Exception) -> Response:
        problem = find_problem(error)
        return make_response(replace(problem, allow=_list_methods(request, routers)) if problem.allow else problem)

    for error in (RequestValidationError, HTTPException, Exception):
        api.add_exception_handler(error, tell)
    return api


def _make_health_route(service: Service, store: str) -> APIRouter:
    router = APIRouter(tags=["server"])

    @router.get(
        "/health",
        responses={200: {"model": HealthDescription}, 500: {"model": ProblemDescription}},
        operation_id="health",
    )
    def health() -> Response:
        """Say whether questions can be answered, from which papers, and by what."""
        papers = service.assistant.count_papers()
        status = "stopping" if service.closing.begun else "ok"
        return reply(
            {
                "status": status,
                "version": __version__,
                "store": store,
                "papers": papers,
                "answerer": service.assistant.answerer,
                "answering": service.gate.answering,
            }
        )

    return router


def _list_methods(request: Request, routers: Sequence[APIRouter]) -> str:
    """Return the methods of all routes with this path: the framework names those of the first one."""
    path = request.url.path.removeprefix(request.scope.get("root_path", ""))
    routes = (route for router in routers for route in router.routes if isinstance(route, Route))
    return ", ".join(sorted({name for route in routes if route.path_regex.match(path) for name in route.methods or ()}))
