"""Rules of LEAD as rules of PARTElang.

A rule has a counterpart if it is `all` of a sequence of events: each except the first within a time of the one before,
with absences between two of them, or for a time after the last. If events of one stream have several places, no event
may have two of them: the attribute `uid`, different for each event, ensures this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.names import named
from parte.languages.translations.codes import CODES
from parte.languages.translations.comparing import (
    FALSE,
    TRUE,
    Compared,
    Formula,
    Place,
    condition_of,
    conjoined,
    conjuncts,
    disjoined,
)
from parte.languages.translations.elaborating import PARTELANG, elaborated
from parte.languages.translations.untyped import (
    Attribute,
    Literal,
    Operand,
    Operator,
    Types,
    declarations,
    inferred,
)
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import NOWHERE, Span

UID = "uid"
"""The attribute that distinguishes events."""

_SHAPE = "write `all(A -> B within 5 s -> …)`: PARTElang finds all matches of events that are bounded in time"
_OPERATORS = {sign: Operator("=" if sign is tree.Operator.EQUAL else sign.value) for sign in tree.Operator}


@dataclass(frozen=True, slots=True)
class Absent:
    """The absence of an event of a stream that fulfils the conditions, after the event at a place: for `length` ms,
    or until the next event."""

    stream: str
    called: str
    conditions: tuple[tree.Expression, ...]
    name: str
    place: int
    length: int
    until_next: bool


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the sequence. It follows the one before in less than `length` ms; None for the first."""

    stream: str
    name: str
    conditions: tuple[tree.Expression, ...]
    length: int | None


@dataclass(frozen=True, slots=True)
class InParte:
    """A program, and its variable for each event of the rule of LEAD; `apart` is True if `uid` must distinguish the
    events of a trace."""

    program: core.Program
    variables: Mapping[str, str]
    apart: bool


def to_parte(rule: tree.Rule, text: str, types: Types | None = None) -> InParte:
    """Return the program whose matches are those of a rule. Raise ProgramError with every part that no rule can have.

    The attribute `uid` distinguishes events if `types` have it. A `uid` that only the rule mentions is an ordinary
    attribute.
    """
    reporter = Reporter(text, CODES)
    events, absences, conditions = _shape(rule, reporter)
    reporter.raise_if_failed()
    streams = {stream.alias: stream.name for stream in rule.streams}
    events = [replace(event, stream=streams[event.stream]) for event in events]
    absences = [replace(absence, stream=streams[absence.stream]) for absence in absences]
    used = list(dict.fromkeys([*(part.stream for part in events), *(part.stream for part in absences)]))
    keys = [key.attribute for key in rule.keys]
    attributes = _inferred(rule, used, keys, reporter) if types is None else types
    for name in used:
        if name not in attributes:
            hint = reporter.suggestion(name, attributes, "declare it, or leave --templates out")
            reporter.report("no-counterpart", rule.span, f"no template is called {name}", hint)
    reporter.raise_if_failed()
    making = _Making({name: attributes[name] for name in used}, types is not None, events, keys, reporter)
    formula = making.positive(conditions)
    rules = [] if formula == FALSE else [making.rule("R1", formula, absences)]
    reporter.raise_if_failed()
    program = elaborated(declarations(making.types), rules, rule.span, "use other names in the rule", reporter)
    return InParte(program, making.variables, making.apart)


# --- The shape of rules with a counterpart ----------------------------------------------------------------------------


def _shape(rule: tree.Rule, reporter: Reporter) -> tuple[list[Event], list[Absent], list[tree.Expression]]:
    """Return the events, the absences between them, and the conditions on the whole."""
    for key in rule.keys:
        if key.length is not None:
            reporter.report("no-counterpart", key.span, "PARTElang has no tumbling windows", "leave the window out")
    for emitting in (*rule.outcome, *rule.types):
        message = "the events that LEAD emits have the end of the match as their time, and feed no rule"
        reporter.report("no-counterpart", emitting.span, message, "leave EMIT, CHECK, DEFINE and ENRICH out")
    conditions: list[tree.Expression] = []
    pattern = named(rule.pattern)
    if not isinstance(pattern, tree.Policy) or pattern.choice is not tree.Choice.ALL or pattern.consumed:
        reporter.report("no-counterpart", pattern.span, "PARTElang finds all matches, and uses nothing up", _SHAPE)
        return [], [], []
    inner = pattern.operand
    while isinstance(inner, tree.Filtered):
        conditions.append(inner.condition)
        inner = inner.operand
    parts = list(inner.parts) if isinstance(inner, tree.Sequence) else [inner]
    events: list[Event] = []
    absences: list[Absent] = []
    waiting: list[tuple[tree.Atom, tuple[tree.Expression, ...]]] = []
    for number, part in enumerate(parts):
        if isinstance(part, tree.Not) and events and (absent := _atom(part.operand)) is not None:
            waiting.append(absent)
            continue
        length: int | None = None
        if isinstance(part, tree.Within) and part.source is None:
            length, operand = part.duration.milliseconds, part.operand
            if isinstance(operand, tree.Not) and events and number == len(parts) - 1 and not waiting:
                absent = _atom(operand.operand)
                if absent is not None:
                    name = f"absent{len(absences) + 1}"
                    absences.append(
                        Absent(absent[0].stream, _name(absent[0]), absent[1], name, len(events) - 1, length, False)
                    )
                    continue
        else:
            operand = part
        atom_and_conditions = _atom(operand)
        if atom_and_conditions is None or (length is None) != (not events):
            message = "in PARTElang this has no counterpart: " + (
                "the first event is at any time" if not events else "an event is bounded in time by the one before"
            )
            reporter.report("no-counterpart", part.span, message, _SHAPE)
            continue
        atom, own = atom_and_conditions
        place = len(events)
        for atom_, its_conditions in waiting:
            absences.append(
                Absent(
                    atom_.stream,
                    _name(atom_),
                    its_conditions,
                    f"absent{len(absences) + 1}",
                    place - 1,
                    length or 1,
                    True,
                )
            )
        waiting = []
        events.append(Event(atom.stream, _name(atom), own, length))
    return events, absences, conditions


def _name(atom: tree.Atom) -> str:
    """Return the name of an event in LEAD."""
    return atom.name or atom.stream


def _variables(events: Sequence[Event]) -> dict[str, str]:
    """Return the names of events in PARTElang, which has keywords of its own, and no `#` in names."""
    variables: dict[str, str] = {}
    for event_ in sorted(events, key=lambda event: "#" in event.name):  # a name from the text goes first
        variables[event_.name] = PARTELANG.free(event_.name.replace("#", "_"), variables.values())
    return {event.name: variables[event.name] for event in events}


def _atom(pattern: tree.Pattern) -> tuple[tree.Atom, tuple[tree.Expression, ...]] | None:
    """Return an event with its conditions, if the pattern is one, else None."""
    conditions: list[tree.Expression] = []
    while isinstance(pattern, tree.Filtered):
        conditions.append(pattern.condition)
        pattern = pattern.operand
    return (pattern, tuple(conditions)) if isinstance(pattern, tree.Atom) else None


def _inferred(rule: tree.Rule, streams: Sequence[str], keys: Sequence[str], reporter: Reporter) -> Types:
    """Return templates with the attributes that a rule mentions; constants give their types."""
    return inferred(streams, _compared(rule, keys), reporter)


def _compared(rule: tree.Rule, keys: Sequence[str]) -> Iterator[tuple[Span, tuple[Operand, ...]]]:
    for key in keys:
        yield NOWHERE, (Attribute(key),)
    for node in tree.within(rule.pattern):
        if isinstance(node, tree.Comparison):
            left, right = _operand(node.left), _operand(node.right)
            if left is not None and right is not None:
                yield node.span, (left, right)


def _operand(node: tree.Expression) -> Operand | None:
    """Return an attribute or a constant; None for anything else."""
    match node:
        case tree.Reference(path=(_, attribute)) if attribute != "event_time":
            return Attribute(attribute)
        case tree.Literal(value=value):
            return Literal(value)
        case tree.Negative(operand=tree.Literal(value=int() | float() as value)) if not isinstance(value, bool):
            return Literal(-value)
        case _:
            return None


# --- Rules ------------------------------------------------------------------------------------------------------------


class _Making:
    """The rules of a sequence of events."""

    def __init__(
        self, types: Types, declared: bool, events: Sequence[Event], keys: Sequence[str], reporter: Reporter
    ) -> None:
        self.types = types
        self.variables = _variables(events)
        self.apart = False
        self._declared = declared
        self._events = events
        self._keys = keys
        self._compared = Compared(types, reporter, "LEAD")
        self._reporter = reporter
        self._places: Mapping[str, Place] = {event.name: (n, event.stream) for n, event in enumerate(events)}

    def positive(self, conditions: Sequence[tree.Expression]) -> Formula:
        """Return the comparisons of the events: their own, those of the whole, those of the keys, and that no two
        events are one."""
        parts = [self._holds(condition, self._places) for condition in conditions]
        for number, event in enumerate(self._events):
            here = (number, event.stream)
            parts += [self._holds(condition, {event.name: here}) for condition in event.conditions]
            parts += [self._equal(here, (0, self._events[0].stream), key) for key in self._keys]
            parts += [self._differ(here, place) for place in self._like(event.stream, number)]
        return conjoined(parts)

    def rule(self, name: str, formula: Formula, absences: Sequence[Absent]) -> ast.Rule:
        """Return a rule: the events, and a negated pattern for each absence."""
        formulas = list(conjuncts(formula))
        names = list(self.variables.values())
        templates = [event.stream for event in self._events]
        constraints = [
            ast.Constraint(False, names[number], names[number - 1], _ms(0), _ms((event.length or 1) - 1))
            for number, event in enumerate(self._events)
            if number
        ]
        for absent in absences:
            if (filling := self._absent(absent)) == FALSE:
                continue
            place, own = len(names), PARTELANG.free(absent.name, names)
            moved = {**dict(enumerate(range(place))), len(self._events): place}
            names.append(own)
            templates.append(absent.stream)
            formulas += conjuncts(filling.moved(moved.__getitem__))
            reference = names[absent.place]
            constraints.append(ast.Constraint(True, own, reference, _ms(0), _ms(absent.length - 1)))
            if absent.until_next:
                reference = names[absent.place + 1]
                constraints.append(ast.Constraint(True, own, reference, _ms(1 - absent.length), _ms(0)))
        conditions: list[list[ast.Expression]] = [[] for _ in names]
        for part in sorted(dict.fromkeys(formulas), key=repr):
            place, condition = condition_of(part, names)
            conditions[place].append(condition)
        patterns = tuple(
            ast.Pattern(number >= len(self._events), variable, templates[number], tuple(conditions[number]))
            for number, variable in enumerate(names)
        )
        return ast.Rule(name, patterns, tuple(constraints), ())

    def _absent(self, absent: Absent) -> Formula:
        """Return the formula of an absent event. Its place is behind those of the sequence."""
        here = (len(self._events), absent.stream)
        bound = absent.place + (2 if absent.until_next else 1)
        parts = [TRUE]
        parts += [self._holds(condition, {absent.called: here}) for condition in absent.conditions]
        parts += [self._equal(here, (0, self._events[0].stream), key) for key in self._keys]
        parts += [self._differ(here, place) for place in self._like(absent.stream, bound)]
        return conjoined(parts)

    def _like(self, stream: str, before: int) -> list[Place]:
        """Return the earlier places of a stream. Its events must have the attribute that distinguishes them."""
        places = [
            (number, event.stream) for number, event in enumerate(self._events[:before]) if event.stream == stream
        ]
        if places and not self._tells(stream):
            message = f"in PARTElang one event of {stream} may have several places, in LEAD it has one"
            hint = f"give templates in which {stream} has an attribute `{UID}`, different for each event: --templates"
            self._reporter.report("no-counterpart", NOWHERE, message, hint)
        return places

    def _tells(self, stream: str) -> bool:
        """Return whether the events of a stream have the attribute that distinguishes them."""
        return self._declared and UID in self.types[stream]

    def _differ(self, first: Place, second: Place) -> Formula:
        if not self._tells(first[1]):
            return TRUE
        self.apart = True
        return self._compare(first, Attribute(UID), Operator.NOT_EQUAL, second, Attribute(UID))

    def _equal(self, first: Place, second: Place, key: str) -> Formula:
        if first == second:
            return TRUE if key in self.types[first[1]] else FALSE
        return self._compare(first, Attribute(key), Operator.EQUAL, second, Attribute(key))

    def _compare(self, first: Place, left: Operand, operator: Operator, second: Place, right: Operand) -> Formula:
        return self._compared.comparison((first, left), operator, (second, right), NOWHERE)

    def _holds(self, node: tree.Expression, places: Mapping[str, Place], *, holds: bool = True) -> Formula:
        """Return the formula of a condition that holds, or does not hold."""
        match node:
            case tree.Both(parts=parts) | tree.Either(parts=parts):
                formulas = [self._holds(part, places, holds=holds) for part in parts]
                return conjoined(formulas) if isinstance(node, tree.Both) == holds else disjoined(formulas)
            case tree.Negation(operand=operand):
                return self._holds(operand, places, holds=not holds)
            case tree.Literal(value=value):
                return TRUE if (value is True) == holds else FALSE
            case tree.Comparison(left=left, operator=operator, right=right):
                left_operand, right_operand = _operand(left), _operand(right)
                if left_operand is not None and right_operand is not None:
                    here, there = self._place(left, places), self._place(right, places)
                    if here is None or there is None:  # the name is of something else: nothing is compared
                        return FALSE if holds else TRUE
                    return self._compared.comparison(
                        (here, left_operand), _OPERATORS[operator], (there, right_operand), node.span, holds=holds
                    )
        message = "PARTElang compares attributes and constants here, and counts nothing"
        self._reporter.report("no-counterpart", node.span, message, "compute it before, as an attribute")
        return TRUE

    def _place(self, node: tree.Expression, places: Mapping[str, Place]) -> Place | None:
        if not isinstance(node, tree.Reference):
            return 0, self._events[0].stream
        return places.get(node.path[0])


def _ms(amount: int) -> ast.Duration:
    return ast.Duration(amount, ast.Unit.MILLISECONDS)
