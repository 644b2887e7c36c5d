"""The site that `make docs` builds: without a warning, whole, every link right, nothing asked of another host."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag

import pytest
from playwright.sync_api import Page as BrowserPage

import parte
from parte.checker.solver.verdict import Verdict
from parte.languages.registry import languages
from parte.proofs.facets import LEMMAS
from tests.parte.browsers import chromium

ROOT = Path(__file__).parents[1]
BUILT = [pytest.mark.exhaustive, pytest.mark.xdist_group("site")]
"""One process builds it, once."""

FOREIGN = re.compile(r"(?:[a-z]+:)?//")
ASKED = {"src", "srcset", "poster", "data", "action", "background"}
"""Attributes of which a browser fetches the value, or sends something to it."""
IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)")
IN_SCRIPT = re.compile(r"['\"`](https?://[^'\"`]+)")
NAMESPACES = "http://www.w3.org/"


class Page(HTMLParser):
    """A page: its anchors, what it links to, and what a browser asks for when it shows it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.requests: list[str] = IN_STYLE.findall(text)
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id":
                self.anchors.add(value)
            elif name in ASKED or (name in {"href", "xlink:href"} and tag in {"link", "use", "image", "base"}):
                self.requests.append(value)
            elif name == "href":
                self.links.append(value)

    def foreign(self) -> list[str]:
        return [link for link in self.requests if FOREIGN.match(link)]


def test_a_request_to_another_host_is_found() -> None:
    page = Page(
        '<link href="https://a/x.css"><script src="//b/x.js"></script><img src="x.png"><a href="https://c">c</a>'
        "<style>@import 'https://d/x.css'; p { background: url(//e/x.png) }</style><svg><use href='http://f/g'/></svg>"
    )
    assert sorted(link.split("/")[2] for link in page.foreign()) == ["a", "b", "d", "e", "f"]
    assert page.links == ["https://c"]


def test_who_cites_the_project_cites_its_version() -> None:
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    paths = [str(path) for path in (folder / "trees", ROOT / "docs", folder / "site")]
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-d", *paths]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    return folder / "site"


def pages(site: Path) -> Iterator[tuple[Path, Page]]:
    for path in sorted(site.rglob("*.html")):
        yield path, Page(path.read_text(encoding="utf-8"))


def text_of(html: str) -> str:
    return unescape(re.sub("<[^>]+>", "", html)).strip()


def first_of(page: BrowserPage, site: Path, query: str) -> str:
    """The page that the search lists first, by its name; empty if it finds none."""
    page.goto(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
    page.wait_for_function("document.querySelector('#search-results li a, .search-summary:not(:empty)') !== null")
    link = page.locator("#search-results li a").first
    if not link.count():
        return ""
    return unquote(urldefrag(link.get_attribute("href") or "")[0].partition("?")[0]).removesuffix(".html")


class TestSite:
    pytestmark = BUILT

    def test_nothing_is_asked_of_another_host(self, site: Path) -> None:
        foreign = [(path.name, link) for path, page in pages(site) for link in page.foreign()]
        for pattern, name in ((IN_STYLE, "*.css"), (IN_SCRIPT, "*.js"), (IN_STYLE, "*.svg")):
            foreign += [
                (path.name, link)
                for path in site.rglob(name)
                for link in pattern.findall(path.read_text(encoding="utf-8"))
                if not link.startswith(NAMESPACES)
            ]
        assert not foreign

    def test_every_link_leads_somewhere(self, site: Path) -> None:
        read = dict(pages(site))
        dead = []
        for path, page in read.items():
            for link in (*page.links, *page.requests):
                if re.match(r"[a-z]+:", link):
                    continue
                target, anchor = urldefrag(link)
                target = target.partition("?")[0]
                file = (path.parent / unquote(target)).resolve() if target else path
                if not file.is_file() or (anchor and file in read and unquote(anchor) not in read[file].anchors):
                    dead.append((path.name, link))
        assert not dead

    def test_newcomers_are_sent_to_what_works_from_a_file(self, site: Path) -> None:
        index = (site / "index.html").read_text(encoding="utf-8")
        assert Page(index.partition("Write rules")[2]).links[0] == "ten-minutes.html"
        text = (site / "playground.html").read_text(encoding="utf-8")
        assert not [link for link in Page(text).requests if link.startswith("playground/")]
        needed = "serves it and these pages" in " ".join(text.split())
        assert needed == (site / "playground" / "index.html").is_file()
        assert "parte playground" in re.sub(r"<[^>]+>", "", text)

    def test_the_typeset_rules_lead_to_pages_of_the_site(self, site: Path) -> None:
        links = Page((site / "rules-typeset.html").read_text(encoding="utf-8")).links
        assert "index.html" in links
        assert not [link for link in links if ".md" in link]

    def test_every_lemma_is_there_with_its_results(self, site: Path) -> None:
        """The claim that a refutation breaks is computed when the page is built."""
        rows = re.findall("<tr.*?</tr>", (site / "lemmas.html").read_text(encoding="utf-8"), re.DOTALL)
        cells = [[text_of(cell) for cell in re.findall("<td.*?</td>", row, re.DOTALL)] for row in rows]
        listed = [(row[0], row[3], re.split("[,:]", row[4])[0]) for row in cells if row]
        stated = [
            (lemma.id, model, verdict.value)
            for language in languages()
            if language.has(LEMMAS)
            for lemma in language[LEMMAS].lemmas
            for model, verdict in lemma.expected.items()
        ]
        assert sorted(listed) == sorted(stated)
        refuted = [row[4] for row in cells if row and row[4].startswith(Verdict.REFUTED.value)]
        assert refuted
        assert all(": not \u201c" in result for result in refuted)

    def test_every_page_can_be_found(self, site: Path) -> None:
        index = (site / "searchindex.js").read_text(encoding="utf-8")
        indexed = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["docnames"]
        written = (ROOT / "docs").rglob("*.md")
        assert sorted(indexed) == sorted(str(page.relative_to(ROOT / "docs").with_suffix("")) for page in written)

    def test_pictures_have_a_text(self, site: Path) -> None:
        """An alternative text of an image, a title of a drawing; a box that scrolls is named and has the keyboard."""
        for path in site.rglob("*.html"):
            text = path.read_text(encoding="utf-8")
            bare = [tag for tag in re.findall(r"<img[^>]*>", text) if not re.search(r'alt="[^"]+"', tag)]
            drawings = re.findall(r'<svg[^>]*role="img"[^>]*>\s*(<title>[^<]+)?', text)
            boxes = [tag for tag in re.findall(r"<figure[^>]* wide[^>]*>", text) if "tabindex" not in tag]
            assert (bare, "" in drawings, boxes) == ([], False, []), path.name

    def test_a_search_finds_its_page_first(self, site: Path) -> None:
        """By the search of the built site, in a browser, as its page of results ranks them."""
        searches = tomllib.loads((ROOT / "tests" / "searches.toml").read_text(encoding="utf-8"))
        assert len(searches) >= 50
        with chromium() as browser:
            page = browser.new_page()
            first = {query: first_of(page, site, query) for query in searches}
        assert {query: first[query] for query, wanted in searches.items() if first[query] not in wanted} == {}

    @pytest.mark.parametrize("width", [360, 768, 1600])
    def test_pages_with_pictures_fit_the_window(self, site: Path, width: int) -> None:
        with chromium() as browser:
            page = browser.new_page(viewport={"width": width, "height": 900})
            for name in ("index", "machine", "lead", "engines", "evidence", "commands"):
                page.goto((site / f"{name}.html").as_uri())
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name

    def test_a_box_of_reasons_is_shown_to_the_keyboard(self, site: Path) -> None:
        with chromium() as browser:
            page = browser.new_page()
            page.goto((site / "engines.html").as_uri())
            cell = page.locator("td[aria-describedby]").first
            box = cell.locator(".box")
            assert not box.is_visible()
            cell.focus()
            assert box.is_visible()
            assert re.match(r"\d+ pass, .*\n\d+ × ", box.inner_text())

    def test_the_api_is_whole(self, site: Path) -> None:
        page = Page((site / "api.html").read_text(encoding="utf-8"))
        guests = [language.name.lower() for language in languages()[1:]]
        modules = {"parte": parte, **{f"parte.{name}": getattr(parte, name) for name in guests}}
        public = {
            f"{name}.{member}"
            for name, module in modules.items()
            for member in module.__all__
            if module is parte or getattr(module, member) is not getattr(parte, member, None)  # documented once
        } - modules.keys()
        assert not public - page.anchors
