"""The compiler from rules to the clauses that E prints for them (E §5, (2), algorithms 5.1-5.4; `clauses.toml`).

A rule is binarised; each binary rule becomes the clauses of its operator, in which a, b, c and ie_1 are its events,
with the data that E leaves out (footnote 12) before their times. A head with calculations is calculated when it
happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path

from parte.languages.etalis.semantics.published.prolog import Foreign
from parte.languages.etalis.semantics.published.reader import read
from parte.languages.etalis.semantics.published.terms import Structure, Term, Variable, followed, listed, quotient, text
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value, number
from parte.languages.etalis.semantics.terms import Evaluator, evaluator
from parte.semantics.events.records import read_records

FILE = Path(str(resources.files("parte.languages.etalis.semantics.published").joinpath("clauses.toml")))
RELATIONS = {"DURING": "duration", "STARTS": "starts", "EQUALS": "equals", "MEETS": "meets", "FINISHES": "finishes"}
"""The names of (10)-(15), by operator."""
TWO_SIDED = ("EQUALS", "MEETS", "FINISHES")
_RESERVED = frozenset(
    (
        *("for_each", "rules", "duration", "starts", "equals", "finishes", "meets", "min", "max", "happens", "value"),
        *("happened", "noted", "assert", "goal", "absent", "e1", "true", "fail", "call", "findall", "is"),
        *("asserta", "assertz", "retract"),
    )
)


@dataclass(frozen=True, slots=True)
class Goal:
    """A part of the body of a clause, and the conditions under which it is present."""

    do: str
    when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Printed:
    """A clause of E: the rule or algorithm that prints it, its operators, and the conditions under which it is
    present."""

    rule: str
    of: tuple[str, ...]
    head: str
    goals: tuple[Goal, ...]
    when: tuple[str, ...] = ()

    def read(self, facts: AbstractSet[str]) -> Term | None:
        """Return the clause, if it is present."""
        if not _hold(self.when, facts):
            return None
        return _clause(f"{self.head} :- {', '.join(goal.do for goal in self.goals if _hold(goal.when, facts))}")


@cache
def _clause(text: str) -> Term:
    """Return a clause. It is parsed once, and copied for each database."""
    return read(text)


def _hold(conditions: Sequence[str], facts: AbstractSet[str]) -> bool:
    return all(
        (condition[1:] not in facts) if condition.startswith("!") else condition in facts for condition in conditions
    )


@cache
def printed() -> tuple[Printed, ...]:
    """Return all clauses of the file."""
    return tuple(read_records(FILE, "clause", Printed))


@dataclass(frozen=True, slots=True)
class Compiled:
    """The clauses of a program, its calculations, its moments, the names of its heads, and whether it calculates."""

    clauses: tuple[Term, ...]
    foreign: Mapping[tuple[str, int], Foreign]
    moments: tuple[Number, ...]
    heads: frozenset[str]
    calculates: bool

    @property
    def text(self) -> str:
        """The clauses as the text of a Prolog program."""
        return "".join(f"{clause_text(clause)}.\n" for clause in self.clauses)


def clause_text(clause: Term) -> str:
    """Return the text of a clause with distinct names of its variables."""
    names: dict[Variable, str] = {}
    _name(clause, names)
    return text(clause)


def _name(term: Term, names: dict[Variable, str]) -> None:
    term = followed(term)
    if isinstance(term, Variable) and term not in names:
        taken = set(names.values())
        wanted = term.name if term.name != "_" else f"_G{len(names)}"
        while wanted in taken:
            wanted += "_"
        names[term] = term.name = wanted
    elif isinstance(term, Structure):
        for argument in term.arguments:
            _name(argument, names)


def compiled(program: tree.Program, repairs: AbstractSet[str], policy: str) -> Compiled:
    """Return the clauses of a program under repairs and a policy: unrestricted, (18), recent, (16), or chronological,
    (17)."""
    facts = {*repairs, *({"consuming"} if policy != "unrestricted" else ()), *({policy} & {"recent"})}
    making = _Making(frozenset(facts))
    for rule in program.rules:
        making.joining(rule.body, _Event(_name_of(rule.head.name), rule.head.arguments))
    making.loops()
    moments = tuple(sorted(making.moments)) if "whole-language" in facts else ()
    surroundings = [
        clause
        for clause_of_file in printed()
        if "each" in clause_of_file.of and (clause := clause_of_file.read(facts)) is not None
    ]
    calculated = making.calculated

    def value(arguments: tuple[Term, ...]) -> Term | None:
        which, *operands = arguments
        result = calculated[int(str(which))](tuple(value_of(operand) for operand in operands))
        return None if result is None else term_of(result)

    foreign = {("value", count + 2): value for count in range(64)}
    heads = frozenset(rule.head.name for rule in program.rules)
    return Compiled((*surroundings, *making.clauses), foreign, moments, heads, bool(calculated))


def _name_of(name: str) -> str:
    """Return the name of an event in Prolog, distinct from the other names in the clauses."""
    return f"{name}'" if name in _RESERVED or name.startswith("ie_") else name


def named(name: str) -> str | None:
    """Return the name of the event with this name in Prolog; None for an event that is part of a pattern."""
    base = name.removesuffix("'")
    return base if _name_of(base) == name else None


def event_of(name: str, arguments: Arguments, start: Number, end: Number) -> Structure:
    """Return an event as a Prolog term."""
    return Structure(_name_of(name), (*map(term_of, arguments), quotient(start), quotient(end)))


def moment_of(time: Number) -> Structure:
    """Return a point in time as a Prolog term."""
    return Structure(_moment_name(time), (quotient(time), quotient(time)))


def _moment_name(time: Number) -> str:
    return f"at {time}"


def term_of(value: Value) -> Term:
    """Return a value as a Prolog term."""
    match value:
        case Truth():
            return Structure("true" if value is Truth.TRUE else "false")
        case str():
            return value
        case _:
            return quotient(value)


def value_of(term: Term) -> Value:
    """Return the value of a Prolog term."""
    term = followed(term)
    match term:
        case int() | str():
            return term
        case Structure(name="/", arguments=(int(over), int(under))):
            return number(Fraction(over, under))
        case Structure(name="true"):
            return Truth.TRUE
        case Structure(name="false"):
            return Truth.FALSE
        case _:
            raise ValueError(f"expected a value, found {text(term)}")


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of a binary rule: its name in Prolog and its arguments, by the variables of the rule."""

    name: str
    arguments: tuple[tree.Term, ...]


@dataclass(slots=True)
class _Making:
    facts: frozenset[str]
    clauses: list[Term] = field(default_factory=list)
    counts: dict[tuple[str, int], int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    sequences: dict[str, tuple[_Event, _Event, _Event]] = field(default_factory=dict)
    calculated: list[Evaluator] = field(default_factory=list)
    moments: set[Number] = field(default_factory=set)
    intermediate: int = 0

    def operand(self, pattern: tree.Pattern) -> _Event:
        """Return the event of a part of a pattern, an intermediate one unless the part is an event."""
        match pattern:
            case tree.EventPattern(name=name, arguments=arguments):
                return _Event(_name_of(name), arguments)
            case tree.Moment(time=time):
                self.moments.add(time)
                return _Event(_moment_name(time), ())
            case _:
                self.intermediate += 1
                event = _Event(f"ie_{self.intermediate}", tuple(map(tree.Variable, sorted(tree.bound(pattern)))))
                self.joining(pattern, event)
                return event

    def joining(self, pattern: tree.Pattern, target: _Event) -> None:
        """Add the clauses for a pattern and its event, after those for its parts."""
        whole = "whole-language" in self.facts
        self.events.setdefault(target.name, len(target.arguments))
        match pattern:
            case tree.EventPattern() | tree.Moment():
                part = self.operand(pattern)
                if whole:
                    self.clause("COPY", {"a": part}, target)
            case tree.Where(operand=operand, condition=condition):
                part = self.operand(operand)
                if whole:
                    self.clause("WHERE", {"a": part}, target, condition)
            case tree.Lasting(operand=operand, length=length):
                part = self.operand(operand)
                if whole:
                    self.clause("LASTING", {"a": part}, target, length=length)
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                both = self.operand(left), self.operand(right)
                for part in both if whole else ():
                    self.clause("COPY", {"a": part}, target)
            case tree.Joined(left=left, operator=operator, right=right):
                self.pair(operator.value, self.operand(left), self.operand(right), target)
            case tree.Negation(absent=absent, first=first, last=last):
                between, begin, end = self.operand(absent), self.operand(first), self.operand(last)
                roles = {"a": begin, "b": end, "c": between}
                self.clause("5.1", roles, target)
                self.clause("NOT", roles, target)

    def pair(self, operator: str, left: _Event, right: _Event, target: _Event) -> None:
        """Add the clauses for two events and an operator."""
        roles, swapped = {"a": left, "b": right}, {"a": right, "b": left}
        if operator in ("AND", "PAR"):
            self.clause(f"{operator} first", roles, target)
            self.clause(f"{operator} first", swapped, target)
        elif operator == "SEQ":
            before = self.sequences.get(right.name)
            if before is not None and "update-inserts" not in self.facts:
                earlier, expected, its_target = before
                self.clause("update", {"a": earlier, "b": expected}, its_target)
            else:
                self.clause("5.1", roles, target)
            self.clause("SEQ", roles, target)
            self.sequences.setdefault(left.name, (left, right, target))
        else:
            self.clause("5.1", roles, target)
            both = operator in TWO_SIDED and "both-sides" in self.facts
            if both:
                self.clause("5.1", swapped, target)
            self.clause(operator, roles, target, related=operator)
            if both:
                self.clause("other side", roles, target, related=operator)

    def clause(
        self,
        use: str,
        roles: Mapping[str, _Event],
        target: _Event,
        condition: tree.Term | None = None,
        length: Number | None = None,
        related: str = "",
    ) -> None:
        """Add the clauses that are printed for a use, with these events."""
        facts = self.facts | {related.lower()}
        for clause_of_file in printed():
            clause = clause_of_file.read(facts) if use in clause_of_file.of else None
            if clause is not None:
                filling = _Filling(self, roles, target, condition, length, related)
                self.clauses.append(filling.clause(clause))

    def numbered(self, name: str, count: int) -> int:
        """Return the number of the next rule of an event."""
        key = name, count
        self.events.setdefault(name, count)
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key]

    def loops(self) -> None:
        """Add the clauses that call the rules of each event that has rules, or of all events."""
        for name, count in self.events.items():
            rule_count = self.counts.get((name, count), 0)
            if not rule_count and "loops-for-all" not in self.facts:
                continue
            variables: tuple[Term, ...] = tuple(Variable(f"A{place}") for place in range(count + 2))
            loop = Structure("for_each", (Structure(name), 1, listed(variables)))
            self.clauses.append(Structure(":-", (Structure(name, variables), loop)))
            self.clauses.append(Structure("rules", (Structure(name), rule_count)))


@dataclass(slots=True)
class _Filling:
    """The substitution of the events of a binary rule into a clause."""

    making: _Making
    roles: Mapping[str, _Event]
    target: _Event
    condition: tree.Term | None
    length: Number | None
    related: str
    variables: dict[str, Variable] = field(default_factory=dict)

    def clause(self, clause: Term) -> Term:
        """Return the clause for these events."""
        assert isinstance(clause, Structure)
        head, body = clause.arguments
        return Structure(":-", (self.term(head), self.goal(body)))

    def goal(self, term: Term) -> Term:
        """Return a goal of the body: a target happens."""
        if not isinstance(term, Structure):
            return term
        match term.name, term.arguments:
            case (",", _) | (";", _) | ("->", _) | ("\\+", _):
                return Structure(term.name, tuple(map(self.goal, term.arguments)))
            case "ie_1", (start, end):
                return self.happening(start, end)
            case "related", arguments:
                return Structure(RELATIONS[self.related], arguments)
            case "condition", ():
                return self.tested()
            case _:
                return self.term(term)

    def tested(self) -> Term:
        """Return the goal of the condition."""
        if self.condition is None:
            return Structure("true")
        return self.calculation(self.condition, Structure("true"))

    def happening(self, start: Term, end: Term) -> Term:
        """Return the goal of the head, after its calculations."""
        goals: list[Term] = []
        arguments: list[Term] = []
        for argument in self.target.arguments:
            if isinstance(argument, tree.Calculation | tree.Comparison):
                result = Variable("R")
                goals.append(self.calculation(argument, result))
                arguments.append(result)
            else:
                arguments.append(self.value(argument))
        happens: Term = Structure("happens", (Structure(self.target.name, (*arguments, start, end)),))
        for goal in reversed(goals):
            happens = Structure(",", (goal, happens))
        return happens

    def calculation(self, term: tree.Term, result: Term) -> Term:
        """Return the goal that computes the value of a term."""
        names = sorted(tree.variables(term))
        self.making.calculated.append(evaluator(term, {name: place for place, name in enumerate(names)}))
        which = len(self.making.calculated) - 1
        return Structure("value", (which, *map(self.variable, names), result))

    def variable(self, name: str) -> Variable:
        """Return a variable of the rule."""
        return self.variables.setdefault(name, Variable(f"V_{name}"))

    def value(self, term: tree.Term) -> Term:
        """Return an argument of an event; a calculated one is an unbound variable."""
        match term:
            case tree.Variable(name=name):
                return self.variable(name)
            case tree.Constant(value=value):
                return term_of(value)
            case _:
                return Variable()

    def term(self, term: Term) -> Term:
        """Return a term with the events in place of a, b, c and ie_1, and the length in place of q."""
        if not isinstance(term, Structure):
            return term
        match term.name, term.arguments:
            case ("a" | "b" | "c") as role, (Structure(name="n"), start, end):
                event = self.roles[role]
                values = tuple(map(self.value, event.arguments))
                return Structure(event.name, (self.making.numbered(event.name, len(values)), *values, start, end))
            case ("a" | "b" | "c") as role, (start, end):
                event = self.roles[role]
                return Structure(event.name, (*map(self.value, event.arguments), start, end))
            case "ie_1", ():
                return Structure(self.target.name)
            case "ie_1", (start, end):
                return Structure(self.target.name, (*map(self.value, self.target.arguments), start, end))
            case "q", ():
                assert self.length is not None
                return quotient(self.length)
            case name, arguments:
                return Structure(name, tuple(map(self.term, arguments)))
        return term
