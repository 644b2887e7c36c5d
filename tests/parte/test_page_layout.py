"""How pages that are one file lie in windows of a telephone, a tablet and a desk, in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import parte
from docs.rules_page import rules_html
from tests.parte.browsers import chromium
from tests.parte.examples import FRAUD

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("playground")]

WINDOWS = [(360, 800), (768, 1024), (1600, 900)]
LEAST_TEXT = 9
"""Pixels: smaller letters cannot be read."""
WIDTHS = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
SHOWN = """() => {
    const box = [...document.querySelectorAll(".time")].filter(each => each.offsetParent);
    const within = box[0].getBoundingClientRect();
    const inside = ({ left, right }) => left >= within.left - 1 && right <= within.right + 1;
    const of = name => [...box[0].querySelectorAll(name)].map(each => each.getBoundingClientRect());
    return {
        boxes: box.length,
        scrolls: [box[0].scrollWidth - box[0].clientWidth, box[0].scrollHeight - box[0].clientHeight],
        marks: of("circle").map(inside), windows: of(".window").map(inside), texts: of("text").map(inside),
        height: Math.min(...of("text").map(({ height }) => height)),
        later: [...box[0].querySelectorAll("circle.later")].length,
    };
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(params=WINDOWS, ids=lambda size: f"{size[0]}x{size[1]}")
def window(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = parte.parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8"))
    trace = parte.load_trace(FRAUD / "trace.jsonl")
    domain = parte.load_domain(FRAUD / "domain.json")
    page = tmp_path_factory.mktemp("steps") / "step.html"
    page.write_text(parte.step(program, trace, domain=domain).html, encoding="utf-8")
    return page


def test_the_trace_in_time_is_shown_whole(window: Page, steps: Path) -> None:
    window.goto(steps.as_uri())
    layout: Any = window.evaluate(SHOWN)
    assert layout["boxes"] == 1
    assert layout["scrolls"] == [0, 0]
    for what in ("marks", "windows", "texts"):
        assert layout[what], what
        assert all(layout[what]), what
    assert layout["height"] >= LEAST_TEXT
    assert layout["later"], "events that have not arrived are pale"
    scroll, client = window.evaluate(WIDTHS)
    assert scroll <= client


def test_the_typeset_rules_fit_and_have_links(window: Page, tmp_path: Path) -> None:
    page = tmp_path / "rules.html"
    page.write_text(rules_html(), encoding="utf-8")
    window.goto(page.as_uri())
    scroll, client = window.evaluate(WIDTHS)
    assert scroll <= client
    for name in ("index.md", "rules.md", "lemmas.md"):
        assert window.locator(f'a[href="{name}"]').is_visible()
    assert window.locator("nav[aria-label=Contents] a").count() == window.locator("h2").count()
    sections = window.locator("section").count()
    assert window.locator("section a[href^='rules.md#']").count() == sections > 0
