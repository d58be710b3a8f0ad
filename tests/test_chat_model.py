"""A chat model behind a real server of the protocol: what it sends, what it reads, and how it fails."""

import logging
import time
import traceback
from collections.abc import Iterator
from itertools import islice

import pytest

from assistant.errors import ModelError, ModelRefused, ModelUnavailable, PromptTooLong, SettingsError
from assistant.models.chat_model import LangChainModel, connect
from assistant.models.deadlines import derive_limits
from assistant.ports import Limits, Prompt
from tests.openai_server import (
    Exchange,
    OpenAIServer,
    Reply,
    cut,
    fail,
    flood,
    free_port,
    keep_silent,
    pause,
    refuse_key,
    say,
    say_whole,
    send,
    send_events,
    serve,
    stall,
)

PROMPT = Prompt("test", "Be {manner}.", "{question} {{literally}}")
KEY = "sk-secret-4711"
QUICK = Limits(first=1.0, idle=0.5, total=1.5, size=2_000)
SLACK = 1.0


def open_model(server: OpenAIServer, key: str = KEY) -> LangChainModel:
    return connect("tiny", server.base_url, key, timeout=5.0, temperature=0.0)


def stream(model: LangChainModel, limits: Limits = QUICK, question: str = "Why?") -> Iterator[str]:
    return model.stream(PROMPT, {"manner": "brief", "question": question}, limits)


def fail_with(reply: Reply, limits: Limits = QUICK) -> tuple[ModelError, OpenAIServer, str]:
    """Return the error that a reply ends in, the server, and the text before it."""
    pieces: list[str] = []
    with serve(reply) as server, pytest.raises(ModelError) as caught:
        for piece in stream(open_model(server), limits):
            pieces.append(piece)  # noqa: PERF402 - what came before the error is kept
    told = str(caught.value)
    assert told.startswith(f"tiny at {server.host} ")
    assert "\n" not in told
    assert KEY not in told
    return caught.value, server, "".join(pieces)


@pytest.fixture(autouse=True, scope="module")
def client_library() -> None:
    """Load the client once: its import is not what the clocks below measure."""
    import langchain_openai  # noqa: F401


def test_the_text_comes_in_the_pieces_that_the_server_sends() -> None:
    with serve(say("Sparrow halves it [1].", size=8)) as server:
        assert list(stream(open_model(server))) == ["Sparrow ", "halves i", "t [1]."]


def test_the_request_carries_model_key_temperature_and_the_prompt_with_its_values() -> None:
    with serve(say("Yes.")) as server:
        list(stream(open_model(server), question="What of {manner} and {{7*7}}, ${HOME} and %s?"))
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.key == KEY
    assert {name: request.body[name] for name in ("model", "stream", "temperature")} == {
        "model": "tiny",
        "stream": True,
        "temperature": 0.0,
    }
    assert "stream_options" not in request.body
    assert request.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What of {manner} and {{7*7}}, ${HOME} and %s? {literally}"},
    ]


def test_a_server_without_keys_gets_none_of_the_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "LANGSMITH_API_KEY", "LANGSMITH_GATEWAY_API_KEY"):
        monkeypatch.setenv(name, "sk-of-another-service")
    with serve(say("Yes.")) as server:
        assert "".join(stream(open_model(server, key=""))) == "Yes."
    assert server.requests[0].key == "none"


def test_no_proxy_stands_before_a_server_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    with serve(say("Yes.")) as server:
        assert "".join(stream(open_model(server))) == "Yes."


def test_nothing_is_traced_to_another_service(monkeypatch: pytest.MonkeyPatch) -> None:
    from langchain_core.tracers.langchain import wait_for_all_tracers

    with serve(say("Yes.")) as server, serve(send(b"{}")) as tracer:
        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2-key")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", tracer.base_url)
        list(stream(open_model(server)))
        wait_for_all_tracers()
        time.sleep(0.2)
    assert tracer.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000/v1",
        "ftp://host/v1",
        "http://",
        "http://[::1",
        "http://user:s3cret@host/v1",
        "http://:s3cret@host/v1",
        "http://s3cret@host/v1",
        "http://@s3cret@host/v1",
        "http://s3cret%40host/v1",
        "http://host/v1?key=s3cret",
        "http://host/v1#s3cret",
        "http://host:s3cret/v1",
        "http://ho st/v1",
        "http://host/v\n1",
    ],
)
def test_an_address_that_is_wrong_or_holds_a_key_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(SettingsError, match="ASSISTANT_BASE_URL") as caught:
        connect("tiny", url, KEY, 5.0, 0.0)
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("", "api.openai.com"),
        ("http://localhost:11434/v1/", "localhost:11434"),
        ("https://My-Host.example/v1", "my-host.example"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
    ],
)
def test_a_model_is_named_with_the_host_that_serves_it(url: str, host: str) -> None:
    assert connect("tiny", url, KEY, 5.0, 0.0).who == f"tiny at {host}"


@pytest.mark.parametrize(
    ("seconds", "limits"),
    [
        (60.0, Limits(first=60.0, idle=20.0, total=120.0)),
        (600.0, Limits(first=600.0, idle=200.0, total=1200.0)),
        (2.0, Limits(first=2.0, idle=20.0, total=120.0)),
    ],
)
def test_who_waits_longer_for_the_first_text_waits_longer_for_all_of_it(seconds: float, limits: Limits) -> None:
    assert derive_limits(seconds) == limits


def test_the_connection_waits_as_long_as_the_longest_pause_that_is_allowed() -> None:
    chat = connect("tiny", "http://localhost:1/v1", KEY, timeout=1.0, temperature=0.0).chat
    assert vars(chat)["request_timeout"] == 20.0


def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it() -> None:
    with pytest.raises(SettingsError, match="ASSISTANT_API_KEY") as caught:
        connect("tiny", "http://localhost/v1", "sk-sécret\n4711", 5.0, 0.0)
    assert "4711" not in str(caught.value)


def test_a_refused_key_is_said_without_the_key_in_error_log_or_cause(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    error, server, _ = fail_with(refuse_key)
    assert server.requests[0].key == KEY, "the server repeats the key"
    assert isinstance(error, ModelRefused)
    assert "ASSISTANT_API_KEY" in str(error)
    assert (error.__cause__, error.__context__) == (None, None)
    assert KEY not in caplog.text
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "told"),
    [
        (fail(404, "The model `x` does not exist"), ModelRefused, "ASSISTANT_MODEL"),
        (send(b"<html>Not here</html>", "text/html", 404), ModelRefused, "ASSISTANT_BASE_URL"),
        (fail(429, "You have no credit", "insufficient_quota"), ModelRefused, "credit"),
        (fail(400, "Unsupported value: temperature"), ModelRefused, "ASSISTANT_TEMPERATURE"),
        (fail(400, "No"), ModelRefused, "HTTP 400"),
        (fail(400, "maximum context length is 4096 tokens"), PromptTooLong, "too small a window"),
        (fail(400, "the request exceeds the available context size"), PromptTooLong, "too small a window"),
        (fail(413, "no"), PromptTooLong, "too small a window"),
        (fail(429, "Slow down", retry_after="86400"), ModelUnavailable, "in 24 hours"),
    ],
)
def test_what_will_not_pass_is_asked_once_and_says_what_to_do(reply: Reply, kind: type[ModelError], told: str) -> None:
    error, server, _ = fail_with(reply)
    assert type(error) is kind
    assert told in str(error)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (fail(500), "HTTP 500"),
        (send(b"<script>alert(1)</script>", "text/html", 502), "HTTP 502"),
        (fail(429), "HTTP 429"),
    ],
)
def test_what_may_pass_is_asked_three_times(reply: Reply, told: str) -> None:
    error, server, _ = fail_with(reply, Limits(first=10.0))
    assert isinstance(error, ModelUnavailable)
    assert told in str(error)
    assert "script" not in str(error)
    assert len(server.requests) == 3


def test_a_busy_server_is_asked_again_after_the_time_that_it_names() -> None:
    with serve(fail(429, retry_after_ms="50"), say("Yes.")) as server:
        assert "".join(stream(open_model(server))) == "Yes."
    assert len(server.requests) == 2


def test_a_dead_endpoint_is_said_at_once() -> None:
    model = connect("tiny", f"http://127.0.0.1:{free_port()}/v1", KEY, 5.0, 0.0)
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match="nothing listens there"):
        list(stream(model))
    assert time.monotonic() - started < SLACK


def test_a_silent_server_is_left_at_the_deadline() -> None:
    started = time.monotonic()
    with serve(keep_silent) as server:
        with pytest.raises(ModelUnavailable, match=r"within 1 s.*ASSISTANT_TIMEOUT"):
            list(stream(open_model(server)))
        assert time.monotonic() - started < QUICK.first + SLACK
        assert server.hung_up.wait(1)


def test_a_deadline_counts_over_all_requests() -> None:
    started = time.monotonic()
    with serve(fail(500, retry_after="0.6")) as server, pytest.raises(ModelUnavailable):
        list(stream(open_model(server)))
    assert time.monotonic() - started < QUICK.first + SLACK


def test_a_stream_that_goes_silent_is_left_although_comments_come() -> None:
    started = time.monotonic()
    error, server, text = fail_with(stall("Half of"))
    assert text == "Half of"
    assert "went silent for 0.5 s: try again, or raise ASSISTANT_TIMEOUT." in str(error)
    assert time.monotonic() - started < QUICK.first + QUICK.idle + SLACK
    assert server.hung_up.wait(1)


def test_a_stream_that_drips_is_left_after_its_time() -> None:
    def drip(exchange: Exchange) -> None:
        exchange.open_stream()
        while not exchange.wait(0.1):
            exchange.send_piece("drop ")

    error, _, text = fail_with(drip)
    assert "still writing after 1.5 s: ask for less, or raise ASSISTANT_TIMEOUT." in str(error)
    assert text.startswith("drop drop")


def test_a_stream_without_end_is_left_at_its_size() -> None:
    error, _, text = fail_with(flood("again and again "))
    assert "2,000 characters" in str(error)
    assert len(text) == 2_000


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (cut("Half of it"), "broke off"),
        (say("Half of it", finish=None), "broke off"),
        (say("Half of it", finish="length"), "length limit"),
        (say("Half of it", finish="content_filter"), "declined"),
    ],
)
def test_a_text_that_did_not_come_to_its_end_is_an_error_after_it(reply: Reply, told: str) -> None:
    error, server, text = fail_with(reply)
    assert text == "Half of it"
    assert told in str(error)
    assert len(server.requests) == 1, "never asked again once text was shown"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (say(""), "gave no answer"),
        (send_events("[DONE]"), "gave no answer"),
        (say("", refusal="I cannot help"), "declined"),
        (say("", finish="tool_calls"), "gave no answer"),
        (send(b"I am not JSON"), "not of the OpenAI protocol"),
        (send(b"[]"), "not of the OpenAI protocol"),
        (send(b"[" * 200_000), "not of the OpenAI protocol"),
        (send(b"<html>login</html>", "text/html"), "not of the OpenAI protocol"),
        (send_events('{"choices": [{"delta": {"content":'), "not of the OpenAI protocol"),
        (send_events('{"error": {"message": "library text"}}'), "reported an error"),
        (send_events('{"x": "' + "y" * 2_000_000 + '"}'), "more than an answer can be"),
        (send(b"\x1f\x8b", content_encoding="gzip"), "compressed"),
    ],
)
def test_what_is_no_answer_is_said_in_our_words(reply: Reply, told: str) -> None:
    error, _, text = fail_with(reply)
    assert told in str(error)
    assert text == ""
    assert "library text" not in str(error)


def test_a_redirect_is_not_followed() -> None:
    with serve(say("Stolen.")) as target:
        error, _, _ = fail_with(send(b"", status=307, location=f"{target.base_url}/chat/completions"))
    assert "ASSISTANT_BASE_URL" in str(error)
    assert target.requests == []


def test_a_stream_is_complete_when_the_server_says_so_without_a_reason() -> None:
    with serve(send_events('{"choices": [{"index": 0, "delta": {"content": "Yes."}}]}', "[DONE]")) as server:
        assert "".join(stream(open_model(server))) == "Yes."


def test_a_server_that_does_not_stream_is_asked_for_the_whole() -> None:
    with serve(say_whole("Sparrow halves it [1].")) as server:
        assert "".join(stream(open_model(server))) == "Sparrow halves it [1]."
    assert [bool(request.body.get("stream")) for request in server.requests] == [True, False]


@pytest.mark.parametrize("reply", [stall("Half of"), pause("Half of")])
def test_a_stream_that_is_no_longer_wanted_is_closed_at_the_server(reply: Reply) -> None:
    with serve(reply) as server:
        pieces = open_model(server).stream(PROMPT, {"manner": "brief", "question": "Why?"}, Limits())
        assert list(islice(pieces, 1)) == ["Half of"]
        pieces.close()
        assert server.hung_up.wait(1)


def test_two_streams_of_one_model_are_ended_apart() -> None:
    with serve(stall("First"), say("Second, to its end.")) as server:
        model = open_model(server)
        first = model.stream(PROMPT, {"manner": "brief", "question": "Why?"}, Limits())
        assert next(first) == "First"
        assert "".join(stream(model)) == "Second, to its end."
        assert not server.hung_up.is_set()
        first.close()
        assert server.hung_up.wait(1)


def test_the_key_is_in_no_representation() -> None:
    with serve(say("Yes.")) as server:
        model = open_model(server)
    assert KEY not in repr(model) + repr(model.chat) + repr(vars(model.chat))
