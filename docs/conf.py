"""Configuration of Sphinx for the site (`make docs`): every warning is an error, and nothing is fetched."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib import metadata
from os.path import relpath
from pathlib import Path
from shutil import copytree

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from parte.checker.partelang.codes import CODES as CODES_OF_CHECKS
from parte.editing.lexers import lexer_of
from parte.editing.support import colourings

sys.path.insert(0, str(Path(__file__).parents[1]))
from docs.generate import BUILT, page  # from the folder above, which is on the path only now
from docs.rules_page import TYPESET, rules_html

project = "PARTE"
author = "The PARTE developers"
version = release = metadata.version("parte")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["**/__pycache__"]

# --- Pages: plain Markdown as other viewers show it ------------------------------------------------------------------

myst_heading_anchors = 6
highlight_language = "none"
smartquotes = False
nitpicky = True
# Types in signatures are links where the site has them; those of the standard library are elsewhere.
nitpick_ignore_regex = [("py:.*", ".*")]

# --- The API, out of docstrings, in which `this` is code as it is in Markdown -----------------------------------------

default_role = "code"
autodoc_member_order = "groupwise"
autodoc_preserve_defaults = True

# --- The look: all of it is in the site, which works from a file -----------------------------------------------------

html_theme = "furo"
html_title = "PARTE"
html_copy_source = False
html_show_copyright = False
html_use_index = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

PLAYGROUND = Path(__file__).parents[1] / "build" / "playground"
"""Folder of the playground that `make playground` builds; without it the page explains how to build it."""

TERMS: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "terms.toml").read_text(encoding="utf-8"))
"""The index by hand: the words of each page."""


class Anchors(SphinxTransform):
    """Makes `<a id="…"></a>`, as in clauses of the specification, a target, so that links to it are checked."""

    default_priority = 800
    opening = re.compile(r'<a id="(?P<id>[^"]+)"[^>]*>')

    def apply(self, **_: object) -> None:
        """Replace each anchor by a target."""
        for raw in list(self.document.findall(nodes.raw)):
            if anchor := self.opening.fullmatch(raw.astext()):
                target = nodes.target(names=[anchor["id"]])
                self.document.note_explicit_target(target)
                raw.replace_self(target)
            elif raw.astext() == "</a>":
                raw.parent.remove(raw)


class Indexed(SphinxTransform):
    """Enters the words that a page explains into the index, by which the search finds it first.

    These are the options on the page of commands, diagnostic codes, inference rules, clauses of the specification, the
    terms of the glossary, and those of `terms.toml`.
    """

    default_priority = 700  # before the anchors of clauses are replaced

    def apply(self, **_: object) -> None:
        """Enter the words of this page."""
        words = {*self.words(), *TERMS.get(self.env.docname, ())}
        entries = [("single", word, "", "main", None) for word in sorted(words) if ";" not in word]
        if entries:
            self.document.insert(0, addnodes.index(entries=entries))

    def words(self) -> set[str]:
        """Return the words that this page explains."""
        page = self.env.docname
        first = [row[0] for row in self.document.findall(nodes.row) if isinstance(row[0], nodes.entry)]
        code = {literal.astext() for cell in first for literal in cell.findall(nodes.literal)}
        match page:
            case "checker":
                return {literal.astext() for literal in self.document.findall(nodes.literal)} & CODES_OF_CHECKS.keys()
            case "commands":
                return {word for word in code if word.startswith("-")}
            case "diagnostics":
                return code
            case "glossary":
                return {cell.astext() for cell in first if not list(cell.findall(nodes.literal))}
            case "rules":
                titles = (title.astext() for title in self.document.findall(nodes.title))
                return {name for title in titles if "/" in title for name in (title, *title.split("/")[1:])}
            case _ if page.startswith("specification/"):
                anchors = (Anchors.opening.fullmatch(raw.astext()) for raw in self.document.findall(nodes.raw))
                return {anchor["id"] for anchor in anchors if anchor and "-" in anchor["id"]}
        return set()


class Beside(SphinxTransform):
    """Makes a link to the typeset rules open that page, and a link to any other file that is not a page download it.

    A page of the project outside these, such as the README of an example, is such a file.
    """

    default_priority = 800

    def apply(self, **_: object) -> None:
        """Replace each such link."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("refdomain") == "doc" and link["reftarget"].startswith("/"):
                file = "/" + relpath(link["reftarget"] + ".md", self.env.srcdir)
                attributes = {"refdoc": link["refdoc"], "refexplicit": True, "reftype": "myst"}
                link.replace_self(addnodes.download_reference("", "", *link.children, reftarget=file, **attributes))
            elif link["reftarget"] == TYPESET:
                link.replace_self(nodes.reference("", "", *link.children, refuri=TYPESET, internal=True))


def with_scorer(app: Sphinx, config: Config) -> None:
    """Write the scorer of the search with the order of the navigation, which is that of the page `index`."""
    index = (Path(app.srcdir) / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```{toctree}\n.*?\n\n(.*?)^```", index, re.MULTILINE | re.DOTALL)
    places = {page: (section, place) for section, pages in enumerate(trees) for place, page in enumerate(pages.split())}
    text = (Path(app.srcdir) / "scorer.js").read_text(encoding="utf-8")
    scorer = Path(app.doctreedir) / "scorer.js"
    scorer.parent.mkdir(parents=True, exist_ok=True)
    scorer.write_text(text.replace("PLACES = {}", f"PLACES = {json.dumps(places)}"), encoding="utf-8")
    config.html_search_scorer = str(scorer)


def with_playground(app: Sphinx, error: Exception | None) -> None:
    """Copy the built playground into a folder of the site."""
    if error is None and app.builder.format == "html" and PLAYGROUND.is_dir():
        copytree(PLAYGROUND, Path(app.outdir) / "playground", dirs_exist_ok=True)


def with_typeset_rules(app: Sphinx, error: Exception | None) -> None:
    """Write the page of typeset rules, with links to pages of the site."""
    if error is None and app.builder.format == "html":
        text = re.sub(r'(?<=href=")([a-z]+)\.md(?=[#"])', r"\1.html", rules_html())
        (Path(app.outdir) / TYPESET).write_text(text, encoding="utf-8")


def with_generated_part(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the generated part of a page in its place."""
    del app
    if name in BUILT:
        source[0] = page(name, source[0])


def generated_pages(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages with a generated part: their files do not change with the code that they show."""
    del app, env, added, changed, removed
    return list(BUILT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transformations and handlers of this project."""
    if PLAYGROUND.is_dir():
        app.tags.add("playground")
    app.connect("config-inited", with_scorer)
    app.connect("env-get-outdated", generated_pages)
    app.connect("source-read", with_generated_part)
    app.connect("build-finished", with_playground)
    app.connect("build-finished", with_typeset_rules)
    app.add_transform(Anchors)
    app.add_transform(Beside)
    app.add_transform(Indexed)
    for lexer in map(lexer_of, colourings()):
        app.add_lexer(lexer.aliases[0], lexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
