"""Rules of LEAD as rules of PARTElang.

What has a counterpart is `all` of a sequence of events: each but the first within a time of the one before, with
nothing of some streams between two of them, or for a time after the last. Each alternative of its conditions is a rule.
Where events of one stream have several places, no event may have two of them: an attribute `uid`, different for each
event, says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.names import named
from parte.languages.translations.codes import CODES
from parte.languages.translations.comparing import (
    TRUE,
    Alternatives,
    Atom,
    Compared,
    Place,
    TooManyAlternatives,
    condition_of,
    conjoined,
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
"""The attribute that tells events apart."""

_SHAPE = "write `all(A -> B within 5 s -> …)`: PARTElang finds all matches of events that are bounded in time"
_OPERATORS = {each: Operator("=" if each is tree.Operator.EQUAL else each.value) for each in tree.Operator}


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing of a stream that fulfils the conditions comes after the event at a place: for so long, or until the next
    event."""

    stream: str
    called: str
    conditions: tuple[tree.Expression, ...]
    name: str
    place: int
    length: int
    until_next: bool


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the sequence, and in how much less than which time it follows the one before; None for the first."""

    stream: str
    name: str
    conditions: tuple[tree.Expression, ...]
    length: int | None


@dataclass(frozen=True, slots=True)
class InParte:
    """A program, and the variable in it of each event of the rule of LEAD; whether it is about traces in which `uid`
    tells events apart."""

    program: core.Program
    variables: Mapping[str, str]
    apart: bool


def to_parte(rule: tree.Rule, text: str, types: Types | None = None) -> InParte:
    """The program whose matches are those of a rule. ProgramError with everything in it that no rules can say.

    An attribute `uid` tells events apart where `types` have it; one that only the rule mentions is one like others.
    """
    reporter = Reporter(text, CODES)
    events, absences, conditions = _shape(rule, reporter)
    reporter.raise_if_failed()
    streams = {stream.alias: stream.name for stream in rule.streams}
    events = [replace(each, stream=streams[each.stream]) for each in events]
    absences = [replace(each, stream=streams[each.stream]) for each in absences]
    used = list(dict.fromkeys([*(each.stream for each in events), *(each.stream for each in absences)]))
    keys = [key.attribute for key in rule.keys]
    given = _inferred(rule, used, keys, reporter) if types is None else types
    for name in used:
        if name not in given:
            hint = reporter.suggestion(name, given, "declare it, or leave --templates out")
            reporter.report("no-counterpart", rule.span, f"no template is called {name}", hint)
    reporter.raise_if_failed()
    made = _Making({name: given[name] for name in used}, types is not None, events, keys, reporter)
    try:
        alternatives = made.positive(conditions)
        rules = [made.rule(f"R{number}", atoms, absences) for number, atoms in enumerate(alternatives, 1)]
    except TooManyAlternatives:
        reporter.report("too-large-translation", rule.span, "too many alternatives, each of which is a rule", _SHAPE)
    reporter.raise_if_failed()
    program = elaborated(declarations(made.types), rules, rule.span, "use other names in the rule", reporter)
    return InParte(program, made.variables, made.apart)


# --- The shape of what has a counterpart ------------------------------------------------------------------------------


def _shape(rule: tree.Rule, reporter: Reporter) -> tuple[list[Event], list[Absent], list[tree.Expression]]:
    """The events, what must not come between them, and the conditions on the whole."""
    for key in rule.keys:
        if key.length is not None:
            reporter.report("no-counterpart", key.span, "PARTElang has no tumbling windows", "leave the window out")
    for each in (*rule.outcome, *rule.types):
        message = "the events that LEAD emits have the end of the match as their time, and feed no rule"
        reporter.report("no-counterpart", each.span, message, "leave EMIT, CHECK, DEFINE and ENRICH out")
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
        found = _atom(operand)
        if found is None or (length is None) != (not events):
            message = "in PARTElang this has no counterpart: " + (
                "the first event is at any time" if not events else "an event is bounded in time by the one before"
            )
            reporter.report("no-counterpart", part.span, message, _SHAPE)
            continue
        atom, own = found
        place = len(events)
        for what, its in waiting:
            absences.append(
                Absent(what.stream, _name(what), its, f"absent{len(absences) + 1}", place - 1, length or 1, True)
            )
        waiting = []
        events.append(Event(atom.stream, _name(atom), own, length))
    return events, absences, conditions


def _name(atom: tree.Atom) -> str:
    """What an event is called in LEAD."""
    return atom.name or atom.stream


def _variables(events: Sequence[Event]) -> dict[str, str]:
    """What events are called in PARTElang, which has words of its own, and no `#` in names."""
    found: dict[str, str] = {}
    for each in sorted(events, key=lambda event: "#" in event.name):  # a name that was written goes first
        found[each.name] = PARTELANG.free(each.name.replace("#", "_"), found.values())
    return {each.name: found[each.name] for each in events}


def _atom(pattern: tree.Pattern) -> tuple[tree.Atom, tuple[tree.Expression, ...]] | None:
    """An event with conditions, if a pattern is one."""
    conditions: list[tree.Expression] = []
    while isinstance(pattern, tree.Filtered):
        conditions.append(pattern.condition)
        pattern = pattern.operand
    return (pattern, tuple(conditions)) if isinstance(pattern, tree.Atom) else None


def _inferred(rule: tree.Rule, streams: Sequence[str], keys: Sequence[str], reporter: Reporter) -> Types:
    """Templates with the attributes that a rule mentions, of the types that its constants tell."""
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
    """An attribute or a constant; None of anything else."""
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
        self._places: Mapping[str, Place] = {each.name: (n, each.stream) for n, each in enumerate(events)}

    def positive(self, conditions: Sequence[tree.Expression]) -> Alternatives:
        """The comparisons of the events: their own, those of the whole, those of the keys, and that no two are one."""
        parts = [self._holds(each, self._places) for each in conditions]
        for number, event in enumerate(self._events):
            here = (number, event.stream)
            parts += [self._holds(each, {event.name: here}) for each in event.conditions]
            parts += [self._equal(here, (0, self._events[0].stream), key) for key in self._keys]
            parts += [self._differ(here, each) for each in self._like(event.stream, number)]
        return conjoined(parts)

    def rule(self, name: str, atoms: frozenset[Atom], absences: Sequence[Absent]) -> ast.Rule:
        """A rule: the events, and a negated pattern for each alternative of what must not come."""
        names = list(self.variables.values())
        templates = [each.stream for each in self._events]
        constraints = [
            ast.Constraint(False, names[number], names[number - 1], _ms(0), _ms((each.length or 1) - 1))
            for number, each in enumerate(self._events)
            if number
        ]
        for absent in absences:
            for number, more in enumerate(self._absent(absent), 1):
                place, own = len(names), PARTELANG.free(f"{absent.name}_{number}", names)
                moved = {len(self._events): place}
                names.append(own)
                templates.append(absent.stream)
                atoms |= {_at(atom, moved) for atom in more}
                reference = names[absent.place]
                constraints.append(ast.Constraint(True, own, reference, _ms(0), _ms(absent.length - 1)))
                if absent.until_next:
                    reference = names[absent.place + 1]
                    constraints.append(ast.Constraint(True, own, reference, _ms(1 - absent.length), _ms(0)))
        conditions: list[list[ast.Expression]] = [[] for _ in names]
        for atom in sorted(atoms, key=repr):
            place, condition = condition_of(atom, names)
            conditions[place].append(condition)
        patterns = tuple(
            ast.Pattern(number >= len(self._events), each, templates[number], tuple(conditions[number]))
            for number, each in enumerate(names)
        )
        return ast.Rule(name, patterns, tuple(constraints), ())

    def _absent(self, absent: Absent) -> Alternatives:
        """What an event that must not come fulfils; its place is behind those of the sequence."""
        here = (len(self._events), absent.stream)
        bound = absent.place + (2 if absent.until_next else 1)
        parts = [TRUE]
        parts += [self._holds(each, {absent.called: here}) for each in absent.conditions]
        parts += [self._equal(here, (0, self._events[0].stream), key) for key in self._keys]
        parts += [self._differ(here, each) for each in self._like(absent.stream, bound)]
        return conjoined(parts)

    def _like(self, stream: str, before: int) -> list[Place]:
        """The places of a stream before another, which must have the attribute that tells events apart."""
        found = [(number, each.stream) for number, each in enumerate(self._events[:before]) if each.stream == stream]
        if found and not self._tells(stream):
            message = f"in PARTElang one event of {stream} may have several places, in LEAD it has one"
            hint = f"give templates in which {stream} has an attribute `{UID}`, different for each event: --templates"
            self._reporter.report("no-counterpart", NOWHERE, message, hint)
        return found

    def _tells(self, stream: str) -> bool:
        """Whether the events of a stream have the attribute that tells them apart."""
        return self._declared and UID in self.types[stream]

    def _differ(self, one: Place, other: Place) -> Alternatives:
        if not self._tells(one[1]):
            return TRUE
        self.apart = True
        return self._compare(one, Attribute(UID), Operator.NOT_EQUAL, other, Attribute(UID))

    def _equal(self, one: Place, other: Place, key: str) -> Alternatives:
        if one == other:
            return TRUE if key in self.types[one[1]] else []
        return self._compare(one, Attribute(key), Operator.EQUAL, other, Attribute(key))

    def _compare(self, one: Place, left: Operand, operator: Operator, other: Place, right: Operand) -> Alternatives:
        return self._compared.comparison((one, left), operator, (other, right), NOWHERE)

    def _holds(self, node: tree.Expression, places: Mapping[str, Place], *, holds: bool = True) -> Alternatives:
        """When a condition holds, or when it does not."""
        match node:
            case tree.Both(parts=parts) | tree.Either(parts=parts):
                made = [self._holds(part, places, holds=holds) for part in parts]
                if isinstance(node, tree.Both) == holds:
                    return conjoined(made)
                return list(dict.fromkeys(atoms for each in made for atoms in each))
            case tree.Negation(operand=operand):
                return self._holds(operand, places, holds=not holds)
            case tree.Literal(value=value):
                return TRUE if (value is True) == holds else []
            case tree.Comparison(left=left, operator=operator, right=right):
                one, other = _operand(left), _operand(right)
                if one is not None and other is not None:
                    here, there = self._place(left, places), self._place(right, places)
                    if here is None or there is None:  # the name is of something else: nothing is compared
                        return [] if holds else TRUE
                    return self._compared.comparison(
                        (here, one), _OPERATORS[operator], (there, other), node.span, holds=holds
                    )
        message = "PARTElang compares attributes and constants here, and counts nothing"
        self._reporter.report("no-counterpart", node.span, message, "compute it before, as an attribute")
        return TRUE

    def _place(self, node: tree.Expression, places: Mapping[str, Place]) -> Place | None:
        if not isinstance(node, tree.Reference):
            return 0, self._events[0].stream
        return places.get(node.path[0])


def _at(atom: Atom, moved: Mapping[int, int]) -> Atom:
    """The comparison with other places."""
    right = atom.right
    if not isinstance(right, Literal):
        right = replace(right, place=moved.get(right.place, right.place))
    return Atom(replace(atom.left, place=moved.get(atom.left.place, atom.left.place)), atom.operator, right)


def _ms(amount: int) -> ast.Duration:
    return ast.Duration(amount, ast.Unit.MILLISECONDS)
