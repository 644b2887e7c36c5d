"""Pictures of networks, automata and nets of examples, as `parte graph` draws them, for the pages about machines."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from parte.cli import app
from parte.languages.registry import languages

EXAMPLES: Final = Path(__file__).parents[1] / "parte" / "examples"
_DRAWN: Final = {
    "machine": ("door/door.parte", "The network of the rule of the first page"),
    "cel": ("warehouse/fire.ceql", "The automaton of the query"),
    "etalis": ("bakery/oven.etalis", "The network of the rules"),
    "lead": ("clinic/missed.lead", "The coloured Petri net of the rule"),
}
NETWORKS: Final = {
    page: drawn
    for page, drawn in _DRAWN.items()
    if Path(drawn[0]).suffix in {language.ending for language in languages()}
}
"""The pages with a picture, each with its example and the description of the picture."""


def network(page: str) -> str:
    """Return the picture of a page, in a box that scrolls, with its description and the command that draws it."""
    file, description = NETWORKS[page]
    result = CliRunner().invoke(app, ["graph", str(EXAMPLES / file), "--format", "svg"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (
        f'<figure class="drawing wide" tabindex="0" role="region" aria-label="{description}">\n{result.stdout}'
        f"</figure>\n\n{description}, drawn by `parte graph examples/{file} --format svg`.\n"
    )
