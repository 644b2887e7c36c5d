"""A run step by step as a page: what each line of the trace releases, the rules that are applied to it with the values
of their parameters, and the chains of each key before and after."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import zip_longest
from textwrap import dedent
from types import FrameType

from parte.drawing.pages import beginning
from parte.drawing.svg import shortened
from parte.languages.eql.algebra.reasons import place_text
from parte.languages.eql.drawing.timeline import draw_results, value_text
from parte.languages.eql.semantics.chains import Chain
from parte.languages.eql.semantics.listing import RULES
from parte.languages.eql.semantics.machine import Ended, Machine
from parte.languages.eql.semantics.plans import Key
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax.streams import Arrived, Stream
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.strictjson import compact
from parte.semantics.rulebook.registry import Rule

LIMIT = 1_000
"""The most steps of a page, unless another number is given."""
_STYLE, _SCRIPT = (
    resources.files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("steps.css", "steps.js")
)
_SHARED = resources.files("parte.drawing.stepper").joinpath("stepper.css").read_text(encoding="utf-8")
_RULES = {rule.function.__code__: rule for rule in RULES.values() if not inspect.isgeneratorfunction(rule.function)}
_HELD, _WIDE = "held back", '<td colspan="1000">'
_NAMELESS = ("readings", "fields", "waiting", "state", "items")
"""Parameters whose values are no part of the page: settings, and what the table has."""
_LONGEST = 300
"""The most characters of values."""


@dataclass(slots=True)
class Applied:
    """A rule that is applied: the values of its parameters, and its result."""

    rule: Rule
    values: str
    result: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """A step: its title, the ids of the events that it releases among the rules that it applies, its results, and what
    the machine stores afterwards: rows of a table by their names."""

    title: str
    entries: Sequence[str | Applied]
    results: Sequence[str]
    stored: Mapping[str, Sequence[str]]


class _Recorded(Machine):
    """A machine that records the events that it releases."""

    entries: list[str | Applied]

    def _event(self, event: Event) -> Iterable[Ended]:
        self.entries.append(event.id)
        return super()._event(event)

    def step(self, title: str, arrived: Arrived | None, bound: int | None) -> Taken:
        """Take a line of the trace, or its end if there is no bound."""
        self.entries = []
        tests = self._tests()
        with _applications(self.entries, tests):
            results = self.end() if bound is None else self.arrive(arrived, bound)
        return Taken(title, self.entries, [compact(result) for result in results], dict(self._rows()))

    def _tests(self) -> Mapping[int, str]:
        """Return the names of the stages, by the identities of their tests."""
        if not isinstance(self.query, tree.Sequence) or self._run is None:
            return {id(step.test): f"item {number}" for number, step in enumerate(self._steps, 1)}
        plan, missing = self._run.plan, [stage for stages in tree.between(self.query) for stage in stages]
        absent = [step for gap in (*plan.gaps, plan.trailing) for step in gap]
        pairs = [("missing event", *pair) for pair in zip(absent, missing, strict=True)]
        for number, pair in enumerate(zip(plan.steps, tree.positive(self.query), strict=True), 1):
            pairs.append((f"stage {number}", *pair))
        if plan.until is not None and self.query.until is not None:
            pairs.append(("until", plan.until, self.query.until))
        return {id(step.test): f"{name} ({place_text(stage)})" for name, step, stage in reversed(pairs)}

    def _rows(self) -> Iterator[tuple[str, Sequence[str]]]:
        yield _HELD, [", ".join(event.id for _, event in sorted(self._held, key=lambda held: held[0]))]
        if self._run is not None:
            waiting = self._run.waiting
            for key in dict.fromkeys((*self._run.states, *waiting)):
                state = self._run.states.get(key)
                chains = [None] * (len(self._run.plan.steps) - 1) if state is None else state.slots
                slots = ["" if chain is None else _chain_text(chain) for chain in chains]
                before = "" if state is None or state.before[0] is None else f"missing event at {state.before[0]}"
                yield self._key_text(key), [before, *slots, *map(_chain_text, waiting.get(key, ()))]
        for key, group in self._groups.items():
            yield self._key_text(key), [", ".join(event.id for _, event in item) for item in group]

    def _key_text(self, key: Key) -> str:
        values = key if self.readings.case == "folded" else key[1::2]
        return ", ".join(map(value_text, values)) or "all events"


@contextmanager
def _applications(entries: list[str | Applied], tests: Mapping[int, str]) -> Iterator[None]:
    """Enter the rules that are applied, as their functions are called and return."""
    left: list[Applied] = []

    def note(frame: FrameType, event: str, result: object) -> None:
        rule = _RULES.get(frame.f_code)
        if rule is None:
            return
        if event == "call":
            names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            values = {name: frame.f_locals[name] for name in names if name not in _NAMELESS}
            texts = (f"{name} = {tests.get(id(value)) or _text(value)}" for name, value in values.items())
            left.append(Applied(rule, shortened(", ".join(texts), _LONGEST)))
            entries.append(left[-1])
        elif event == "return":
            left.pop().result = shortened(_text(result), _LONGEST)

    earlier = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(earlier)


def _text(value: object) -> str:
    match value:
        case Event(id=name):
            return name
        case Chain():
            return _chain_text(value)
        case tuple() | list():
            return f"({', '.join(map(_text, value))})"
        case dict():
            return compact(value)
        case None | str() | bool() | int() | float():
            return value_text(value)
        case _:
            return type(value).__name__


def _chain_text(chain: Chain) -> str:
    marks = [
        *(["spoilt"] if chain.spoilt else []),
        *(["missing event since"] if chain.gap is not None else []),
        *([f"missing event at {chain.before}"] if chain.before is not None else []),
    ]
    return ", ".join(event.id for event in chain.events) + (f" ({'; '.join(marks)})" if marks else "")


# --- The page ---------------------------------------------------------------------------------------------------------


def draw_steps(
    query: tree.Query, items: Sequence[TraceItem], stream: Stream, *, first: int = 1, limit: int = LIMIT, title: str
) -> tuple[str, int]:
    """Return the page of a run on a trace that has not begun, with `limit` steps from the `first` on, and the number of
    all steps: the lines of the trace, and its end."""
    machine = _Recorded(query, stream.readings, bool(stream.tiebreaker))
    arrived: list[Arrived] = []
    steps: list[Taken] = []
    first = min(first, len(items) + 1)
    for number, item in enumerate((*items, None), 1):
        if item is None:
            taken = machine.step("the trace ends", None, None)
        else:
            added = stream.add(item)
            arrived += [] if added is None else [added]
            name = item.id if isinstance(item, Event) else f"the promise {item.timestamp}"
            taken = machine.step(f"{name} of {item.template} arrives", added, stream.bound)
        if first - 1 <= number < first + limit:
            steps.append(taken)
    before = steps.pop(0).stored if first > 1 else {}
    events = [item.event for item in sorted(arrived, key=lambda item: item.place)]
    drawn = [draw_results(query, events, stream.readings, fluid=fluid).svg for fluid in (False, True)]
    return "".join(_document(query, steps, before, first, drawn, title)), len(items) + 1


def _document(
    query: tree.Query,
    steps: Sequence[Taken],
    before: Mapping[str, Sequence[str]],
    first: int,
    drawn: Sequence[str],
    title: str,
) -> Iterator[str]:
    yield beginning(title, _SHARED + _STYLE)
    yield f"<header>\n<h1>{escape(title)}</h1>\n</header>\n{_CONTROLS.format(last=len(steps) - 1)}\n<main>\n"
    rules: dict[str, Rule] = {}
    for number, step in enumerate(steps, first):
        rules |= {entry.rule.id: entry.rule for entry in step.entries if isinstance(entry, Applied)}
        yield from _section(step, before, number, _columns(query))
        before = step.stored
    yield '<section class="wide">\n<h2>The trace in time</h2>\n'
    yield f'<div class="time">{drawn[0]}</div>\n<div class="time fluid">{drawn[1]}</div>\n</section>\n'
    yield f'<details class="wide">\n<summary>The query</summary>\n<pre>{escape(print_query(query))}</pre>\n</details>\n'
    yield '<details class="wide">\n<summary>The rules</summary>\n'
    for rule in rules.values():
        yield f"<h3>{rule.id}: {escape(rule.name)}</h3>\n<p>{escape(rule.summary)}</p>\n"
        yield f"<pre>{escape(_code(rule))}</pre>\n"
    yield f"</details>\n</main>\n<script>\n{_SCRIPT}</script>\n</body>\n</html>\n"


_CONTROLS = """<nav class="controls" aria-label="Steps">
<button id="first" title="Home">First</button><button id="back" title="left arrow">Back</button>
<button id="on" title="right arrow">Next</button><button id="last" title="End">Last</button>
<button id="result" title="n">Next result</button>
<input id="slider" type="range" min="0" max="{last}" value="0" aria-label="Step"><output id="count"></output>
<p id="said" aria-live="polite"></p>
</nav>"""


def _columns(query: tree.Query) -> str:
    """Return the heads of the columns of what is stored."""
    heads: list[str] = []
    match query:
        case tree.Sequence():
            slots = (f"slot {number}" for number in range(1, len(tree.positive(query))))
            heads = ["before", *slots, *(["waiting"] if query.stages[-1].missing else [])]
        case tree.Sample(items=items):
            heads = [f"item {number}" for number in range(1, len(items) + 1)]
    return f"<tr><th>key</th>{''.join(f'<th>{head}</th>' for head in heads)}</tr>\n" if heads else ""


def _section(step: Taken, before: Mapping[str, Sequence[str]], number: int, columns: str) -> Iterator[str]:
    """Yield a step: to the left what is stored, to the right the rules."""
    released = escape(json.dumps([entry for entry in step.entries if isinstance(entry, str)]))
    data = f'data-events="{released}" data-results="{len(step.results)}" data-title="{number}. {escape(step.title)}"'
    yield f'<section class="step wide" {data} hidden>\n<div>\n<h2>What is stored</h2>\n<table>\n{columns}'
    for name in dict.fromkeys((*before, *step.stored)):
        old, new = before.get(name, ()), step.stored.get(name, ())
        cells = "".join(_cell(*pair) for pair in zip_longest(old, new, fillvalue=""))
        yield f"<tr><th>{escape(name)}</th>{cells.replace('<td>', _WIDE) if name == _HELD else cells}</tr>\n"
    yield "</table>\n"
    yield from (f'<p class="match">result: {escape(result)}</p>\n' for result in step.results)
    yield "</div>\n<div>\n<h2>The rules</h2>\n"
    for entry in step.entries:
        if isinstance(entry, str):
            yield f"<h3>{escape(entry)} is released</h3>\n"
        else:
            css = "rule no" if entry.result in ("null", "false") else "rule"
            rule = f"<span>{entry.rule.id} <small>{escape(entry.rule.name)}</small></span>"
            values = f'<span class="value">{escape(entry.values)} ⟶ {escape(entry.result)}</span>'
            yield f'<div class="{css}"><div class="row">{rule}{values}</div></div>\n'
    yield "</div>\n</section>\n"


def _cell(old: str, new: str) -> str:
    gone = f'<s class="item">{escape(old)}</s> ' if old and old != new else ""
    css = "item" if old == new else "item added"
    stored = f'<span class="{css}">{escape(new)}</span>' if new else ""
    return f"<td>{gone}{stored}</td>"


def _code(rule: Rule) -> str:
    """Return the code of a rule without its docstring."""
    (function,) = ast.parse(dedent(inspect.getsource(rule.function))).body
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list, function.body = [], function.body[1:]
    return ast.unparse(function)
