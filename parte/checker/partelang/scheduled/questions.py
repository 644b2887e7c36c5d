"""The questions about a rule on a query schedule, as claims.

A run is an event of a template of its own, and so has a timestamp. Events may be late: their templates have an
attribute with the milliseconds from the timestamp of an event to its arrival. For each run that a question is about,
every set of the rule has a copy, whose elements the run reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from parte.checker.environment.schedule import QuerySchedule
from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not, Window
from parte.checker.partelang.rule_claims import RuleClaims, claims_of, filling
from parte.checker.partelang.scenes import Filler, Scene
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

RUN = "the run"
"""The variable of a run. Names with spaces are in no program."""

LATENESS = "lateness of an event"
"""The attribute with the milliseconds between the timestamp and the arrival of an event."""

_RUNS = core.Template("a run", ())
_EVER = 2**65
_EARLIEST, _LATEST = -(2**61), 2**61
"""The times between which runs are examined: no sum of a run's time and a duration leaves 64 bits."""


def with_runs(program: core.Program) -> core.Program:
    """Return the program with the template of runs, and with the lateness of events."""
    lateness = core.Attribute(LATENESS, Scalar.INTEGER)
    templates = (replace(template, attributes=(*template.attributes, lateness)) for template in program.templates)
    return replace(program, templates=(*templates, _RUNS))


class Questions:
    """The questions about one rule. `offsets` are distances of runs from the run of the question."""

    def __init__(self, rule: core.Rule, schedule: QuerySchedule) -> None:
        self.rule, self.schedule = rule, schedule
        self.claims: RuleClaims = claims_of(rule)
        self.variables = {**self.claims.variables, RUN: _RUNS.name}

    # --- Matches that no run sees -------------------------------------------------------------------------------------

    def unseen(self, runs: Sequence[int]) -> tuple[dict[str, str], dict[str, Claim], Scene]:
        """Return the question for a match of the whole trace that no run sees, of those with the numbers `runs`.

        The run of the question has number 0. It is the last one before all positive events have arrived.
        """
        every = self.schedule.every
        variables, claims = dict(self.variables), self._match()
        claims["late"] = Not(Every(tuple(self._arrived(variable, 0) for variable in self.claims.variables)))
        claims["arrived"] = Every(tuple(self._arrived(variable, every) for variable in self.claims.variables))
        for number in runs:
            seen = (self._positive_read(number * every), *self._having(number * every))
            claims[f"unseen by run {number}"] = Not(Every(seen))
        scene = self._related([number * every for number in runs], variables, claims)
        return variables, claims, scene

    def seen_twice(self, number: int) -> tuple[dict[str, str], dict[str, Claim], Scene]:
        """Return the question for a match that the run and the one `number` runs later report."""
        variables, claims = dict(self.variables), self._match()
        offsets = list(dict.fromkeys((0, number * self.schedule.every)))
        for offset in offsets:
            claims[f"seen at {offset}"] = Every((self._positive_read(offset), *self._having(offset)))
        scene = self._related(offsets, variables, claims)
        return variables, claims, scene

    # --- Matches that the whole trace refutes -------------------------------------------------------------------------

    def absent_to_the_run(self, negated: core.Pattern) -> tuple[dict[str, str], dict[str, Claim], Scene]:
        """Return the question for a match of the run that an event which it does not read excludes."""
        variables = {**self.variables, negated.variable: negated.template}
        claims = {**self._reported(), **filling(self.rule, negated), **self._times((negated.variable,))}
        claims["not read"] = Not(self._read(negated.variable, 0))
        return variables, claims, Scene(tuple(self._copies(0)), self.claims.scene.absent)

    def other_sets(self) -> tuple[dict[str, str], dict[str, Claim], Scene]:
        """Return the question for a match of the run that the sets of the whole trace refute."""
        variables, claims = dict(self.variables), self._reported()
        claims["refuted"] = Not(Every(tuple(self.claims.having.values())))
        scene = self._related([0], variables, claims)
        return variables, claims, scene

    # --- Parts --------------------------------------------------------------------------------------------------------

    def _match(self) -> dict[str, Claim]:
        """Return the claims of a match of the whole trace."""
        return {**self.claims.match, **self._times(self.claims.variables), **_run_times()}

    def _reported(self) -> dict[str, Claim]:
        """Return the claims of a match of the run, but for events that fill a negated pattern."""
        own = {label: claim for label, claim in self.claims.match.items() if label not in self.claims.having}
        read = {"read": self._positive_read(0)}
        having = {f"{label} at 0": claim for label, claim in zip(self.claims.having, self._having(0), strict=True)}
        return {**own, **read, **having, **self._times(self.claims.variables), **_run_times()}

    def _times(self, variables: Iterable[str]) -> dict[str, Claim]:
        return {f"lateness of {variable}": claim for variable in variables for claim in self._punctual(variable)}

    def _punctual(self, variable: str) -> Iterator[Claim]:
        if self.schedule.delay:
            lateness = _lateness(variable)
            least, most = _compared(lateness, ">=", _time(0)), _compared(lateness, "<=", _time(self.schedule.delay))
            yield Every((least, most))

    def _arrived(self, variable: str, offset: int) -> Claim:
        if not self.schedule.delay:
            return Window(variable, RUN, -_EVER, offset)
        return _compared(_arrival(variable), "<=", _plus(core.TimestampOf(RUN), _time(offset)))

    def _begun(self, variable: str, offset: int) -> Claim:
        begins = offset - self.schedule.lookback
        if not self.schedule.delay or not self.schedule.by_arrival:
            return Window(variable, RUN, begins, _EVER)
        return _compared(_arrival(variable), ">=", _plus(core.TimestampOf(RUN), _time(begins)))

    def _read(self, variable: str, offset: int) -> Claim:
        return Every((self._begun(variable, offset), self._arrived(variable, offset)))

    def _positive_read(self, offset: int) -> Claim:
        return Every(tuple(self._read(variable, offset) for variable in self.claims.variables))

    def _having(self, offset: int) -> list[Claim]:
        """Return the conditions of `having` on the sets that a run reads."""
        names = {pattern.variable: _copy(pattern.variable, offset) for pattern in self.rule.collected}
        return [Holds(core.renamed(condition, names)) for condition in self.rule.having]

    # --- Sets ---------------------------------------------------------------------------------------------------------

    def _set(self, of: Filler, name: str, beside: Sequence[Claim] = ()) -> Filler:
        claim = Every((of.filled_by(name), *self._punctual(name), *beside))
        return Filler(replace(of.pattern, variable=name), claim)

    def _copies(self, offset: int) -> Iterator[Filler]:
        for of in self.claims.scene.sets:
            name = _copy(of.variable, offset)
            yield self._set(of, name, (self._read(name, offset),))

    def _related(self, offsets: Sequence[int], variables: dict[str, str], claims: dict[str, Claim]) -> Scene:
        """Return the scene with the sets of the whole trace and of the runs; add what relates these.

        The set of a run is a part of the whole. It has the same aggregates, or the run does not read some element.
        """
        sets = [self._set(of, of.variable) for of in self.claims.scene.sets]
        for offset in offsets:
            sets.extend(self._copies(offset))
        for of in self.claims.scene.sets:
            used = [part for part in dict.fromkeys(_parts_of(self.rule.having)) if isinstance(part, core.Aggregate)]
            aggregates = [aggregate for aggregate in used if aggregate.variable == of.variable]
            if aggregates:
                self._relate(of, aggregates, offsets, variables, claims)
        return Scene(tuple(sets), self.claims.scene.absent)

    def _relate(
        self,
        of: Filler,
        aggregates: Sequence[core.Aggregate],
        offsets: Sequence[int],
        variables: dict[str, str],
        claims: dict[str, Claim],
    ) -> None:
        # One event may be what several runs do not read: each variable has an event of its own, which is counted.
        unread = [f"{of.variable}#u{offset}" for offset in offsets]
        outside = [filler for filler in self.claims.scene.absent if filler.pattern.template == of.pattern.template]
        for name in unread:
            variables[name] = of.pattern.template
            free = (Not(filler.filled_by(name)) for filler in outside)
            claims[f"{name} is in the trace"] = Every((*free, *self._punctual(name)))
        for offset in offsets:
            copies = [replace(part, variable=_copy(of.variable, offset)) for part in aggregates]
            pairs = list(zip(aggregates, copies, strict=True))
            alike = Every(tuple(_same_value(part, copy) for part, copy in pairs))
            elements = (Every((of.filled_by(name), Not(self._read(name, offset)))) for name in unread)
            claims[f"{of.variable} at {offset} is alike"] = _some(alike, *elements)
            smaller = tuple(claim for part, copy in pairs for claim in _parts(part, copy))
            claims[f"{of.variable} at {offset} is a part"] = Every(smaller)


def _parts_of(expressions: Iterable[core.Expression]) -> Iterator[core.Expression]:
    for expression in expressions:
        yield from core.EXPRESSIONS.within(expression)


def _copy(variable: str, offset: int) -> str:
    return f"{variable} at {offset}"


def _parts(whole: core.Aggregate, part: core.Aggregate) -> Iterator[Claim]:
    """Yield relations between an aggregate of a set and the same one of a part of the set."""
    both = (HasValue(whole), HasValue(part))
    match whole.function:
        case "exists":
            yield _some(Not(Holds(part)), Holds(whole))
        case "count":
            yield _compared(part, "<=", whole)
        case "max":
            yield _some(Not(HasValue(part)), Every((*both, _compared(part, "<=", whole))))
        case "min":
            yield _some(Not(HasValue(part)), Every((*both, _compared(part, ">=", whole))))
        case "sum":
            zero: core.Expression = _zero(whole.type)
            least, greatest = (replace(whole, function=end) for end in ("min", "max"))
            yield _some(Not(Every((*both, _compared(least, ">=", zero)))), _compared(part, "<=", whole))
            yield _some(Not(Every((*both, _compared(greatest, "<=", zero)))), _compared(part, ">=", whole))


def _zero(type_: Scalar) -> core.Expression:
    return _time(0) if type_ is Scalar.INTEGER else core.Constant(0.0, Scalar.FLOAT)


def _same_value(whole: core.Aggregate, part: core.Aggregate) -> Claim:
    neither = Every((Not(HasValue(whole)), Not(HasValue(part))))
    return _some(neither, _compared(whole, "=", part))


def _some(*claims: Claim) -> Claim:
    return Not(Every(tuple(map(Not, claims))))


def _compared(left: core.Expression, operator: str, right: core.Expression) -> Claim:
    return Holds(core.Comparison(operator, left, right))


def _time(milliseconds: int) -> core.Expression:
    # No `Constant`: those of conditions say how many elements of a set are tried.
    return core.TimeConstant(milliseconds, "duration")


def _plus(left: core.Expression, right: core.Expression) -> core.Expression:
    return core.Arithmetic("+", left, right, Scalar.INTEGER)


def _lateness(variable: str) -> core.Expression:
    return core.AttributeOf(variable, LATENESS, Scalar.INTEGER)


def _arrival(variable: str) -> core.Expression:
    return _plus(core.TimestampOf(variable), _lateness(variable))


def _run_times() -> dict[str, Claim]:
    run = core.TimestampOf(RUN)
    return {
        "runs begin": _compared(run, ">=", core.TimeConstant(_EARLIEST, "timestamp")),
        "runs end": _compared(run, "<=", core.TimeConstant(_LATEST, "timestamp")),
    }
