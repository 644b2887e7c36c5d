"""A small Prolog: what the clauses of E need of ISO 13211-1, in a loop that does not use Python's stack.

No package for Python fits: pyswip and janus-swi call a SWI-Prolog that has to be installed, 2ppy a Java machine;
pieprolog has neither `=..` nor `@<`, natlog and brolog have no `retract`; clausal was not available, and uc-prolog
(beta, of this year) would be a large dependency for what is a page here.

Conjunction, `;`, `->`, `\\+`, call/N, findall/3; `=`, `@<`, `=..`; is/2 and comparison, exact; asserta, assertz and
retract under the logical update view: a call uses the clauses at its start. Predicates without clauses fail (`unknown`
is `fail`), because a run of E's clauses must allow events without rules. A number that is not whole is evaluated to a
quotient again. `foreign` predicates are functions of their arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from parte.languages.etalis.semantics.published.terms import (
    PrologError,
    Structure,
    Term,
    Variable,
    followed,
    listed,
    quotient,
    text,
    unlisted,
)

MOST_STEPS = 200_000
MOST_CHOICES = 200_000

Key = tuple[str, int]
Foreign = Callable[[tuple[Term, ...]], Term | None]
"""The function of a predicate: from all arguments but the last to a term that is unified with the last; None to
fail."""


@dataclass(frozen=True, slots=True)
class Clause:
    """`head :- body`."""

    head: Structure
    body: Term


Goals = tuple[object, ...] | None
"""The goals that remain: the first, a term or a mark, and the rest."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """The mark that drops the choices above a height."""

    height: int


@dataclass(frozen=True, slots=True)
class _Found:
    """The mark that stores a solution of findall."""

    template: Term
    solutions: list[Term]


@dataclass(slots=True)
class _Choice:
    """An alternative: the trail and the goals at that time, and the clauses or solutions to try."""

    trail: int
    goals: Goals
    goal: Structure | None = None
    clauses: Iterator[Clause] | None = None
    result: tuple[Term, list[Term]] | None = None


@dataclass(slots=True)
class Prolog:
    """A database of clauses, and the solver of goals in it."""

    foreign: Mapping[Key, Foreign] = field(default_factory=dict)
    database: dict[Key, tuple[Clause, ...]] = field(default_factory=dict)
    most_steps: int = MOST_STEPS
    steps: int = 0
    _trail: list[Variable] = field(default_factory=list)
    _choices: list[_Choice] = field(default_factory=list)

    def add(self, clauses: Iterable[Term]) -> None:
        """Add clauses at the end."""
        for clause in clauses:
            self._assert(clause, last=True)

    def once(self, goal: Term) -> bool:
        """Return whether a goal has a solution. Raise PrologError, also above the limit of steps."""
        self.steps, self._choices = 0, []
        goals: Goals = (goal, None)
        while goals is not None:
            self.steps += 1
            if self.steps > self.most_steps or len(self._choices) > MOST_CHOICES:
                raise PrologError("resource_error(steps)")
            first, rest = goals
            following = self._step(first, rest)  # type: ignore[arg-type]  # a list of two, as Goals says
            while following is False:
                if not self._choices:
                    return False
                following = self._retried()
            goals = following  # type: ignore[assignment]  # what is left, no longer False
        self._trail.clear()
        return True

    # --- Steps -------------------------------------------------------------------------------------------------------

    def _step(self, first: object, rest: Goals) -> Goals | bool:
        """Return the goals that remain after a goal; False if it fails."""
        if isinstance(first, _Cut):
            del self._choices[first.height :]
            return rest
        if isinstance(first, _Found):
            first.solutions.append(copied(first.template, {}))
            return False
        goal = followed(first)  # type: ignore[arg-type]  # a term
        if not isinstance(goal, Structure):
            raise _uncallable(goal)
        match goal.name, goal.arguments:
            case "true", ():
                return rest
            case "fail", ():
                return False
            case ",", (left, right):
                return (left, (right, rest))
            case "->", (_, _):
                return self._step(Structure(";", (goal, Structure("fail"))), rest)
            case ";", (left, right):
                return self._either(followed(left), right, rest)
            case "\\+", (negated,):
                height = len(self._choices)
                self._choices.append(_Choice(len(self._trail), rest))
                return (negated, (_Cut(height), (Structure("fail"), None)))
            case "call", (callee, *more):
                return (_extended(followed(callee), tuple(more)), rest)
            case "findall", (template, generator, result):
                solutions: list[Term] = []
                self._choices.append(_Choice(len(self._trail), rest, result=(result, solutions)))
                return (generator, (_Found(template, solutions), None))
            case _:
                return self._called(goal, rest)

    def _either(self, left: Term, right: Term, rest: Goals) -> Goals:
        height = len(self._choices)
        self._choices.append(_Choice(len(self._trail), (right, rest)))
        if isinstance(left, Structure) and left.name == "->" and len(left.arguments) == 2:
            condition, then = left.arguments
            return (condition, (_Cut(height), (then, rest)))
        return (left, rest)

    def _called(self, goal: Structure, rest: Goals) -> Goals | bool:
        key = goal.name, len(goal.arguments)
        if key in self.foreign:
            *inputs, result = goal.arguments
            computed = self.foreign[key](tuple(inputs))
            return rest if computed is not None and self.unify(result, computed) else False
        if key in _BUILT_IN:
            return rest if _BUILT_IN[key](self, goal.arguments) else False
        if key == ("retract", 1):
            return self._retracted(followed(goal.arguments[0]), rest)
        return self._resolved(goal, iter(self.database.get(key, ())), rest)

    def _resolved(self, goal: Structure, clauses: Iterator[Clause], rest: Goals) -> Goals | bool:
        """Continue with the first clause that fits; the others are another choice, if one may fit."""
        clause = self._next(goal, clauses)
        while clause is not None:
            candidate = self._next(goal, clauses)
            height = len(self._trail)
            names: dict[Variable, Term] = {}
            if self.unify(goal, copied(clause.head, names)):
                if candidate is not None:
                    again = _chain(candidate, clauses)
                    self._choices.append(_Choice(height, rest, goal, again))
                return (copied(clause.body, names), rest)
            self._undo(height)
            clause = candidate
        return False

    def _next(self, goal: Structure, clauses: Iterator[Clause]) -> Clause | None:
        """Return the next clause whose arguments have the kinds of the goal's."""
        for clause in clauses:
            if _may_fit(goal, clause.head):
                return clause
            self.steps += 1
        return None

    def _retried(self) -> Goals | bool:
        """Return the goals that remain on the last open alternative."""
        choice = self._choices.pop()
        self._undo(choice.trail)
        if choice.clauses is not None and choice.goal is not None:
            return self._resolved(choice.goal, choice.clauses, choice.goals)
        if choice.result is not None:
            result, solutions = choice.result
            return choice.goals if self.unify(result, listed(tuple(solutions))) else False
        return choice.goals

    def _undo(self, height: int) -> None:
        for variable in self._trail[height:]:
            variable.value = None
        del self._trail[height:]

    # --- Built-in predicates -----------------------------------------------------------------------------------------

    def unify(self, first: Term, second: Term) -> bool:
        """Unify two terms, and return whether that is possible."""
        pairs = [(first, second)]
        while pairs:
            left, right = map(followed, pairs.pop())
            if left is right:
                continue
            if isinstance(left, Variable) or isinstance(right, Variable):
                variable, value = (left, right) if isinstance(left, Variable) else (right, left)
                assert isinstance(variable, Variable)
                variable.value = value
                self._trail.append(variable)
            elif isinstance(left, Structure) and isinstance(right, Structure):
                if left.name != right.name or len(left.arguments) != len(right.arguments):
                    return False
                pairs += zip(left.arguments, right.arguments, strict=True)
            elif type(left) is not type(right) or left != right:
                return False
        return True

    def _assert(self, clause: Term, last: bool) -> bool:
        fresh = copied(clause, {})
        head, body = _parts(fresh)
        head = followed(head)
        if not isinstance(head, Structure):
            raise PrologError(
                "instantiation_error" if isinstance(head, Variable) else f"type_error(callable,{text(head)})"
            )
        key, new = (head.name, len(head.arguments)), (Clause(head, body),)
        before = self.database.get(key, ())
        self.database[key] = before + new if last else new + before
        return True

    def _retracted(self, clause_to_retract: Term, rest: Goals) -> Goals | bool:
        """Remove the first clause that fits; the clauses of E need no other solution."""
        head, body = (
            clause_to_retract.arguments
            if isinstance(clause_to_retract, Structure) and clause_to_retract.name == ":-"
            else (clause_to_retract, Structure("true"))
        )
        head = followed(head)
        if not isinstance(head, Structure):
            raise PrologError("instantiation_error")
        key = head.name, len(head.arguments)
        clauses = self.database.get(key, ())
        for place, clause in enumerate(clauses):
            height, names = len(self._trail), dict[Variable, Term]()
            if self.unify(head, copied(clause.head, names)) and self.unify(body, copied(clause.body, names)):
                self.database[key] = clauses[:place] + clauses[place + 1 :]
                return rest
            self._undo(height)
        return False


def _parts(clause: Term) -> tuple[Term, Term]:
    """Return the head and the body of a clause."""
    if isinstance(clause, Structure) and clause.name == ":-" and len(clause.arguments) == 2:
        head, body = clause.arguments
        return head, body
    return clause, Structure("true")


def _uncallable(term: Term) -> PrologError:
    if isinstance(term, Variable):
        return PrologError("instantiation_error")
    return PrologError(f"type_error(callable,{text(term)})")


def _extended(goal: Term, more: tuple[Term, ...]) -> Term:
    if not more:
        return goal
    if not isinstance(goal, Structure):
        raise _uncallable(goal)
    return Structure(goal.name, goal.arguments + more)


def copied(term: Term, names: dict[Variable, Term]) -> Term:
    """Return a copy of a term with new variables."""
    term = followed(term)
    if isinstance(term, Variable):
        copy = names.get(term)
        if copy is None:
            copy = names[term] = Variable(term.name)
        return copy
    if isinstance(term, Structure) and term.arguments:
        return Structure(term.name, tuple([copied(argument, names) for argument in term.arguments]))
    return term


def _chain(first: Clause, rest: Iterator[Clause]) -> Iterator[Clause]:
    yield first
    yield from rest


def _may_fit(goal: Structure, head: Structure) -> bool:
    for argument, right in zip(goal.arguments, head.arguments, strict=True):
        left = followed(argument)
        if isinstance(left, Variable) or isinstance(right, Variable):
            continue
        if isinstance(left, Structure) and isinstance(right, Structure):
            if left.name != right.name or len(left.arguments) != len(right.arguments):
                return False
        elif type(left) is not type(right) or left != right:
            return False
    return True


# --- Numbers and order ------------------------------------------------------------------------------------------------

_CALCULATED: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def evaluated(term: Term) -> Fraction:
    """Return the value of an expression. Raise PrologError if it has none."""
    term = followed(term)
    match term:
        case int():
            return Fraction(term)
        case Variable():
            raise PrologError("instantiation_error")
        case Structure(name=("+" | "-" | "*" | "/") as name, arguments=(left, right)):
            left_value, right_value = evaluated(left), evaluated(right)
            if name == "/" and not right_value:
                raise PrologError("evaluation_error(zero_divisor)")
            return _CALCULATED[name](left_value, right_value)
        case Structure(name=name, arguments=arguments):
            raise PrologError(f"type_error(evaluable,{name}/{len(arguments)})")
        case str():
            raise PrologError(f"type_error(evaluable,{text(term)})")


def before(first: Term, second: Term) -> bool:
    """Return whether a term is before another in the standard order: variables, numbers, atoms, strings, then
    structures by number of arguments, name and arguments."""
    return _compared(first, second) < 0


def _compared(first: Term, second: Term) -> int:
    first, second = followed(first), followed(second)
    if first is second:
        return 0
    ranks = _rank(first), _rank(second)
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    if isinstance(first, Structure) and isinstance(second, Structure):
        for left, right in zip(first.arguments, second.arguments, strict=True):
            order = _compared(left, right)
            if order:
                return order
    return 0


def _rank(term: Term) -> tuple[int, int, int | str]:
    match term:
        case Variable():
            return 0, 0, id(term)
        case int():
            return 1, 0, term
        case str():
            return 3, 0, term
        case Structure(name=name, arguments=()):
            return 2, 0, name
        case Structure(name=name, arguments=arguments):
            return 4, len(arguments), name


def _univ(prolog: Prolog, arguments: tuple[Term, ...]) -> bool:
    whole, parts = followed(arguments[0]), arguments[1]
    if isinstance(whole, Structure):
        return prolog.unify(parts, listed((Structure(whole.name), *whole.arguments)))
    name, *rest = unlisted(parts)
    name = followed(name)
    if not isinstance(name, Structure) or name.arguments:
        raise _uncallable(name)
    return prolog.unify(whole, Structure(name.name, tuple(rest)))


def _comparing(holds: Callable[[Fraction, Fraction], bool]) -> Callable[[Prolog, tuple[Term, ...]], bool]:
    return lambda _, arguments: holds(evaluated(arguments[0]), evaluated(arguments[1]))


_BUILT_IN: Mapping[Key, Callable[[Prolog, tuple[Term, ...]], bool]] = {
    ("=", 2): lambda prolog, arguments: prolog.unify(*arguments),
    ("=..", 2): _univ,
    ("is", 2): lambda prolog, arguments: prolog.unify(arguments[0], quotient(evaluated(arguments[1]))),
    ("<", 2): _comparing(operator.lt),
    (">", 2): _comparing(operator.gt),
    ("=<", 2): _comparing(operator.le),
    (">=", 2): _comparing(operator.ge),
    ("=:=", 2): _comparing(operator.eq),
    ("@<", 2): lambda _, arguments: before(*arguments),
    ("asserta", 1): lambda prolog, arguments: prolog._assert(arguments[0], last=False),
    ("assertz", 1): lambda prolog, arguments: prolog._assert(arguments[0], last=True),
}
