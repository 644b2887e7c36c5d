"""The page of a run of EQL in Chromium: moving between its steps, in a wide and in a narrow window."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.parte.browsers import chromium
from tests.parte.examples import Command

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("playground")]

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "workstations"


@pytest.mark.parametrize("width", [360, 1400])
def test_a_page_goes_from_step_to_step(command: Command, tmp_path: Path, width: int) -> None:
    path = tmp_path / "step.html"
    assert command("step", FOLDER / "macro.eql", FOLDER / "trace.jsonl", "-o", path).code == 0
    with chromium() as browser:
        page = browser.new_page(viewport={"width": width, "height": 800})
        faults: list[str] = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(f"{path.as_uri()}#step=9")
        expect(page.locator("#said")).to_have_text("9. p5 of process arrives")
        expect(page.locator(".step:visible")).to_have_count(1)
        expect(page.locator(".time:visible circle.now")).to_have_attribute("data-event", "p5")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#count")).to_have_text("10 of 21")
        page.keyboard.press("Home")
        page.keyboard.press("n")
        expect(page.locator(".step:visible .match")).to_contain_text('"events":["p2","n2"]')
        assert page.url.endswith("#step=5")
        scroll, client = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert (scroll <= client, faults) == (True, [])
