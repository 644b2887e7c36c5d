"""Configuration of Sphinx for the site (`make docs`): every warning is an error, and nothing is fetched."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from os.path import relpath
from pathlib import Path
from shutil import copytree

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

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

PLAYGROUND = Path(__file__).parents[1] / "build" / "playground"
"""Folder of the playground that `make playground` builds; without it the page explains how to build it."""


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
    app.connect("env-get-outdated", generated_pages)
    app.connect("source-read", with_generated_part)
    app.connect("build-finished", with_playground)
    app.connect("build-finished", with_typeset_rules)
    app.add_transform(Anchors)
    app.add_transform(Beside)
    for lexer in map(lexer_of, colourings()):
        app.add_lexer(lexer.aliases[0], lexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
