"""The page of the playground, in Chromium: it is driven as people do, with the network cut."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from parte.editing.support import colourings
from parte.editing.words import Kind
from parte.languages.registry import language_called, languages
from parte.playground.answers import answer, tasks_of
from parte.playground.serving import HERE, server
from playground.build import BUILT, build
from playground.examples import Example, examples
from tests.parte.browsers import chromium, unavailable

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("playground")]

EXAMPLES = {example.id: example for example in examples()}
FIRST = next(iter(EXAMPLES.values()))
ONE_OF_EACH = tuple({example.language: name for name, example in EXAMPLES.items()}.values())
"""The last example of each language."""

GUEST = languages()[-1].name
WITH_PREDICATE = "logins/FromHiddenNetwork"
LOADED = 60_000
"""Milliseconds until Python is there: a busy machine takes its time."""

HEARING = """(() => {
    window.answers = {};
    const Before = Worker;
    window.Worker = class extends Before {
        constructor(...given) {
            super(...given);
            this.addEventListener("message", ({ data }) => {
                if (data.answer) window.answers[window.asked.task] = data.answer;
            });
        }
        postMessage(data) {
            window.asked = data.request;
            super.postMessage(data);
        }
    };
})()"""
"""Writes down what the page asks its worker, and what it hears."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served: `.ci/run` has built it, and elsewhere it is built now, from the sources as they are."""
    folder = BUILT
    if not os.environ.get("CI"):
        if shutil.which("npm") is None:
            unavailable("npm is not installed")
        folder = tmp_path_factory.mktemp("playground") / "page"
        build(folder)
    elif not folder.exists():
        unavailable("the page was not built")
    with server(folder, 0) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://{HERE}:{serving.server_port}/"
        serving.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@dataclass
class Visit:
    """A page that is looked at, with what it asked of others and what went wrong in it."""

    address: str
    page: Page
    foreign: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("request", self._note)
        self.page.context.route(lambda url: not url.startswith(self.address), self._refuse)
        self.page.add_init_script(HEARING)

    def _note(self, request: Request) -> None:
        self.requested.append(request.url)

    def _refuse(self, route: Route) -> None:
        self.foreign.append(route.request.url)
        route.abort()

    def open(self, fragment: str = "") -> None:
        """Open the page anew."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}index.html{fragment and '#'}{fragment}")

    def show(self, example: Example) -> None:
        """Choose an example, and wait for its matches."""
        language = self.page.locator("#language")
        if language.input_value() != example.language:
            language.select_option(example.language)
        self.page.locator("#example").select_option(example.id)
        self.finished()

    def choose(self, task: str) -> None:
        """Choose what is asked, and wait for the answer."""
        self.page.locator(f"#task-{task}").click()
        self.finished()

    def finished(self) -> None:
        """Wait for an answer."""
        self.page.locator("#result:not(.old) > *").first.wait_for(state="attached", timeout=LOADED)
        self.page.locator("#cancel").wait_for(state="hidden", timeout=LOADED)

    def write(self, editor: str, text: str) -> None:
        """Write into an editor what is to be in it.

        Of what replaces a selection Chromium would keep the style, in an attribute that the policy refuses: it says so.
        """
        self.page.locator(f"#{editor} .cm-content").click()
        for key in ("Control+a", "Delete"):
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(text)

    def answered(self, task: str = "run") -> Any:
        """The last answer to what was asked."""
        return json.loads(self.page.evaluate(f"window.answers.{task}"))

    @property
    def result(self) -> Locator:
        """What is answered, on the page."""
        return self.page.locator("#result")

    @property
    def status(self) -> Locator:
        """What the page says of itself."""
        return self.page.locator("#status")


def visiting(address: str, browser: Browser) -> Iterator[Visit]:
    """A page, which at the end must have asked nothing of others, and in which nothing must have gone wrong."""
    context = browser.new_context(viewport={"width": 1600, "height": 900})
    visit = Visit(address, context.new_page())
    visit.open()
    yield visit
    context.close()
    assert not visit.foreign
    assert not visit.errors


@pytest.fixture(scope="module")
def shared(address: str, browser: Browser) -> Iterator[Visit]:
    """A page that stays, for Python takes its time to start."""
    yield from visiting(address, browser)


@pytest.fixture(scope="module")
def fresh(address: str, browser: Browser) -> Iterator[Visit]:
    """Another page: what a link opens."""
    yield from visiting(address, browser)


def of(example: Example, task: str = "run") -> Any:
    """What the reference answers outside the browser."""
    names = ("language", "program", "trace", "domain", "disorder")
    return json.loads(answer(json.dumps({"task": task, **{name: getattr(example, name) for name in names}})))


# --- What it answers -------------------------------------------------------------------------------------------------


def test_it_opens_with_an_example_and_the_solver_is_not_loaded_for_it(shared: Visit) -> None:
    shared.finished()
    expect(shared.status).to_have_text("1 match.")
    loaded = [url for url in shared.requested if url.endswith(".whl")]
    assert len(loaded) == 4
    assert not [url for url in loaded if "z3" in url]


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=lambda example: str(example.id))
def test_every_example_finds_what_the_reference_finds(shared: Visit, example: Example) -> None:
    expected = of(example)
    shared.show(example)
    assert shared.answered() == expected
    assert shared.result.locator("tbody tr").count() == expected["count"]
    assert (shared.result.inner_text() == "Nothing matches.") == (expected["count"] == 0)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_every_task_of_every_language_is_answered(shared: Visit, name: str) -> None:
    example = EXAMPLES[name]
    shared.show(example)
    tasks = tasks_of(language_called(example.language))
    for task in (task for task in ("timeline", "network") if task in tasks):
        shared.choose(task)
        assert shared.answered(task)["drawing"] == of(example, task)["drawing"]
        image = shared.result.locator("img")
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("image => image.naturalWidth") > 100
    for report in (task for task in ("compare", "check") if task in tasks):
        shared.choose(report)
        wanted, printed = (_untimed(reply["text"]) for reply in (of(example, report), shared.answered(report)))
        assert printed == wanted
        assert _untimed(shared.result.locator("pre").inner_text()).strip() == wanted.strip()
    assert "check" not in tasks or [url for url in shared.requested if "z3" in url]
    assert (shared.page.locator("#task-why").count() == 1) == (example.language == "PARTElang")
    shared.page.locator("#task-run").click()


def _untimed(text: str) -> str:
    return re.sub(r"[\d.]+ s of [\d.]+ s", "…", text)


def test_the_steps_of_a_machine_are_a_page_within_the_page(shared: Visit) -> None:
    example = EXAMPLES["door/door"]
    shared.show(example)
    shared.choose("step")
    frame = shared.page.frame_locator("#result iframe")
    expect(frame.locator("h1")).to_have_text("sound, step by step")
    frame.locator("#on").click()
    expect(frame.locator("#count")).to_contain_text("1")
    expect(frame.locator("#figure")).not_to_be_empty()
    assert frame.locator("svg .paper").first.evaluate("paper => getComputedStyle(paper).fill") == "rgb(255, 255, 255)"
    shared.page.locator("#task-run").click()


def test_the_policy_admits_what_is_served_with_the_page_only(shared: Visit) -> None:
    policy = shared.page.locator("meta[http-equiv]").get_attribute("content")
    with urllib.request.urlopen(f"{shared.address}worker.js") as served:
        assert served.headers["Content-Security-Policy"] == f"{policy}; frame-ancestors 'self'"
    sources = {source for directive in str(policy).split("; ") for source in directive.split()[1:]}
    known = {"'none'", "'self'", "'wasm-unsafe-eval'", "blob:", "data:"}
    assert all(source.startswith("'sha256-") for source in sources - known)


def test_why_is_asked_beside_a_match(shared: Visit) -> None:
    shared.show(EXAMPLES["factory/HeartbeatLost"])
    shared.result.locator("button", has_text="why?").first.click()
    shared.finished()
    expect(shared.status).to_contain_text("A match.")
    expect(shared.result).to_contain_text("HeartbeatLost(beat=h2): 1 match")
    shared.page.locator("#bindings").fill("beat=h1")
    shared.page.keyboard.press("Enter")
    expect(shared.status).to_contain_text("No match.")
    shared.page.locator("#task-run").click()


def test_models_and_schedules(shared: Visit) -> None:
    shared.show(EXAMPLES["partelang/later"])
    expect(shared.page.locator("#seed")).to_be_hidden()
    shared.page.locator("#schedule").select_option("random")
    shared.page.locator("#seed").fill("7")
    shared.page.keyboard.press("Enter")
    expect(shared.result).not_to_have_class(re.compile("old"))
    request = shared.page.evaluate("window.asked")
    assert (request["schedule"], request["seed"], request["model"]) == ("random", 7, "sound")
    shared.page.locator("#model").select_option("published")
    shared.choose("compare")
    assert shared.answered("compare")["text"] == of_model(EXAMPLES["partelang/later"], "published")
    shared.page.locator("#model").select_option("algebra")
    expect(shared.page.locator("#schedule")).to_be_hidden()
    shared.page.locator("#task-run").click()


def of_model(example: Example, model: str) -> str:
    """What comparing a model says outside the browser."""
    request = {"task": "compare", "language": example.language, "program": example.program, "trace": example.trace}
    return str(json.loads(answer(json.dumps({**request, "model": model})))["text"])


# --- What is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_programs_have_the_colours_that_editors_give_them(shared: Visit, name: str) -> None:
    example = EXAMPLES[name]
    shared.show(example)
    (colouring,) = (colouring for colouring in colourings() if colouring.language == example.language)
    pieces = [(kind.value, text) for _, kind, text in colouring.pieces(example.program) if kind is not Kind.SPACE]
    coloured = shared.page.locator("#program .cm-content").evaluate(
        """content => Array.from(content.querySelectorAll('[class^="tok-"]'),
            piece => [piece.className.slice(4), piece.textContent])"""
    )
    assert _characters(coloured) == _characters(pieces)


def _characters(pieces: list[Any]) -> list[tuple[str, str]]:
    return [(kind, character) for kind, text in pieces for character in text if not character.isspace()]


def test_a_mistake_is_marked_where_it_is(shared: Visit) -> None:
    """Columns are of characters, and the editor counts code units."""
    shared.show(FIRST)
    shared.write("program", 'template A { s : String }\nrule R where a : A { s = "😀", sS = "x" }\n')
    marked = shared.page.locator("#program .cm-lintRange-error")
    expect(marked).to_have_text("sS", timeout=LOADED)
    said = shared.page.locator("#marks li")
    expect(said).to_have_count(1)
    expect(said).to_contain_text("program:2:31")
    expect(said).to_contain_text("did you mean `s`?")
    said.locator("button").click()
    assert shared.page.evaluate("document.activeElement.id") == "program"
    for key in ("Delete", "s"):
        shared.page.keyboard.press(key)
    expect(said).to_have_count(0)


def test_what_a_trace_holds_is_text_on_the_page(shared: Visit) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    shared.show(FIRST)
    shared.write(
        "program",
        "template A { s : String }\nrule R where a : A then emit B at a.timestamp with { s = a.s }\n"
        "template B { s : String }\n",
    )
    event = {"id": hostile, "template": "A", "timestamp": 1, "attributes": {"s": hostile}}
    shared.write("trace", json.dumps(event) + "\n")
    shared.page.locator("#run").click()
    expect(shared.result.locator("td").nth(2)).to_contain_text(hostile)
    expect(shared.result.locator("td").nth(3)).to_contain_text(hostile)
    assert shared.result.locator("img").count() == 0
    shared.choose("timeline")
    assert shared.result.locator("img").count() == 1
    shared.page.locator("#task-run").click()


# --- Links ------------------------------------------------------------------------------------------------------------


def fragment(state: object, version: str = "1") -> str:
    """The fragment that carries a state."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = state if isinstance(state, bytes) else json.dumps(state).encode()
    content = packed.compress(text) + packed.flush()
    return f"{version}.{base64.urlsafe_b64encode(content).decode().rstrip('=')}"


HOSTILE = {
    "nothing": "1.",
    "no link": "<script>alert(1)</script>",
    "not base64": "1.%%%",
    "not compressed": "1.AAAA",
    "cut": fragment({"language": GUEST, "program": "x" * 500 + "abc"})[:-9],
    "of another version": fragment({"language": GUEST}, "2"),
    "long": f"1.{'A' * 100_000}",
    "a bomb": fragment(b" " * 30_000_000),
    "no JSON": fragment(b"{"),
    "no UTF-8": fragment(b'{"program": "\xff"}'),
    "a list": fragment([1]),
    "null": fragment(None),
    "no language": fragment({"language": "Prolog"}),
    "no model": fragment({"language": GUEST, "model": "sound2"}),
    "no task": fragment({"language": GUEST, "task": "why"}),
    "a number": fragment({"language": GUEST, "program": 1}),
    "a seed": fragment({"language": "PARTElang", "seed": -1}),
    "a surplus": fragment(b'{"language": "PARTElang", "__proto__": {"x": 1}}'),
    "no example": "example=<b>",
}


def test_fragments_that_cannot_be_read_get_a_message(shared: Visit) -> None:
    notice = shared.page.locator("#notice")
    for name, hostile in HOSTILE.items():
        shared.page.evaluate(f"location.hash = {json.dumps('#example=' + WITH_PREDICATE)}")
        expect(notice).to_be_hidden()
        shared.page.evaluate(f"location.hash = {json.dumps('#' + hostile)}")
        expect(notice, name).to_contain_text("This link cannot be read: ")
        expect(shared.page.locator("#example"), name).to_have_value(FIRST.id)
        assert notice.locator("*").count() == 0, name
    shared.page.evaluate(f"location.hash = {json.dumps('#example=' + FIRST.id)}")


def test_a_link_carries_all_of_it_and_runs_nothing_by_itself(shared: Visit, fresh: Visit) -> None:
    shared.show(EXAMPLES[WITH_PREDICATE])
    shared.page.locator("#model").select_option("published")
    shared.page.locator("#schedule").select_option("adversarial")
    shared.page.locator("#seed").fill("3")
    shared.page.locator("#disorder").fill("2 seconds")
    shared.write("trace", "é 😀")
    shared.page.locator("#link").click()
    expect(shared.status).to_contain_text("The link is")
    fresh.open(shared.page.evaluate("location.hash").removeprefix("#"))
    expect(fresh.status).to_contain_text("Ready", timeout=LOADED)
    for name, value in {"model": "published", "schedule": "adversarial", "seed": "3", "disorder": "2 seconds"}.items():
        expect(fresh.page.locator(f"#{name}")).to_have_value(value)
    assert fresh.page.locator("#trace .cm-line").all_inner_texts() == ["é 😀"]
    for editor in ("program", "domain"):
        texts = [visit.page.locator(f"#{editor} .cm-line").all_inner_texts() for visit in (shared, fresh)]
        assert texts[0] == texts[1] != [""]
    expect(fresh.page.locator("#notice")).to_be_hidden()
    assert fresh.result.locator("*").count() == 0


def test_a_run_that_lasts_is_given_up(fresh: Visit) -> None:
    fresh.show(FIRST)
    patterns = ", ".join(f"e{number} : A" for number in range(8))
    windows = ", ".join(f"e{number} in e0 [0 ms, 1 hour]" for number in range(1, 8))
    fresh.write("program", f"template A {{}}\nrule R where {patterns} when {windows}\n")
    fresh.write("trace", "".join(f'{{"id":"a{time}","template":"A","timestamp":{time}}}\n' for time in range(40)))
    fresh.page.locator("#model").select_option("algebra")
    fresh.page.locator("#run").click()
    expect(fresh.status).to_have_text("Running…", timeout=LOADED)
    fresh.page.wait_for_timeout(1000)
    fresh.page.locator("#cancel").click()
    fresh.page.locator("#cancel").wait_for(state="hidden")
    expect(fresh.result).to_have_class("old")
    fresh.show(FIRST)
    assert fresh.answered() == of(FIRST)


# --- How it is used ---------------------------------------------------------------------------------------------------


def test_keys_alone_do_everything(shared: Visit) -> None:
    shared.show(EXAMPLES[WITH_PREDICATE])
    page, keys = shared.page, shared.page.keyboard
    page.evaluate("document.activeElement.blur()")
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); body.removeAttribute('tabindex'); }")
    reached: list[str] = []
    for _ in range(30):
        keys.press("Tab")
        page.wait_for_timeout(50)  # an editor shows it with the next frame
        name, seen = page.evaluate(FOCUSED)
        assert seen, f"nobody sees that {name} has the focus"
        reached.append(name)
        if name == "licences.txt":
            break
    fields = ["language", "example", "link", "program", "trace", "Domain table", "domain", "model", "schedule"]
    assert reached[:1] == ["Skip to run"]
    assert [name for name in reached if name in fields] == fields
    assert {"disorder", "run", "task-run", "why?", "result", "licences.txt"} <= {*reached}
    page.locator("#program .cm-content").focus()
    keys.press("Control+End")
    keys.insert_text("rule Another where login : LoginSucceeded\n")
    keys.press("Control+Enter")
    expect(shared.result).to_contain_text("Another")
    page.locator("#task-run").focus()
    for _ in range(3):
        keys.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "task-compare"
    keys.press("Enter")
    expect(shared.status).to_contain_text("They agree.")
    expect(page.locator("#task-compare")).to_have_attribute("aria-selected", "true")
    page.locator("#task-run").click()


FOCUSED = """() => {
    const host = document.activeElement;
    let focused = host;
    const name = focused.id || focused.getAttribute("href") || focused.textContent.trim();
    while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    const around = [focused, host].map((each) => getComputedStyle(each));
    const short = name.startsWith("Domain table") ? "Domain table" : name === "#run" ? "Skip to run" : name;
    return [short, around.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1)];
}"""


@pytest.mark.parametrize("width", [360, 1600])
def test_it_fits_the_width(shared: Visit, width: int) -> None:
    shared.page.set_viewport_size({"width": width, "height": 800})
    shared.show(EXAMPLES["logins/attacks"])
    for task in ("run", "timeline", "network", "compare"):
        shared.choose(task)
        assert shared.page.evaluate("document.documentElement.scrollWidth") <= width
        for button in ("#run", f"#task-{task}", "#link"):
            box = shared.page.locator(button).bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    shared.page.locator("#task-run").click()
    shared.page.set_viewport_size({"width": 1600, "height": 900})


def test_it_is_light_or_dark_as_the_reader_has_it(shared: Visit) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        shared.page.emulate_media(color_scheme=scheme)
        colours.add(shared.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert len(colours) == 2


def test_within_the_documentation_it_is_light_or_dark_as_that_is(address: str, browser: Browser) -> None:
    """There readers choose, whatever their system has."""
    page = browser.new_page(color_scheme="light")
    page.goto(f"{address}licences.txt")
    page.evaluate("""() => {
        document.body.dataset.theme = "dark";
        document.body.append(Object.assign(document.createElement("iframe"), { src: "index.html" }));
    }""")
    inner = page.frame_locator("iframe").locator("html")
    expect(inner).to_have_attribute("data-theme", "dark", timeout=LOADED)
    dark = inner.evaluate("html => getComputedStyle(html).backgroundColor")
    page.evaluate("document.body.dataset.theme = 'auto'")
    expect(inner).to_have_attribute("data-theme", "auto")
    assert inner.evaluate("html => getComputedStyle(html).backgroundColor") != dark
    page.close()


def test_from_a_file_it_says_what_to_do(browser: Browser, address: str, tmp_path: Path) -> None:
    """Browsers start no worker there."""
    del address
    if not BUILT.exists():
        shutil.copytree(Path(__file__).parents[2] / "playground" / "page", tmp_path / "page")
    page = browser.new_page()
    page.goto((BUILT / "index.html").as_uri())
    expect(page.locator("#notice")).to_contain_text("parte playground")
    page.close()
