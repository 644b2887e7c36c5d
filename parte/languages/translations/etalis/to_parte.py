"""Programs of ETALIS as rules of PARTElang.

Each event name has a template, with the interval of the event as the attributes `s` and `t` and its arguments as `x0`,
`x1`, …; an event comes when its interval ends. A program is binarised: each part of a pattern has a template of its
own, and each operator becomes a rule (OR becomes two), with the row of fig. 2 as conditions. Windows reach as far as
`HORIZON`. A number in the text becomes an event that the trace must have. PARTElang reports combinations; the events of
a program are those that are emitted, once each. Times are whole, the policy is `unrestricted`, and negation is by
pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value
from parte.languages.translations.codes import CODES
from parte.languages.translations.elaborating import elaborated
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.graphs import components
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

HORIZON = 10**12
"""The greatest distance of two events of a trace, in milliseconds: 31 years."""

Types = Mapping[str, Sequence[core.Type]]
"""The types of the arguments of events, by name."""

_ROWS: Mapping[str, Sequence[str]] = {
    "SEQ": ("l.t < s",),
    "AND": (),
    "PAR": ("l.s < t", "s < l.t", "l.s < l.t", "s < t"),
    "EQUALS": ("l.s = s", "l.t = t"),
    "MEETS": ("l.t = s",),
    "DURING": ("s < l.s", "l.s < l.t", "l.t < t"),
    "STARTS": ("l.s = s", "l.t < t"),
    "FINISHES": ("l.t = t", "s < l.s"),
}
"""The conditions on the intervals of l and r, by operator (E fig. 2); names without a prefix are those of r."""
_FROM_FIRST = ("SEQ", "MEETS")
_WHOLE = ("AND", "PAR")
"""Operators that begin with l, and those that begin and end with either. The others have the interval of r."""


@dataclass(frozen=True, slots=True)
class InParte:
    """A program; the names that the text has for events; and the events that a trace must have, by name with their
    time."""

    program: core.Program
    heads: frozenset[str]
    moments: Mapping[str, int]

    def events(self, instants: Iterable[Instant]) -> list[Event]:
        """Return a stream as events of PARTElang, with the moments, without events that no rule reads."""
        known = {template.name for template in self.program.templates}
        atoms: list[tuple[int, str, tuple[Value, ...]]] = [(time, name, ()) for name, time in self.moments.items()]
        for instant in instants:
            assert isinstance(instant.time, int)
            atoms += [(instant.time, name, values) for name, values in instant.atoms if name in known]
        return [
            Event(f"e{number}", name, time, _attributes(time, values))
            for number, (time, name, values) in enumerate(sorted(atoms, key=lambda atom: atom[0]))
        ]

    def results(self, matches: Iterable[Match], instants: Iterable[Instant]) -> set[IntervalEvent]:
        """Return the derived events that matches emit, without those of the stream."""
        streamed = {(name, values, instant.time) for instant in instants for name, values in instant.atoms}
        derived: set[IntervalEvent] = set()
        for match in matches:
            for emitted in match.emits:
                start, end, *values = emitted.attributes.values()
                arguments = tuple(map(_value, values))
                assert isinstance(start, int)
                assert isinstance(end, int)
                if emitted.template in self.heads and not (
                    start == end and (emitted.template, arguments, end) in streamed
                ):
                    derived.add(IntervalEvent(emitted.template, arguments, start, end))
        return derived


def _attributes(time: int, values: Sequence[Value]) -> dict[str, int | str | bool]:
    interval: dict[str, int | str | bool] = {"s": time, "t": time}
    return interval | {f"x{place}": _plain(value) for place, value in enumerate(values)}


def _plain(value: Value) -> int | str | bool:
    if isinstance(value, Truth):
        return value is Truth.TRUE
    assert isinstance(value, int | str)
    return value


def _value(value: object) -> Value:
    if isinstance(value, bool):
        return Truth.TRUE if value else Truth.FALSE
    assert isinstance(value, int | str)
    return value


def to_parte(program: tree.Program, text: str, types: Types | None = None) -> InParte:
    """Return the program that emits the derived events. Raise ProgramError with every part that no rule can have."""
    reporter = Reporter(text, CODES)
    _refuse(program, reporter)
    reporter.raise_if_failed()
    making = _Making(program, _Typing(program, reporter).types(types or {}))
    reporter.raise_if_failed()
    for rule in program.rules:
        making.joining(rule.body, rule.head.name, rule.head.arguments, making.of(rule))
    hint = "use other names, and orders of numbers and strings only"
    translated = elaborated(making.templates(), making.rules, program.span, hint, reporter)
    return InParte(translated, frozenset(rule.head.name for rule in program.rules), making.moments)


# --- Parts without a counterpart --------------------------------------------------------------------------------------


def _refuse(program: tree.Program, reporter: Reporter) -> None:
    def refuse(span: Span, message: str, hint: str) -> None:
        reporter.report("no-counterpart", span, message, hint)

    needs = {rule.head.name: set[str]() for rule in program.rules}
    for rule in program.rules:
        for node in tree.within(rule.body):
            if isinstance(node, tree.EventPattern) and node.name in needs:
                needs[rule.head.name].add(node.name)
    recursive = {name for group in components(needs) for name in group if len(group) > 1 or name in needs[name]}
    for rule in program.rules:
        if rule.head.name in recursive:
            refuse(rule.head.span, f"`{rule.head.name}` is made of itself", "PARTElang has no recursion")
        for node in (*tree.within(rule.head), *tree.within(rule.body)):
            match node:
                case tree.Calculation():
                    refuse(
                        node.span, "numbers of ETALIS are exact, those of PARTElang have 64 bits", "do not calculate"
                    )
                case tree.Comparison() if node is not _condition_at(rule.body, node):
                    refuse(node.span, "a comparison as a value", "compare after WHERE only")
                case tree.Where(condition=condition) if not isinstance(condition, tree.Comparison):
                    refuse(condition.span, "a condition that is no comparison", "compare it with true")
                case tree.Constant(value=value) if not isinstance(value, int | str | Truth):
                    refuse(node.span, "a number that is not whole", "use whole numbers")
                case tree.Moment(time=time) if not isinstance(time, int):
                    refuse(node.span, "a time that is not whole", "times of PARTElang are whole milliseconds")


def _condition_at(body: tree.Pattern, comparison: tree.Comparison) -> tree.Comparison | None:
    """Return the comparison if it stands after WHERE, else None."""
    conditions = (node.condition for node in tree.within(body) if isinstance(node, tree.Where))
    return next((condition for condition in conditions if condition is comparison), None)


# --- Types ------------------------------------------------------------------------------------------------------------

_Spot = tuple[str, int | str]
"""An argument of an event, by name and place, or a variable of a rule, by rule and name."""


@dataclass(slots=True)
class _Typing:
    """The groups of arguments and variables of one type, and the types that constants give them."""

    program: tree.Program
    reporter: Reporter
    same: dict[_Spot, _Spot] = field(default_factory=dict)
    stated: dict[_Spot, set[core.Type]] = field(default_factory=dict)
    spans: dict[_Spot, Span] = field(default_factory=dict)

    def types(self, declared: Types) -> Mapping[_Spot, core.Type]:
        """Return the types of all arguments and variables. Report those without a type, and those with several."""
        for name, of_name in declared.items():
            for place, type_ in enumerate(of_name):
                self.tell((name, place), type_)
        for number, rule in enumerate(self.program.rules):
            for node in (rule.head, *tree.within(rule.body)):
                match node:
                    case tree.EventPattern(name=name, arguments=arguments):
                        for place, term in enumerate(arguments):
                            self.alike((name, place), term, number, node.span)
                    case tree.Comparison(left=left, right=right):
                        between: _Spot = (f"comparison {id(node)}", 0)
                        self.alike(between, left, number, node.span)
                        self.alike(between, right, number, node.span)
        known: dict[_Spot, core.Type] = {}
        groups: dict[_Spot, set[core.Type]] = {}
        for spot, of_spot in self.stated.items():
            groups.setdefault(self.root(spot), set()).update(of_spot)
        reported: set[_Spot] = set()
        for spot, span in self.spans.items():
            root = self.root(spot)
            kinds = groups.get(root, set())
            if len(kinds) == 1:
                (known[spot],) = kinds
            elif root not in reported:
                reported.add(root)
                what = "constants of several types" if kinds else "no constant"
                message = f"this is compared with {what}, so that its type is not known"
                hint = "give a program that declares x0, x1, … of the events: --templates FILE"
                self.reporter.report("unknown-type-of-attribute", span, message, hint)
        return known

    def alike(self, spot: _Spot, term: tree.Term, rule: int, span: Span) -> None:
        """Record that a spot has the type of a term."""
        self.spans.setdefault(spot, span)
        match term:
            case tree.Variable(name=name):
                variable: _Spot = (f"rule {rule}", name)
                self.spans.setdefault(variable, span)
                self.same[self.root(spot)] = self.root(variable)
            case tree.Constant(value=value):
                self.tell(spot, _type(value))

    def tell(self, spot: _Spot, type_: core.Type) -> None:
        """Record that a spot has this type."""
        self.stated.setdefault(spot, set()).add(type_)

    def root(self, spot: _Spot) -> _Spot:
        """Return the spot that stands for all spots of its type."""
        while (parent := self.same.get(spot, spot)) != spot:
            spot = parent
        return spot


def _type(value: Value) -> core.Type:
    if isinstance(value, Truth):
        return core.Scalar.BOOLEAN
    return core.Scalar.STRING if isinstance(value, str) else core.Scalar.INTEGER


# --- Rules ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Operand:
    """An event that a rule reads: its template, and its arguments as terms of the rule."""

    template: str
    arguments: tuple[tree.Term, ...]


@dataclass(slots=True)
class _Making:
    program: tree.Program
    types: Mapping[_Spot, core.Type]
    arguments: dict[str, tuple[core.Type, ...]] = field(default_factory=dict)
    moments: dict[str, int] = field(default_factory=dict)
    rules: list[ast.Rule] = field(default_factory=list)

    def of(self, rule: tree.Rule) -> str:
        """Return the key of the variables of a rule."""
        return f"rule {next(number for number, candidate in enumerate(self.program.rules) if candidate is rule)}"

    def event(self, name: str, count: int) -> str:
        """Return the template of an event of the text."""
        if name not in self.arguments:
            self.arguments[name] = tuple(self.types[name, place] for place in range(count))
        return name

    def unused_name(self, wanted: str) -> str:
        """Return a template that no event of the text has."""
        names = {node.name for rule in self.program.rules for node in (rule.head, *_events(rule.body))}
        while wanted in names:
            wanted += "_"
        return wanted

    def operand(self, pattern: tree.Pattern, of: str) -> _Operand:
        """Return the event of a part of a pattern."""
        match pattern:
            case tree.EventPattern(name=name, arguments=arguments):
                return _Operand(self.event(name, len(arguments)), arguments)
            case tree.Moment(time=time):
                name = self.unused_name(f"at_{time}")
                self.arguments.setdefault(name, ())
                self.moments[name] = int(time)
                return _Operand(name, ())
            case _:
                variables = tuple(map(tree.Variable, sorted(tree.bound(pattern))))
                name = self.unused_name(f"part_{len(self.arguments)}")
                self.arguments[name] = tuple(self.types[of, variable.name] for variable in variables)
                self.joining(pattern, name, variables, of)
                return _Operand(name, variables)

    def joining(self, pattern: tree.Pattern, target: str, arguments: Sequence[tree.Term], of: str) -> None:
        """Add the rules for a pattern and its event, after those for its parts."""
        self.event(target, len(arguments))
        writing = _Rule(target, arguments)
        match pattern:
            case tree.EventPattern() | tree.Moment():
                self.add(writing.alone(self.operand(pattern, of)))
            case tree.Where(operand=operand, condition=condition):
                assert isinstance(condition, tree.Comparison)
                self.add(writing.alone(self.operand(operand, of), condition))
            case tree.Lasting(operand=operand, length=length):
                self.add(writing.alone(self.operand(operand, of), length=length))
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                for part in (left, right):
                    self.add(_Rule(target, arguments).alone(self.operand(part, of)))
            case tree.Joined(left=left, operator=operator, right=right):
                self.add(writing.pair(operator.value, self.operand(left, of), self.operand(right, of)))
            case tree.Negation(absent=absent, first=first, last=last):
                between = self.operand(absent, of)
                self.add(writing.pair("SEQ", self.operand(first, of), self.operand(last, of), between))

    def add(self, rule: ast.Rule) -> None:
        """Add a rule, with a name of its own."""
        self.rules.append(ast.Rule(f"R{len(self.rules) + 1}", rule.patterns, rule.constraints, rule.emissions))

    def templates(self) -> list[ast.Template]:
        """Return the declarations of all events."""
        integer = ast.NamedType("Integer")
        return [
            ast.Template(
                name,
                (
                    ast.Slot("s", integer),
                    ast.Slot("t", integer),
                    *(ast.Slot(f"x{place}", ast.NamedType(_name(type_))) for place, type_ in enumerate(types)),
                ),
            )
            for name, types in self.arguments.items()
        ]


def _name(type_: core.Type) -> str:
    assert isinstance(type_, core.Scalar)
    return type_.value


def _events(body: tree.Pattern) -> list[tree.EventPattern]:
    return [node for node in tree.within(body) if isinstance(node, tree.EventPattern)]


@dataclass(slots=True)
class _Rule:
    """A rule that emits one event. `known` has the reference to the value of each variable."""

    target: str
    arguments: Sequence[tree.Term]
    known: dict[str, ast.Reference] = field(default_factory=dict)

    def alone(
        self, event: _Operand, condition: tree.Comparison | None = None, length: Number | None = None
    ) -> ast.Rule:
        """Return a rule of one event."""
        pattern = self.pattern("r", event)
        extra: list[ast.Expression] = []
        if condition is not None:
            relation = ast.BinaryOperator(condition.relation.value)
            extra.append(ast.Binary(relation, self.term(condition.left), self.term(condition.right)))
        if length is not None:
            lasting = ast.Binary(ast.BinaryOperator.SUBTRACT, ast.Reference(None, "t"), ast.Reference(None, "s"))
            extra.append(ast.Binary(ast.BinaryOperator.LESS_OR_EQUAL, lasting, ast.Literal(math.floor(length))))
        pattern = ast.Pattern(False, "r", pattern.template, (*pattern.conditions, *extra))
        return self.emitting(
            (pattern,), (), ast.Reference("r", "s"), ast.Reference("r", "t"), ast.Reference("r", "timestamp")
        )

    def pair(self, operator: str, first: _Operand, second: _Operand, absent: _Operand | None = None) -> ast.Rule:
        """Return a rule of two events, perhaps with one that is absent between them."""
        left = self.pattern("l", first)
        right = self.pattern("r", second, tuple(map(_row, _ROWS[operator])))
        patterns, constraints = [left, right], [_anywhere("r", False)]
        if absent is not None:
            between = (_compared("l", "t", "<", None, "s"), _compared(None, "t", "<", "r", "s"))
            patterns.append(self.pattern("c", absent, between, negated=True))
            constraints.append(_anywhere("c", True))
        start: ast.Expression = ast.Reference("l" if operator in _FROM_FIRST else "r", "s")
        end: ast.Expression = ast.Reference("r", "t")
        at: ast.Expression = ast.Reference("r", "timestamp")
        if operator in _WHOLE:
            start = ast.Call("min", (ast.Reference("l", "s"), ast.Reference("r", "s")))
            end = ast.Call("max", (ast.Reference("l", "t"), ast.Reference("r", "t")))
            at = ast.Call("max", (ast.Reference("l", "timestamp"), ast.Reference("r", "timestamp")))
        return self.emitting(tuple(patterns), tuple(constraints), start, end, at)

    def pattern(
        self, variable: str, event: _Operand, extra: Sequence[ast.Expression] = (), negated: bool = False
    ) -> ast.Pattern:
        """Return a pattern whose arguments equal the known values. A new variable is known from here on; a new
        variable of an absent event is known only within its pattern."""
        conditions: list[ast.Expression] = []
        known = dict(self.known) if negated else self.known
        for place, term in enumerate(event.arguments):
            own = ast.Reference(None, f"x{place}")
            if isinstance(term, tree.Variable) and term.name not in known:
                known[term.name] = ast.Reference(None if negated else variable, f"x{place}")
                continue
            value: ast.Expression
            if isinstance(term, tree.Variable):
                there = known[term.name]
                value = ast.Reference(None if there.variable == variable else there.variable, there.attribute)
            else:
                value = _literal(term)
            conditions.append(ast.Binary(ast.BinaryOperator.EQUAL, own, value))
        return ast.Pattern(negated, variable, event.template, (*conditions, *extra))

    def term(self, term: tree.Term) -> ast.Expression:
        """Return a term in the pattern of r."""
        if isinstance(term, tree.Variable):
            return ast.Reference(None, self.known[term.name].attribute)
        return _literal(term)

    def emitting(
        self,
        patterns: tuple[ast.Pattern, ...],
        constraints: tuple[ast.Constraint, ...],
        start: ast.Expression,
        end: ast.Expression,
        at: ast.Expression,
    ) -> ast.Rule:
        """Return the rule."""
        values = [
            self.known[term.name] if isinstance(term, tree.Variable) else _literal(term) for term in self.arguments
        ]
        slots = (("s", start), ("t", end), *((f"x{place}", value) for place, value in enumerate(values)))
        emission = ast.Emission(self.target, at, tuple(ast.Assignment(name, value) for name, value in slots))
        return ast.Rule("", patterns, constraints, (emission,))


def _literal(term: tree.Term) -> ast.Literal:
    assert isinstance(term, tree.Constant)
    return ast.Literal(_plain(term.value))


def _row(text: str) -> ast.Expression:
    left, operator, right = text.split()
    (first, own), (second, its) = (side.rpartition(".")[::2] for side in (left, right))
    return _compared(first or None, own, operator, second or None, its)


def _compared(first: str | None, own: str, operator: str, second: str | None, its: str) -> ast.Expression:
    return ast.Binary(ast.BinaryOperator(operator), ast.Reference(first, own), ast.Reference(second, its))


def _anywhere(subject: str, negated: bool) -> ast.Constraint:
    """Return a window without any restriction, because a rule needs a window."""
    lower, upper = (ast.Duration(amount, ast.Unit.MILLISECONDS) for amount in (-HORIZON, HORIZON))
    return ast.Constraint(negated, subject, "l", lower, upper)
