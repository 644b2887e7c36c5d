"""A run of E's clauses for SWI-Prolog, and what is expected of it: its Prolog checks ours."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.terms import PrologError, text
from parte.languages.etalis.semantics.syntax.streams import Instant


def script(run: Published, instants: Iterable[Instant], number: int) -> str:
    """Directives that run a program in a module of its own, and write what happens, in order, or the error."""
    name = f"run_{number}"
    lines = [
        f":- module({name}, []).",
        f":- set_prolog_flag({name}:unknown, fail).",
        ":- set_prolog_flag(double_quotes, string).",
        ":- set_prolog_flag(prefer_rationals, true).",
        ":- style_check(-singleton), style_check(-discontiguous).",
        f":- redefine_system_predicate({name}:assert(_)).",
        ":- dynamic(noted/1), dynamic(happened/1), dynamic(goal/3), dynamic(absent/1).",
        f':- format("run ~w~n", [{number}]).',
        *run.compiled.text.splitlines(),
        "step([]).",
        "step([G|L]) :- ignore(G), step(L).",
        "tell :- forall(noted(E), (writeq(E), nl)), retractall(noted(_)), retractall(happened(_)).",
    ]
    calls = []
    for instant in _all(run, instants):
        goals = ", ".join(text(goal) for goal in run.goals(instant))
        calls.append(f"step([{goals}]), tell")
    body = ", ".join(calls) or "true"
    lines.append(f":- catch(({body}), error(E, _), (E = F, writeq(F), nl)).")
    return "\n".join(lines) + "\n"


def _all(run: Published, instants: Iterable[Instant]) -> list[Instant]:
    """The instants of the stream and those of the moments."""
    given = {each.time: each for each in instants}
    moments = {each: Instant(each, frozenset()) for each in run.compiled.moments}
    return [{**moments, **given}[time] for time in sorted({*given, *moments})]


def transcript(run: Published, instants: Iterable[Instant]) -> list[str]:
    """The same of our Prolog."""
    fresh = Published(run.program, run.model, run.policy)
    found = []
    try:
        for instant in _all(fresh, instants):
            found += [text(event) for event in fresh.happening(instant)]
    except PrologError as error:
        found.append(error.term)
    return found
