"""The chat window as people use it: in a real Chromium that cannot leave this machine."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, Request, expect, sync_playwright

from assistant import Assistant
from assistant.chat.run import UNEXPECTED
from assistant.serving.server import Terms
from tests.fakes import make_paper
from tests.scripted import HERON, SPARROW, ScriptedAssistant
from tests.servers import served
from tests.serving import serving
from tests.test_chat_page import HOSTILE

pytestmark = pytest.mark.browser

PROGRAMS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * 127.0.0.1:9, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        reason = "no Chromium is installed"
        pytest.fail(reason) if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip(reason)
    with sync_playwright() as playwright:
        yield launch(playwright, program)


def launch(playwright: Playwright, program: str) -> Browser:
    return playwright.chromium.launch(executable_path=program, args=FLAGS)


class Tab:
    """A page with what it asked of the network and what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[Request] = []
        self.errors: list[str] = []
        page.on("request", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))

    def _note(self, request: Request) -> None:
        self.requests.append(request)

    @property
    def foreign(self) -> list[str]:
        """Return what was asked of another machine."""
        urls = [urlsplit(request.url) for request in self.requests]
        return [url.geturl() for url in urls if url.scheme not in ("data", "blob") and url.hostname != "127.0.0.1"]

    def open(self, url: str) -> None:
        self.page.goto(url, wait_until="domcontentloaded")
        expect(self.page.locator("#box textarea")).to_be_editable(timeout=20_000)

    def ask(self, question: str) -> None:
        self.page.fill("#box textarea", question)
        self.page.press("#box textarea", "Enter")

    def wait_for_turn(self, number: int) -> None:
        expect(self.page.locator(f"#live #t{number} [aria-busy=false]")).to_be_visible(timeout=10_000)
        expect(self.page.locator("#box .submit-button")).to_be_visible()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    context = browser.new_context(viewport=WIDE)
    tab = Tab(context.new_page())
    yield tab
    context.close()
    assert tab.foreign == []
    assert tab.errors == []


@pytest.fixture(scope="module")
def window() -> Iterator[str]:
    with serving(ScriptedAssistant()) as url:
        yield url


def test_a_reader_asks_sees_the_answer_and_opens_the_quoted_words(tab: Tab, window: str) -> None:
    tab.open(window)
    tab.ask("What is Sparrow?")
    tab.wait_for_turn(1)
    reply = tab.page.locator("#live [data-testid=bot]")
    expect(reply).to_contain_text("We propose Sparrow, a sparse attention method.\xa0[1]")
    expect(reply).to_contain_text("no model at work")
    reply.get_by_role("link", name="[1]").first.click()
    card = tab.page.locator("#t1-1")
    expect(card).to_be_in_viewport(ratio=1)
    expect(card).to_be_focused()
    assert "target" in (card.get_attribute("class") or "")
    marked = card.locator("mark").all_text_contents()
    assert marked == ["We propose Sparrow, a sparse attention method.", "It halves the memory of training."]
    assert all(words in SPARROW.abstract for words in marked)
    assert card.locator("a", has_text="doi.org").get_attribute("href") == "https://doi.org/10.1234/sparrow.1"


def test_the_seeds_are_asked_and_the_cited_words_stand_in_the_abstract(tab: Tab, seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant, serving(assistant) as url:
        tab.open(url)
        expect(tab.page.locator("#welcome")).to_contain_text("Ask 55 papers")
        tab.ask("How does OrthoRank turn the sink token into a measure of token importance?")
        tab.wait_for_turn(1)
        chip = tab.page.locator("#t1 a.chip").first
        expect(chip).to_have_text("[1]")
        chip.click()
        card = tab.page.locator("#t1-1")
        expect(card).to_be_in_viewport()
        expect(card.locator("h5")).to_contain_text("OrthoRank")
        paper = assistant.paper(card.locator("code").text_content() or "")
        marked = card.locator("mark").all_text_contents()
        assert marked
        assert all(words in paper.abstract for words in marked)
        assert card.locator(".abstract").text_content() == paper.abstract


def test_the_answer_comes_piece_by_piece_with_the_steps_before_it(tab: Tab) -> None:
    with serving(ScriptedAssistant(pause=0.4)) as url:
        tab.open(url)
        tab.ask("What is Sparrow?")
        expect(tab.page.locator("#live .step")).to_contain_text("Searching 3 papers")
        expect(tab.page.locator("#box .stop-button")).to_be_visible()
        draft = tab.page.locator("#live .answer.draft")
        expect(draft).to_contain_text("We propose Sparrow")
        expect(draft).not_to_contain_text("It halves", timeout=10)
        tab.wait_for_turn(1)
        expect(tab.page.locator("#live .answer")).to_contain_text("It halves")
        tab.page.get_by_text("Read 3 papers in").click()
        expect(tab.page.locator("#live .steps li").first).to_have_text("Searching 3 papers")


def test_each_turn_opens_its_own_sources(tab: Tab, window: str) -> None:
    tab.open(window)
    tab.ask("What is Sparrow?")
    tab.wait_for_turn(1)
    tab.ask("How fast is Heron?")
    tab.wait_for_turn(2)
    expect(tab.page.locator("#t2-1")).to_be_visible()
    expect(tab.page.locator("#t1-1")).to_be_hidden()
    tab.page.locator("#t2 a.chip").click()
    expect(tab.page.locator("#t2-1")).to_contain_text(HERON.title)
    tab.page.locator("#t1 a.chip").first.click()
    expect(tab.page.locator("#t1-1")).to_be_in_viewport()
    expect(tab.page.locator("#t1-1 h5")).to_contain_text(SPARROW.title)
    expect(tab.page.locator("#t2-1")).to_be_hidden()


def test_the_conversation_is_passed_on_as_plain_text(tab: Tab) -> None:
    assistant = ScriptedAssistant()
    with serving(assistant) as url:
        tab.open(url)
        tab.ask("How fast is <Heron>?")
        tab.wait_for_turn(1)
        tab.ask("And Sparrow?")
        tab.wait_for_turn(2)
    assert [turn.text for turn in assistant.asked[1][1]] == [
        "How fast is <Heron>?",
        "Heron is twice as fast as full training. [1]",
    ]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Ask the model", "The model at http://127.0.0.1:9/v1 did not answer. Start it and ask again."),
        ("Something broken", UNEXPECTED),
        ("x" * 5_000, "The question has 5,000 characters; 4,000 is the limit."),
        ("  ", "Please write a question first."),
    ],
)
def test_after_a_failure_the_box_keeps_the_question_and_works(tab: Tab, window: str, question: str, told: str) -> None:
    tab.open(window)
    tab.ask(question)
    expect(tab.page.locator("#live .problem")).to_have_text(told)
    expect(tab.page.locator("#live .problem")).to_be_in_viewport()
    assert "planted-secret" not in tab.page.content()
    expect(tab.page.locator("#box textarea")).to_have_value(question)
    tab.ask("What is Sparrow?")
    expect(tab.page.locator("#live .answer")).to_contain_text("We propose Sparrow")


@pytest.mark.parametrize("how", ["typed", "example"])
def test_stop_ends_the_work_keeps_what_stands_and_frees_the_box(tab: Tab, how: str) -> None:
    assistant = ScriptedAssistant(papers=(ENDLESS,))
    with serving(assistant) as url:
        tab.open(url)
        if how == "typed":
            tab.ask("An endless answer")
        else:
            tab.page.get_by_role("button", name="endless").first.click()
        expect(tab.page.locator("#live .answer.draft")).to_contain_text("And so on.")
        expect(tab.page.locator("#new")).to_be_disabled()
        tab.page.click("#box .stop-button")
        expect(tab.page.locator("#live .remark")).to_contain_text("Stopped", timeout=1_000)
        expect(tab.page.locator("#live .answer")).to_contain_text("And so on.")
        assert assistant.closed.wait(2)
        tab.ask("What is Sparrow?")
        expect(tab.page.locator("#live .answer")).to_contain_text("We propose Sparrow")


ENDLESS = make_paper("list#9", title="endless: no end", abstract="It never ends.")


@pytest.mark.parametrize("first", ["typed", "example"])
def test_a_second_question_waits_in_the_box_until_the_first_is_answered(tab: Tab, first: str) -> None:
    assistant = ScriptedAssistant(papers=(ENDLESS,))
    with serving(assistant) as url:
        tab.open(url)
        if first == "typed":
            tab.ask("An endless answer")
        else:
            tab.page.get_by_role("button", name="endless").first.click()
        expect(tab.page.locator("#live .answer.draft")).to_contain_text("And so on.")
        tab.ask("What is Sparrow?")
        expect(tab.page.locator("#hint")).to_contain_text("One question at a time")
        expect(tab.page.locator("#box textarea")).to_have_value("What is Sparrow?")
        expect(tab.page.locator("#box .stop-button")).to_be_visible()
        assert len(assistant.asked) == 1
        tab.page.click("#box .stop-button")
        expect(tab.page.locator("#live .remark")).to_contain_text("Stopped")
        expect(tab.page.locator("#hint")).to_be_empty()
        expect(tab.page.locator("#box textarea")).to_have_value("What is Sparrow?")
        tab.page.press("#box textarea", "Enter")
        tab.wait_for_turn(2)
        expect(tab.page.locator("#t2 .answer")).to_contain_text("We propose Sparrow")
        expect(tab.page.locator("#t1 .answer")).to_contain_text("And so on.")
    assert [question for question, _ in assistant.asked][1:] == ["What is Sparrow?"]


def test_neither_an_example_nor_a_failure_overwrites_what_stands_in_the_box(tab: Tab) -> None:
    model = make_paper("list#8", title="the model: a model", abstract="It models.")
    with serving(ScriptedAssistant(papers=(model,), pause=0.5)) as url:
        tab.open(url)
        tab.page.fill("#box textarea", "half a ques")
        tab.page.get_by_role("button", name="the model").first.click()
        expect(tab.page.locator("#live .step")).to_be_visible()
        tab.page.type("#box textarea", "tion")
        expect(tab.page.locator("#live .problem")).to_be_visible()
        expect(tab.page.locator("#box textarea")).to_have_value("half a question")


def test_the_keyboard_is_in_the_box_after_an_answer_and_after_a_new_chat(tab: Tab, window: str) -> None:
    tab.open(window)
    box = tab.page.locator("#box textarea")
    box.fill("What is Sparrow?")
    tab.page.click("#box .submit-button")
    tab.wait_for_turn(1)
    expect(box).to_be_focused()
    tab.page.click("#new")
    expect(tab.page.locator("#welcome")).to_be_visible()
    expect(box).to_be_focused()
    tab.page.get_by_role("button", name="What is Sparrow?").click()
    tab.wait_for_turn(1)
    expect(box).to_be_focused()


def test_a_reader_who_has_gone_elsewhere_with_the_keyboard_is_left_there(tab: Tab) -> None:
    with serving(ScriptedAssistant(pause=0.4)) as url:
        tab.open(url)
        tab.ask("What is Sparrow?")
        tab.wait_for_turn(1)
        tab.ask("How fast is Heron?")
        expect(tab.page.locator("#live .step")).to_be_visible()
        tab.page.locator("#t1 a.chip").first.focus()
        tab.wait_for_turn(2)
        expect(tab.page.locator("#t1 a.chip").first).to_be_focused()


def test_enter_sends_and_shift_enter_makes_a_new_line(tab: Tab, window: str) -> None:
    tab.open(window)
    box = tab.page.locator("#box textarea")
    box.press_sequentially("What is")
    box.press("Shift+Enter")
    box.press_sequentially("Sparrow?")
    expect(box).to_have_value("What is\nSparrow?")
    expect(tab.page.locator(".turn")).to_have_count(0)
    box.press("Enter")
    tab.wait_for_turn(1)
    expect(tab.page.locator("#t1 .question")).to_have_text("What is\nSparrow?")
    expect(box).to_have_value("")


def test_who_answers_is_told_before_the_first_question(tab: Tab, window: str) -> None:
    tab.open(window)
    expect(tab.page.locator("#welcome")).to_contain_text("no model at work")


def test_a_tab_that_vanishes_ends_its_work(browser: Browser) -> None:
    assistant = ScriptedAssistant()
    with serving(assistant) as url:
        page = browser.new_page()
        tab = Tab(page)
        tab.open(url)
        tab.ask("An endless answer")
        expect(page.locator("#live .answer.draft")).to_contain_text("And so on.")
        page.close()
        assert assistant.closed.wait(5)


def test_new_chat_empties_the_conversation_and_the_sources(tab: Tab) -> None:
    assistant = ScriptedAssistant()
    with serving(assistant) as url:
        tab.open(url)
        expect(tab.page.locator("#welcome")).to_contain_text("Ask 3 papers")
        tab.page.get_by_role("button", name="What is Sparrow?").click()
        tab.wait_for_turn(1)
        expect(tab.page.locator("#welcome")).to_be_hidden()
        tab.page.click("#new")
        expect(tab.page.locator("#welcome")).to_be_visible()
        expect(tab.page.locator(".turn, .card")).to_have_count(0)
        tab.ask("How fast is Heron?")
        tab.wait_for_turn(1)
    assert assistant.asked[1] == ("How fast is Heron?", ())


def test_an_empty_store_is_built_at_the_first_question(tab: Tab) -> None:
    with serving(ScriptedAssistant(built=False)) as url:
        tab.open(url)
        expect(tab.page.locator("#welcome")).to_contain_text("The first question reads the papers")
        tab.ask("What is Sparrow?")
        tab.wait_for_turn(1)
        expect(tab.page.locator("#live .answer")).to_contain_text("We propose Sparrow")


def test_hostile_text_is_shown_literally_and_does_nothing(tab: Tab) -> None:
    papers = tuple(
        make_paper(f"list#{n}{text}", text, title=text, authors=(text,), venue=text, url=text, doi=text)
        for n, text in enumerate(HOSTILE)
    )
    with serving(ScriptedAssistant(papers=papers)) as url:
        tab.open(url)
        for number, text in enumerate(HOSTILE, start=1):
            tab.ask(f"{text} hostile")
            tab.wait_for_turn(number)
            expect(tab.page.locator(f"#t{number} .question")).to_have_text(f"{text} hostile")
        for card in tab.page.locator(".group.current details.card").all():
            card.locator("summary").click()
        shown = tab.page.locator(".group.current details.card .abstract").all_text_contents()
    assert shown == list(HOSTILE)
    for forbidden in ("script", "img", "svg", "style", "iframe", "form", "input", "[onerror]", "[onmouseover]"):
        expect(tab.page.locator(f":is(#chat, #sources) {forbidden}")).to_have_count(0)
    links = tab.page.locator(":is(#chat, #sources) a").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    assert all(re.fullmatch(r"#t\d+(-\d+)?|https://doi\.org/.*", link) for link in links)


def test_the_policy_stops_what_escaping_might_miss(tab: Tab, window: str) -> None:
    tab.open(window)
    tab.page.evaluate(
        """() => document.addEventListener("securitypolicyviolation", (event) => {
            (window.refused ??= []).push(event.blockedURI.slice(0, 22));
        })"""
    )
    tab.page.evaluate(
        """() => document.getElementById("live").insertAdjacentHTML("beforeend",
            `<img src="https://evil.example/a.png"><video src="https://evil.example/b.mp4"></video>
             <iframe src="https://evil.example/c"></iframe><div style="background:url(https://evil.example/d)">x</div>
             <link rel="stylesheet" href="https://evil.example/e.css">`)"""
    )
    for place in "abde":
        tab.page.wait_for_function("place => window.refused.includes(`https://evil.example/${place}`)", arg=place)
    assert {request.failure for request in tab.requests if "evil.example" in request.url} == {"csp"}
    tab.requests.clear()


def test_on_a_phone_the_sources_stand_below_and_a_citation_leads_there_and_back(browser: Browser, window: str) -> None:
    context = browser.new_context(viewport=PHONE, is_mobile=True, has_touch=True)
    tab = Tab(context.new_page())
    tab.open(window)
    expect(tab.page.locator("#box")).to_be_in_viewport(ratio=1)
    tab.ask("What is Sparrow?")
    tab.wait_for_turn(1)
    expect(tab.page.locator("#t1 .question")).to_be_in_viewport(ratio=1)
    expect(tab.page.locator("#t1-1")).not_to_be_in_viewport()
    tab.page.locator("#t1 a.chip").first.tap()
    expect(tab.page.locator("#t1-1 mark").first).to_be_in_viewport()
    tab.page.locator("#t1-1 .back").tap()
    expect(tab.page.locator("#t1 .question")).to_be_in_viewport(ratio=1)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    context.close()
    assert (tab.foreign, tab.errors) == ([], [])


def test_a_citation_opens_at_the_quoted_words_of_a_long_abstract(tab: Tab) -> None:
    long = make_paper("list#1", "Much is said here. " * 300 + SPARROW.abstract, title=SPARROW.title)
    with serving(ScriptedAssistant(papers=(long,))) as url:
        tab.open(url)
        tab.ask("What is Sparrow?")
        tab.wait_for_turn(1)
        tab.page.locator("#t1 a.chip").first.click()
        expect(tab.page.locator("#t1-1 mark").first).to_be_in_viewport(ratio=1)


def test_two_tabs_keep_their_conversations_apart(browser: Browser, window: str) -> None:
    context = browser.new_context(viewport=WIDE)
    one, two = Tab(context.new_page()), Tab(context.new_page())
    for tab, question in ((one, "What is Sparrow?"), (two, "How fast is Heron?")):
        tab.open(window)
        tab.ask(question)
    for tab in (one, two):
        tab.wait_for_turn(1)
    expect(one.page.locator("#chat")).not_to_contain_text("Heron")
    expect(two.page.locator("#chat .answer")).not_to_contain_text("Sparrow")
    context.close()


def test_behind_a_token_a_reader_comes_in_with_it_as_the_password(browser: Browser, seeds_store: Path) -> None:
    token = "canary-token-0123456789"
    with Assistant(store=seeds_store) as assistant, served(assistant, Terms(token=token)) as server:
        context = browser.new_context(viewport=WIDE, http_credentials={"username": "me", "password": token})
        tab = Tab(context.new_page())
        for _ in range(3):
            tab.open(server.url)
            tab.ask("What is TabFlex?")
            tab.wait_for_turn(1)
            expect(tab.page.locator("#live [data-testid=bot]")).to_contain_text("[1]")
        context.close()
    assert tab.errors == []
