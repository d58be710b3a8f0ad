"""The API holds to its own OpenAPI document, whatever is sent to it."""

import os
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from assistant import Assistant
from tests.servers import served

REQUESTS = int(os.environ.get("API_REQUESTS", "500"))
REFUSING = ("POST /ask", "POST /search", "GET /papers", "POST /papers")
"""The operations to which something wrong can be sent."""
OPERATIONS = (*REFUSING, "GET /health", "GET /papers/{id}", "DELETE /papers/{id}")
TRIALS = (
    *((label, GenerationMode.POSITIVE) for label in OPERATIONS),
    *((label, GenerationMode.NEGATIVE) for label in REFUSING),
)
EXAMPLES = REQUESTS // len(TRIALS) + 1
# The server has no token here, and takes no 2.0 for a whole number, which JSON Schema does.
NOT_MEANT = [schemathesis.checks.ignored_auth, schemathesis.checks.positive_data_acceptance]


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    with Assistant(store=tmp_path_factory.mktemp("schema") / "store") as assistant:
        assistant.index()
        with served(assistant) as server:
            yield schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")


def test_all_operations_are_tried(schema: schemathesis.BaseSchema) -> None:
    assert sorted(operation.ok().label for operation in schema.get_all_operations()) == sorted(OPERATIONS)


@pytest.mark.parametrize(("label", "mode"), TRIALS)
def test_whatever_is_sent_the_api_keeps_its_word(
    schema: schemathesis.BaseSchema, label: str, mode: GenerationMode
) -> None:
    """The status is documented, the body has the form described, nothing fails, nothing wrong is taken."""
    found = [operation.ok() for operation in schema.get_all_operations()]
    (operation,) = (operation for operation in found if operation.label == label)

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    def send(case: schemathesis.Case) -> None:
        case.call_and_validate(excluded_checks=NOT_MEANT)

    send()
