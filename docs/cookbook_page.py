"""The page of recipes: the comments of programs in `examples`, with matches and near misses in their traces.

A program is cut at its headings (`// --- Title ---`); a part with a rule is a recipe. Its first comments are the text.
Of these, paragraphs that begin with `Nearly:` name events that almost match a rule, and the one demand that fails: a
condition, window or absence of a variable, a condition of `having`, or `once`, by which the event of a match is
suppressed:

    Nearly: Rule(a=x, b=y), absence of v: what happened there.

    Nearly: Rule(a=x, b=y), having: what happened there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import parte
from parte.algebra.partelang.demands import Kind, Reason
from parte.conformance.partelang.why import Why
from parte.semantics.events.domain import Domain, load_domain
from parte.semantics.events.duration import parse_duration
from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match
from parte.semantics.events.trace import Trace
from parte.semantics.partelang.syntax import core

ROOT = Path(__file__).parents[1]
ONCE = "once"
"""The kind of a near miss that is a match, but its event is suppressed."""
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]

_HEADING = re.compile(r"^// --- (.+?) -+\n", re.MULTILINE)
_NEARLY = re.compile(r"Nearly: (\w+)\((.+)\), (?:(condition|window|absence) of (\w+)|(having|once)): (.+)")


@dataclass(frozen=True, slots=True)
class Example:
    """A program of recipes with its trace, and the time by which events lag in it."""

    folder: Path
    disorder: str | None = None

    @property
    def path(self) -> Path:
        """Path of the program."""
        (path,) = self.folder.glob("*.parte")
        return path

    @property
    def text(self) -> str:
        """Text of the program."""
        return self.path.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """Title in the README of the example."""
        return (self.folder / "README.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")

    def loaded(self) -> Loaded:
        """The program with its trace."""
        program = parte.parse(self.text)
        trace = parte.load_trace(self.folder / "trace.jsonl")
        domain: Domain = load_domain(self.folder / "domain.json") if program.predicates else {}
        matches = parte.run(program, trace, model="algebra", domain=domain, disorder=self.lag)
        return Loaded(self, program, trace, domain, tuple(matches))

    @property
    def lag(self) -> int:
        """The disorder in milliseconds."""
        return parse_duration(self.disorder) if self.disorder else 0


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program with its trace and the matches of the algebra."""

    example: Example
    program: core.Program
    trace: Trace
    domain: Domain
    matches: tuple[Match, ...]

    @property
    def events(self) -> Mapping[str, Event]:
        """All events by their ids, emitted ones included."""
        emitted = (event for match in self.matches for event in match.emits)
        return {event.id: event for event in (*self.trace.events, *emitted)}

    def explained(self, near: Near) -> Why:
        """Return the explanation of a near miss."""
        bindings = dict(near.bindings)
        return parte.why(self.program, self.trace, near.rule, bindings, domain=self.domain, disorder=self.example.lag)

    def reasons(self, near: Near) -> tuple[Reason, ...]:
        """Return the results of the demands on the events of a near miss."""
        whole = self.explained(near).whole
        if whole is None:
            raise ValueError(f"{self.example.path}: a near miss of {near.rule} does not bind all of its variables")
        return whole.reasons

    def failing(self, near: Near) -> list[tuple[str, str]]:
        """Return the demands that a near miss does not meet, each with its kind and its variable, if it has one."""
        failing = [(reason.kind.value, reason.variable) for reason in self.reasons(near) if not reason.holds]
        return failing + [(ONCE, "") for _ in self.explained(near).suppressed]


@dataclass(frozen=True, slots=True)
class Near:
    """Events that fail one demand of a rule: of which kind, on which variable, and what happened.

    `having` and `once` are about no variable: theirs is "".
    """

    rule: str
    bindings: tuple[tuple[str, str], ...]
    kind: str
    variable: str
    said: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """A part of a program: its purpose, the code, and near misses."""

    title: str
    text: tuple[str, ...]
    code: str
    near: tuple[Near, ...]


EXAMPLES = (
    Example(ROOT / "examples" / "factory"),
    Example(ROOT / "examples" / "logins"),
    Example(ROOT / "examples" / "patients"),
    Example(ROOT / "examples" / "sessions", "5 minutes"),
)


def parts(text: str) -> tuple[str, tuple[Recipe, ...]]:
    """Return the description of the events of a program, and its recipes."""
    _, *cut = _HEADING.split(text)
    titled = list(zip(cut[::2], cut[1::2], strict=True))
    recipes = tuple(_recipe(title, body) for title, body in titled if _has_rule(body))
    return "\n".join(body.strip() for _, body in titled if not _has_rule(body)), recipes


def _has_rule(body: str) -> bool:
    return re.search(r"^rule ", body, re.MULTILINE) is not None


def _recipe(title: str, body: str) -> Recipe:
    lines = body.split("\n")
    end = next(position for position, line in enumerate(lines) if not line.startswith("//"))
    comment = "\n".join(line.removeprefix("//").removeprefix(" ") for line in lines[:end])
    paragraphs = [" ".join(paragraph.split("\n")) for paragraph in comment.split("\n\n")]
    near = tuple(_near(paragraph) for paragraph in paragraphs if paragraph.startswith("Nearly:"))
    text = tuple(paragraph for paragraph in paragraphs if not paragraph.startswith("Nearly:"))
    return Recipe(title, text, "\n".join(lines[end:]).strip(), near)


def _near(paragraph: str) -> Near:
    match = _NEARLY.fullmatch(paragraph)
    if match is None:
        raise ValueError(
            "expected 'Nearly: Rule(a=x, b=y), condition|window|absence of v: what happened.', or having|once without "
            f"a variable, found {paragraph!r}"
        )
    rule, bindings, of_variable, variable, of_none, said = match.groups()
    # Ids of emitted events have commas without a space after them.
    bound = (binding.split("=", 1) for binding in bindings.split(", "))
    return Near(rule, tuple((name, event) for name, event in bound), of_variable or of_none, variable or "", said)


# --- The page ---------------------------------------------------------------------------------------------------------


def cookbook_page(table: Table) -> str:
    """Return the recipes in Markdown, after a table of them, and then the events of each example."""
    loaded_examples = [(example.loaded(), *parts(example.text)) for example in EXAMPLES]
    rows = [
        (f"[{recipe.title}](#{_anchor(recipe.title)})", loaded.example.folder.name)
        for loaded, _, recipes in loaded_examples
        for recipe in recipes
    ]
    text = (
        f"{len(rows)} recipes in {len(EXAMPLES)} examples. [Events of the examples](#events-of-the-examples) shows "
        f"what happens in each.\n\n{table(('recipe', 'example'), rows)}"
    )
    for loaded, _, recipes in loaded_examples:
        text += f"\n## {loaded.example.title}\n\nOf {_link(loaded.example)}.\n"
        text += "".join(_section(loaded, recipe) for recipe in recipes)
    events = "".join(f"\n{loaded.example.title}:\n\n```text\n{before}\n```\n" for loaded, before, _ in loaded_examples)
    return f"{text}\n## Events of the examples\n{events}"


def _link(example: Example) -> str:
    return f"[examples/{example.folder.name}](../examples/{example.folder.name}/README.md)"


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def _section(loaded: Loaded, recipe: Recipe) -> str:
    text = "\n\n".join(recipe.text)
    matches = "".join(_found(loaded, rule) for rule in re.findall(r"^rule (\w+)", recipe.code, re.MULTILINE))
    near = "".join(_nearly(loaded, near_match) for near_match in recipe.near)
    return f"\n### {recipe.title}\n\n{text}\n\n```parte\n{recipe.code}\n```\n{matches}{near}"


def _found(loaded: Loaded, rule: str) -> str:
    matches = [match for match in loaded.matches if match.rule == rule]
    first, *others = sorted(matches, key=lambda match: not match.emits)
    more = f" and {len(others)} more" if others else ""
    events = _columns(_events(loaded, first.bindings))
    return f"\nMatches: {_named(rule, first.bindings)}{more}.\n\n```text\n{events}```\n"


def _nearly(loaded: Loaded, near: Near) -> str:
    reasons = loaded.reasons(near)
    failing = [reason for reason in reasons if not reason.holds]
    events = [*near.bindings, *((f"no {near.variable}", name) for reason in failing for name in reason.events)]
    if near.kind == Kind.HAVING.value:
        events += [(f"all {reason.variable}", name) for reason in reasons for name in reason.events]
    demands = [f"NO   {reason.demand}   {reason.value}" for reason in failing]
    demands += map(str, loaded.explained(near).suppressed)
    lines = "".join(f"{line}\n" for line in demands)
    return (
        f"\nNearly: {_named(near.rule, near.bindings)}: {near.said}\n\n"
        f"```text\n{_columns(_events(loaded, events))}{lines}```\n"
    )


def _named(rule: str, bindings: Iterable[tuple[str, str]]) -> str:
    return f"`{rule}({', '.join(f'{variable}={event}' for variable, event in bindings)})`"


def _events(loaded: Loaded, bindings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    for variable, name in bindings:
        event = loaded.events[name]
        attributes = ", ".join(f"{key} = {_value(value)}" for key, value in event.attributes.items())
        yield variable, _time(event), event.template, attributes


def _time(event: Event) -> str:
    """Return the time of day, because a trace of the examples is within one day."""
    return datetime.fromtimestamp(event.timestamp // 1000, UTC).strftime("%H:%M:%S")


def _value(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _columns(rows: Iterable[Sequence[str]]) -> str:
    listed = list(rows)
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]))]
    return "".join(
        "   ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in listed
    )
