"""Says in one line why a model did not answer; nothing that its server sent is repeated."""

import re
from collections.abc import Iterator

import httpx2
import openai

from assistant.errors import ModelError, ModelRefused, ModelUnavailable, PromptTooLong
from assistant.models.wire import WireFault

_FAULTS: tuple[tuple[type[BaseException], str], ...] = (
    (openai.APITimeoutError, "did not answer in time: try again, or raise ASSISTANT_TIMEOUT"),
    (httpx2.ReadError, "broke off"),
    (httpx2.RemoteProtocolError, "broke off"),
    (ConnectionRefusedError, "cannot be reached, nothing listens there: start it, or check ASSISTANT_BASE_URL"),
    (openai.APIConnectionError, "cannot be reached: check ASSISTANT_BASE_URL and the network"),
    (openai.APIError, "reported an error while it wrote: try again"),
    (
        BaseException,
        "sent something that is not of the OpenAI protocol: check ASSISTANT_BASE_URL, it mostly ends in /v1",
    ),
)
_REFUSED = {
    401: "refused the key: check ASSISTANT_API_KEY",
    402: "says that the account has no credit left: check the account",
    403: "refused the key: check ASSISTANT_API_KEY",
    404: "does not know the model: check ASSISTANT_MODEL",
}
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size|limit)|maximum (?:context|number of tokens)|too many (?:input )?tokens"
    r"|prompt is too long|exceed.{0,30}(?:context|max_tokens|max_model_len)",
    re.IGNORECASE,
)
_LATER = frozenset({408, 409, 429})


def explain(error: BaseException, who: str) -> ModelError:
    """Return what a failure of `who` ("MODEL at HOST") means and what to do about it."""
    causes = tuple(_chain(error))
    for cause in causes:
        if isinstance(cause, ModelError):
            return cause
        if isinstance(cause, WireFault):
            return ModelUnavailable(f"{who} {cause}.")
        if isinstance(cause, openai.APIStatusError):
            return _explain_status(cause, who)
    fault = next(text for kind, text in _FAULTS if any(isinstance(cause, kind) for cause in causes))
    return ModelUnavailable(f"{who} {fault}.")


def find_wait(error: BaseException, request: int) -> float | None:
    """Return the seconds to wait before asking again after the n-th request; None when it would not help."""
    causes = tuple(_chain(error))
    usual = 0.25 * 2**request
    status = next((cause for cause in causes if isinstance(cause, openai.APIStatusError)), None)
    if status is None:
        return usual if any(isinstance(cause, ConnectionResetError) for cause in causes) else None
    if not _may_pass(status):
        return None
    asked = _retry_after(status)
    return usual if asked is None else asked


def _explain_status(error: openai.APIStatusError, who: str) -> ModelError:
    status = error.status_code
    if status == 413 or error.code == "context_length_exceeded" or (status != 429 and _TOO_LONG.search(error.message)):
        return PromptTooLong(f"{who} has too small a window for the question and its sources: ask for fewer with --k.")
    if _may_pass(error):
        fault = "is busy" if status == 429 else "failed"
        return ModelUnavailable(f"{who} {fault} (HTTP {status}): {_when(_retry_after(error))}.")
    return ModelRefused(f"{who} {_name_fault(error)}.")


def _may_pass(error: openai.APIStatusError) -> bool:
    return error.code != "insufficient_quota" and (error.status_code in _LATER or error.status_code >= 500)


def _name_fault(error: openai.APIStatusError) -> str:
    status, said = error.status_code, error.message.lower()
    if error.code == "insufficient_quota":
        return _REFUSED[402]
    if status == 404 and error.code != "model_not_found" and "model" not in said:
        return "has no chat there: check ASSISTANT_BASE_URL, it mostly ends in /v1"
    if status == 400 and (error.param == "temperature" or "temperature" in said):
        return "does not take this temperature: set ASSISTANT_TEMPERATURE=1"
    return _REFUSED.get(status, f"refused the request (HTTP {status}): check ASSISTANT_MODEL and ASSISTANT_BASE_URL")


def _retry_after(error: openai.APIStatusError) -> float | None:
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = error.response.headers.get(name, "")
        if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", value):
            return float(value) / unit
    return None


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return "try again"
    if seconds < 120:
        return f"try again in {seconds:.0f} s"
    return f"try again in {seconds / 60:.0f} minutes" if seconds < 7200 else f"try again in {seconds / 3600:.0f} hours"


def _chain(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
