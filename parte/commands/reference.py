"""`parte rules`: the inference rules of a language and the repairs between its models; one rule as a figure."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from parte import terminal
from parte.commands.languages import chosen_language
from parte.languages.language import Language
from parte.proofs.facets import LEMMAS, ROCQ
from parte.proofs.rocq.links import Statement
from parte.semantics.events.installation import install_command
from parte.semantics.rulebook.listing import RULES, Listing
from parte.semantics.rulebook.registry import AmbiguousRule, Rule, UnknownRule, chosen
from parte.semantics.source.packages import PackageMissing

Lemmas = Mapping[str, Sequence[str]] | None
"""The ids of the lemmas about each rule; None where the solver is missing, without which they cannot be stated."""

Stated = tuple[Sequence[Statement], Sequence[Statement]]
"""The definitions in Rocq that mirror a rule, and the theorems about it."""


def rules(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Show these rules, `*` for any, with or without system."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")] = False,
) -> None:
    """List the inference rules: id, name and section in the source, where in the code, and the named repairs.

    With ids, show these rules: premises, a line, and the conclusion, in each model that differs; the lemmas about
    them, and what the theorem in Rocq has of them.
    """
    language = chosen_language(context)
    listing, known = language[RULES], language[RULES].rules
    order = [known[identity] for listed in listing.headings.values() for identity in listed]
    chosen = _chosen(ids or (), order)
    lemmas = _lemmas(language, chosen) if ids or as_json else None
    if ids and not as_json:
        for info in chosen:
            _show(info, listing, lemmas, _stated(language, info))
        return
    if as_json:
        record = {
            "rules": [_record(info, listing, lemmas, _stated(language, info)) for info in chosen],
            "repairs": _repairs(listing),
        }
        terminal.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        return
    console = terminal.output_console()
    for heading, listed in listing.headings.items():
        console.print(Text(heading, "bold"))
        console.print(_table([known[identity] for identity in listed], console.width))
    if not listing.repairs:
        return
    console.print(Text("The repairs that turn published into sound", "bold"))
    table = terminal.table(Column("repair", no_wrap=True, style="cyan"), "with it")
    for name, description in listing.repairs.items():
        table.add_row(name, Text(description))
    console.print(table)


def _chosen(ids: Iterable[str], known: Iterable[Rule]) -> tuple[Rule, ...]:
    try:
        return chosen(ids, known)
    except UnknownRule as problem:
        hint = f"near it: {', '.join(problem.near)}" if problem.near else "`parte rules` lists them all"
        raise terminal.unusable(str(problem), hint) from None
    except AmbiguousRule as problem:
        raise terminal.unusable(str(problem), f"name one: {', '.join(problem.ids)}") from None


def _lemmas(language: Language, chosen: Iterable[Rule]) -> Lemmas:
    try:
        known = language[LEMMAS].lemmas if language.has(LEMMAS) else ()
    except PackageMissing:
        return None
    return {info.id: [lemma.id for lemma in known if info.id in lemma.rules] for info in chosen}


def _stated(language: Language, info: Rule) -> Stated:
    return language[ROCQ].about(info.id) if language.has(ROCQ) else ((), ())


def _show(info: Rule, listing: Listing, lemmas: Lemmas, stated: Stated) -> None:
    """Print a rule in the notation of its source, as read from the code, and what is proved about it."""
    lines = [f"{info.id}   ({info.name}), §{info.section}, {place_of(info)}", info.summary, ""]
    for models, drawn in listing.figures(info.id):
        lines += [f"in {' and '.join(models)}:", "", *(f"  {line}" for line in drawn.render().splitlines()), ""]
    if lemmas is None:
        lines.append(f"lemmas: not listed without z3 ({install_command('z3')})")
    else:
        lines += textwrap.wrap(f"lemmas: {', '.join(lemmas[info.id]) or 'none'}", 100, break_on_hyphens=False)
    for heading, statements in zip(("definitions in Rocq", "theorems"), stated, strict=True):
        if statements:
            lines += [f"{heading}:", *(f"  {statement.name}   {statement.place}" for statement in statements)]
    terminal.write("\n".join(lines) + "\n\n")


def place_of(info: Rule) -> str:
    """File and line of the function."""
    module, line = info.location.rsplit(":", 1)
    return f"{module.replace('.', '/')}.py:{line}"


def _table(chosen: Sequence[Rule], width: int) -> Table:
    """Two columns where an id and a place stand beside each other in `width`, otherwise one."""
    table = terminal.table()
    beside = max(len(info.id) for info in chosen) + max(len(place_of(info)) for info in chosen) + 4 <= width
    if beside:
        table.add_column("rule", overflow="fold", style="cyan", ratio=3)
    table.add_column("what it does; its name, section and place", ratio=5)
    for info in chosen:
        where = f"{info.name}, §{info.section}, {place_of(info)}"
        said = Text.assemble(info.summary, "\n", (where, "dim"))
        row = (Text(info.id), said) if beside else (Text.assemble((info.id, "cyan"), "\n", said),)
        table.add_row(*row)
    return table


def _record(info: Rule, listing: Listing, lemmas: Lemmas, stated: Stated) -> dict[str, object]:
    definitions, theorems = stated
    return {
        "id": info.id,
        "name": info.name,
        "models": list(info.models),
        "section": info.section,
        "node": info.node,
        "location": place_of(info),
        "summary": info.summary,
        "figures": [
            {"models": models, "premises": list(drawn.premises), "conclusion": list(drawn.conclusion)}
            for models, drawn in listing.figures(info.id)
        ],
        "lemmas": None if lemmas is None else lemmas[info.id],
        "rocq": {
            "definitions": [{"name": definition.name, "location": definition.place} for definition in definitions],
            "theorems": [{"name": theorem.name, "location": theorem.place} for theorem in theorems],
        },
    }


def _repairs(listing: Listing) -> list[dict[str, str]]:
    return [{"name": name, "description": description} for name, description in listing.repairs.items()]
