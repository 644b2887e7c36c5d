"""Scripts of E's clauses for SWI-Prolog, and the expected output: its Prolog checks ours."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.terms import PrologError, text
from parte.languages.etalis.semantics.syntax.streams import Instant


def script(run: Published, instants: Iterable[Instant], number: int) -> str:
    """Return directives that run a program in its own module, and write what happens, in order, or the error."""
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
    """Return the instants of the stream and those of the moments."""
    in_stream = {instant.time: instant for instant in instants}
    moments = {moment: Instant(moment, frozenset()) for moment in run.compiled.moments}
    return [{**moments, **in_stream}[time] for time in sorted({*in_stream, *moments})]


def transcript(run: Published, instants: Iterable[Instant]) -> list[str]:
    """Return the expected output of the script, from our Prolog."""
    fresh = Published(run.program, run.model, run.policy)
    lines = []
    try:
        for instant in _all(fresh, instants):
            lines += [text(event) for event in fresh.happening(instant)]
    except PrologError as error:
        lines.append(error.term)
    return lines
