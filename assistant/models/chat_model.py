"""Any server of the OpenAI protocol as a ChatModel, by way of LangChain."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assistant.errors import ModelRefused, ModelUnavailable, SettingsError
from assistant.models.deadlines import derive_limits, read_within
from assistant.ports import Limits, Prompt

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

    from assistant.models.wire import Call

OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"
"""What a server without keys is sent: the client insists on one, and must not take another from the environment."""
MOST_REQUESTS = 3
LONGEST_RETRYING = 30.0
_HOST = re.compile(r"[\w.-]+|[0-9a-f:.]*:[0-9a-f:.]*(?:%\w+)?")
_COMPLETE = frozenset({"stop", "stop_sequence", "end_turn", "eos", "eos_token"})


def connect(model: str, base_url: str, api_key: str, timeout: float, temperature: float) -> LangChainModel:
    """Return the model of an endpoint; an empty base URL means OpenAI's own. No connection is made yet."""
    url = (base_url.strip() or OPENAI).rstrip("/")
    host = _read_host(url)
    if not host:
        raise SettingsError("ASSISTANT_BASE_URL is not an address such as http://localhost:11434/v1.")
    key = api_key.strip() or NO_KEY
    if not (key.isascii() and key.isprintable()):
        raise SettingsError("ASSISTANT_API_KEY has characters that no key has: copy it again.")
    limits = derive_limits(timeout)
    seconds = max(limits.first, limits.idle)
    return LangChainModel(model, host, partial(_open, model, url, key, seconds, temperature))


def _read_host(url: str) -> str:
    """Return the host and port of an address, nothing if it is wrong or has a place where a key can stand."""
    try:
        address = urlsplit(url)
        host, port = address.hostname or "", address.port
    except ValueError:
        return ""
    plain = _HOST.fullmatch(host) and url.isprintable() and " " not in url
    if address.scheme not in {"http", "https"} or not plain or "@" in address.netloc or "?" in url or "#" in url:
        return ""
    return (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")


class LangChainModel:
    """A ChatModel that any chat model of LangChain stands behind; it is opened at its first use."""

    def __init__(self, name: str, host: str, open_chat: Callable[[], BaseChatModel]) -> None:
        self.name = name
        self.who = f"{name} at {host}"
        self._open = open_chat

    @cached_property
    def chat(self) -> BaseChatModel:
        """Return the chat model as LangChain knows it."""
        return self._open()

    def stream(self, prompt: Prompt, values: Mapping[str, str], limits: Limits) -> Generator[str, None, None]:
        """Yield the text in pieces; raises ModelError when it does not come to its end."""
        from assistant.models.chain import write
        from assistant.models.wire import Call

        call = Call()
        request = partial(self._insist, write(prompt, self.chat), dict(values), limits.size, call)
        yield from read_within(limits, request, call.hang_up, self.who)

    def _insist(
        self, writer: Runnable[dict[str, str], BaseMessage], values: dict[str, str], size: int, call: Call
    ) -> Iterator[str]:
        """Yield the text, asking again while that may help and nothing has come."""
        from langsmith import tracing_context

        from assistant.models.failures import explain, find_wait
        from assistant.models.wire import CALL

        CALL.set(call)
        started = time.monotonic()
        ask, shown = _ask_for_pieces, False
        for request in range(1, MOST_REQUESTS + 1):
            try:
                with tracing_context(enabled=False):
                    for piece in self._check(ask(writer, values), size, call):
                        shown = True
                        yield piece
            except Exception as error:
                failure, wait = explain(error, self.who), find_wait(error, request)
                if _sent_nothing(error) and call.done:
                    failure = self._no_answer()
                elif _sent_nothing(error) and call.content_type == "application/json":
                    # The server does not stream: it sent its answer as a whole.
                    ask, wait = _ask_for_whole, 0.0
            else:
                return
            finally:
                call.let_go()
            # Raised out here, the failure carries no trace of the client's exception, which may hold the key.
            patience = LONGEST_RETRYING - (time.monotonic() - started)
            if shown or wait is None or wait > patience or request == MOST_REQUESTS or call.ended.wait(wait):
                raise failure

    def _check(self, messages: Iterator[BaseMessage], size: int, call: Call) -> Iterator[str]:
        """Yield the text of messages; raises ModelError unless the model ended it by itself."""
        finish, length = "", 0
        for message in messages:
            text = str(message.text)
            finish = str(message.response_metadata.get("finish_reason") or finish)
            if text:
                yield text[: size - length]
                length += len(text)
            if length > size:
                raise ModelUnavailable(f"{self.who} wrote more than {size:,} characters.")
            if finish:
                break
        if call.declined or finish == "content_filter":
            raise ModelRefused(f"{self.who} declined to answer.")
        if finish == "length":
            raise ModelUnavailable(f"{self.who} was cut at its length limit.")
        if not length:
            raise self._no_answer()
        if finish not in _COMPLETE and not (call.done and not finish):
            raise ModelUnavailable(f"{self.who} broke off.")

    def _no_answer(self) -> ModelUnavailable:
        return ModelUnavailable(f"{self.who} gave no answer: try again, or another model.")


def _ask_for_pieces(writer: Runnable[dict[str, str], BaseMessage], values: dict[str, str]) -> Iterator[BaseMessage]:
    return writer.stream(values)


def _ask_for_whole(writer: Runnable[dict[str, str], BaseMessage], values: dict[str, str]) -> Iterator[BaseMessage]:
    yield writer.invoke(values)


def _sent_nothing(error: Exception) -> bool:
    return str(error).startswith("No generation chunks")


def _open(model: str, url: str, key: str, timeout: float, temperature: float) -> BaseChatModel:
    from langchain.chat_models import init_chat_model
    from pydantic import SecretStr

    from assistant.models.wire import open_client

    return init_chat_model(
        model,
        model_provider="openai",
        base_url=url,
        api_key=SecretStr(key),
        temperature=temperature,
        timeout=timeout,
        max_retries=0,
        stream_usage=False,
        use_responses_api=False,
        http_client=open_client(urlsplit(url).hostname or "", timeout),
    )
