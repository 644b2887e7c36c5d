"""The first picture of the documentation: a rule beside its trace as a timeline, with a match and a near miss.

The site has it in its front page, as wide as its place and in the colours of the page; the README shows the file that
`picture` returns. Both are drawn by the code of `parte timeline`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import parte
from parte.algebra.partelang.demands import Kind
from parte.drawing.timeline import Row, Timeline, drawn, windows_of
from parte.semantics.partelang.syntax import core

ROOT: Final = Path(__file__).parents[1]
EXAMPLE: Final = ROOT / "parte" / "examples" / "door"
PICTURE: Final = Path(__file__).parent / "front.svg"
RULE, VARIABLE = "Forced", "opened"
CAPTION: Final = (
    "The trace in time. The rule matches `o2`: the badge `b2` at the south door is twelve seconds old, and the window "
    "is ten seconds long. It does not match `o1`: the badge `b1` at the north door is in the window, four seconds "
    "before."
)


def timeline(*, fluid: bool) -> Timeline:
    """Return the timeline of the example: a row for its match, and one for its near miss."""
    program = parte.parse((EXAMPLE / "door.parte").read_text(encoding="utf-8"))
    trace = parte.load_trace(EXAMPLE / "trace.jsonl")
    (match,) = parte.run(program, trace, model="algebra")
    ids = [event.id for event in trace.events if event.template == "DoorOpened"]
    rows = [_row(program, trace, name, matches=(VARIABLE, name) in match.bindings) for name in reversed(ids)]
    return drawn(trace.events, match.emits, rows, ("opened door", len(rows)), fluid=fluid)


def _row(program: core.Program, trace: parte.Trace, name: str, *, matches: bool) -> Row:
    """Return the row of an opened door: the window of its rule, and the badges that fill the negated pattern."""
    whole = parte.why(program, trace, RULE, {VARIABLE: name}).whole
    assert whole is not None
    events = {event.id: event for event in trace.events}
    filled = {
        reason.variable: [events[event] for event in reason.events]
        for reason in whole.reasons
        if reason.kind is Kind.ABSENCE and not reason.holds
    }
    assert bool(filled) is not matches
    title = f"{'match' if matches else 'near miss'}: {RULE} ({name})"
    bound = {VARIABLE: events[name]}
    return Row(title, bound, None, [*windows_of(program.rule(RULE).written.constraints, bound, sets=filled)])


def picture() -> str:
    """Return the timeline as a file of its own, which is dark where the reader's system is."""
    dark = "@media (prefers-color-scheme: dark) { .parte-timeline > * { filter: invert(1) hue-rotate(180deg); } }"
    return timeline(fluid=False).svg.replace("</style>", f"\n{dark}</style>", 1)


def front_page() -> str:
    """Return the rule and its timeline side by side."""
    rule = (EXAMPLE / "door.parte").read_text(encoding="utf-8")
    return (
        f'<div class="side-by-side">\n\n```parte\n{rule}```\n\n<div>\n\n'
        f'<figure class="drawing">\n{timeline(fluid=True).svg}</figure>\n\n'
        f"{CAPTION}\n\n</div>\n</div>\n"
    )
