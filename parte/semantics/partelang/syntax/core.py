"""The elaborated program: scoped, typed, every name resolved. All later stages read this tree.

Durations and timestamps are integer milliseconds. Conversions from Integer to Float are explicit (`ToFloat`), so
evaluators never have to decide about them. Spans are positions in the source; comparisons ignore them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Final, assert_never

from parte.semantics.events.bounds import Bounds, Integer64, Name
from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.events.types import Attribute as Attribute
from parte.semantics.events.types import ListOf as ListOf
from parte.semantics.events.types import Scalar as Scalar
from parte.semantics.events.types import Type as Type
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.ast import SourceProgram
from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Tree

if TYPE_CHECKING:
    from parte.semantics.source.diagnostics import Diagnostic


Variable = Annotated[
    str, Bounds(pattern=r"^((first|last) )?[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$", longest=1166)
]
"""The name of a variable; that of a hidden pattern begins with the word of its selection. The variable `a` of a pattern
that is used as `p` is `p.a`."""


# --- Declarations ----------------------------------------------------------------------------------------------------


class Template(Spanned):
    """A relation name with its attributes (D def. 5)."""

    name: Name
    attributes: tuple[Attribute, ...]


class Predicate(Spanned):
    """A domain predicate, supplied with the run."""

    name: Name
    parameters: tuple[Scalar, ...]


# --- Expressions -----------------------------------------------------------------------------------------------------


class Constant(Spanned):
    """A literal value; its Python type agrees with `type`."""

    value: int | float | str | bool
    type: Scalar


class AttributeOf(Spanned):
    """`variable.attribute`; `optional` if the event may lack it, and then there is no value."""

    variable: Variable
    attribute: Name
    type: Type
    optional: bool = False


class TimestampOf(Spanned):
    """`variable.timestamp`: an Integer, in milliseconds."""

    variable: Variable


class ToFloat(Spanned):
    """The binary64 value nearest to an Integer."""

    operand: Expression


class Negation(Spanned):
    """`-operand`, of the operand's type."""

    operand: Expression
    type: Scalar


class Arithmetic(Spanned):
    """`left operator right` with `+ - *` on two values of type `type`, or `/` on two Floats."""

    operator: Annotated[str, Bounds(choices=("+", "-", "*", "/"))]
    left: Expression
    right: Expression
    type: Scalar


class Comparison(Spanned):
    """`left operator right` with `= != < <= > >=` on two values of one type; a Boolean."""

    operator: Annotated[str, Bounds(choices=("=", "!=", "<", "<=", ">", ">="))]
    left: Expression
    right: Expression


class Compound(Spanned):
    """The operands joined by `and` or `or`, in three-valued logic; a Boolean."""

    connective: Annotated[str, Bounds(choices=("and", "or"))]
    operands: Annotated[tuple[Expression, ...], Bounds(shortest=2)]


class Not(Spanned):
    """The opposite of the operand, without a value if that has none; a Boolean."""

    operand: Expression


class Presence(Spanned):
    """True if `present` agrees with whether the operand has a value, else false; a Boolean that has a value always."""

    operand: Expression
    present: bool


class PredicateCall(Spanned):
    """A domain predicate applied to values; a Boolean."""

    predicate: Name
    arguments: tuple[Expression, ...]


class FunctionCall(Spanned):
    """A registered function applied to values (`parte.semantics.partelang.syntax.functions`)."""

    function: Name
    arguments: tuple[Expression, ...]
    type: Scalar


class PatternTest(Spanned):
    """A function of level 2 that tests a String by a constant (`like`, `matches`, `in_network`); a Boolean."""

    function: Name
    operand: Expression
    pattern: str


class TimeConstant(Spanned):
    """A timestamp or a duration, in milliseconds, in conditions of level 2; an Integer to evaluators."""

    milliseconds: Integer64
    quantity: Annotated[str, Bounds(choices=("timestamp", "duration"))]


class ClockReading(Spanned):
    """The reading of a clock in a time zone at the timestamp of a variable: `time_of_day`, `weekday` or `date`."""

    function: Annotated[str, Bounds(choices=functions.of_clocks())]
    variable: Variable
    zone: str


class ListExpression(Spanned):
    """`list(items…)`, in emissions only."""

    items: tuple[Expression, ...]
    type: ListOf


class Aggregate(Spanned):
    """A value of the set that a collected pattern binds: of its events, or of one of their attributes.

    `attribute` is None for `exists` and the number of events, and "timestamp" for their timestamps. `distinct`: the
    number of different values. Without events `count` and `sum` are 0, `exists` is false, the others have no value.
    """

    function: Annotated[str, Bounds(choices=functions.AGGREGATES)]
    variable: Variable
    attribute: Name | None
    distinct: bool
    type: Scalar


_Value = (
    Constant | AttributeOf | TimestampOf | TimeConstant | ClockReading | ToFloat | Negation | Arithmetic | Aggregate
)
Condition = Comparison | Compound | Not | Presence | PredicateCall | PatternTest
"""The expressions that may be conditions of a pattern."""
Expression = _Value | Condition | FunctionCall | ListExpression


def type_of(expression: Expression) -> Type:
    """Return the type of the values of an expression."""
    match expression:
        case TimestampOf() | TimeConstant():
            return Scalar.INTEGER
        case ClockReading(function=function):
            return Scalar.STRING if function == "date" else Scalar.INTEGER
        case ToFloat():
            return Scalar.FLOAT
        case Comparison() | Compound() | Not() | Presence() | PredicateCall() | PatternTest():
            return Scalar.BOOLEAN
        case Constant() | AttributeOf() | Negation() | Arithmetic() | Aggregate() | FunctionCall() | ListExpression():
            return expression.type
        case _:
            assert_never(expression)


# --- Timestamp expressions of `at`; all are monotone in every timestamp -----------------------------------------------


class Shift(Spanned):
    """`operand` plus `milliseconds`, which may be negative."""

    operand: TimestampExpression
    milliseconds: Integer64


class Combination(Spanned):
    """`min`, `max` or `avg` of timestamps; `avg` is the mean rounded towards minus infinity."""

    function: Annotated[str, Bounds(choices=functions.of_timestamps())]
    operands: Annotated[tuple[TimestampExpression, ...], Bounds(shortest=1)]


TimestampExpression = TimestampOf | Shift | Combination | Aggregate

OF_VARIABLES: Final = (AttributeOf, TimestampOf, ClockReading, Aggregate)
"""The expressions that mention a variable."""

EXPRESSIONS: Final[Tree[Expression]] = Tree(Expression)
TIMESTAMP_EXPRESSIONS: Final[Tree[TimestampExpression]] = Tree(TimestampExpression)
"""Both kinds of expressions as trees."""


# --- Rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Selection:
    """The choice that a negated pattern makes: `variable` is bound to the first or the last event that may be."""

    variable: Variable
    event: Annotated[str, Bounds(choices=("first", "last"))]


class Pattern(Spanned):
    """An event pattern. Its conditions hold together; each is a `Condition`.

    `collected`: its variable stands for the set of all events that fill it (level 2); it is not negated then.

    A negated pattern that `selects` is not in the source: it stands behind the pattern of `v` and accepts the earlier,
    or later, events that could be bound to `v` instead. Its variable is called `first v`, or `last v`.
    """

    variable: Variable
    template: Name
    negated: bool
    conditions: tuple[Expression, ...]
    collected: bool = False
    selects: Selection | None = None

    @property
    def positive(self) -> bool:
        """True if a match binds one event to the variable."""
        return not (self.negated or self.collected)


class Constraint(Spanned):
    """`reference.timestamp + lower <= subject.timestamp <= reference.timestamp + upper`.

    `negated` when the subject is the variable of a negated or a collected pattern, for which a match binds no event;
    the reference is always positive. Such a window has no beginning if `lower` is None.
    """

    subject: Variable
    reference: Variable
    lower: Integer64 | None
    upper: Integer64
    negated: bool

    @property
    def begins(self) -> int:
        """The least distance; `NEGATIVE_INFINITY` if the window has no beginning."""
        return NEGATIVE_INFINITY if self.lower is None else self.lower


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value of one attribute of an emitted event, which lacks it without a value if it is `optional`."""

    attribute: Name
    value: Expression
    optional: bool = False


class Suppression(Spanned):
    """The emitted events with equal `keys`, attributes of their template, are at least `milliseconds` apart."""

    keys: tuple[Name, ...]
    milliseconds: Annotated[int, Bounds(least=1, greatest=2**63 - 1)]


class Emission(Spanned):
    """An event that a match emits; assignments stand in the order of the template's attributes, optional ones maybe not
    at all."""

    template: Name
    at: TimestampExpression
    assignments: tuple[Assignment, ...]
    once: Suppression | None = None


class Rule(Spanned):
    """A rule; `patterns` starts with a positive one. All conditions of `having` must be true.

    A rule with `either` (level 2) has a case for each choice of templates. A case is a rule by itself; its name has the
    templates in brackets, as in `R[A,B]`, and it is `reported` as `R`. No events match two cases in the same bindings.
    """

    name: Annotated[str, Bounds(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\[[A-Za-z0-9_,]+\])?$")]
    patterns: tuple[Pattern, ...]
    constraints: tuple[Constraint, ...]
    emissions: tuple[Emission, ...]
    having: tuple[Expression, ...] = ()

    @property
    def reported(self) -> str:
        """The name of the rule in the program, which its matches and the events that it emits have."""
        return reported(self.name)

    @property
    def case(self) -> tuple[str, ...]:
        """The templates that the alternatives of this case have; () if the rule has one case."""
        _, _, chosen = self.name.partition("[")
        return tuple(chosen[:-1].split(",")) if chosen else ()

    @property
    def positive(self) -> tuple[Pattern, ...]:
        """The positive patterns, in order: those that a match binds."""
        return tuple(pattern for pattern in self.patterns if pattern.positive)

    @property
    def collected(self) -> tuple[Pattern, ...]:
        """The patterns whose variables stand for sets, in order."""
        return tuple(pattern for pattern in self.patterns if pattern.collected)

    @property
    def selections(self) -> Mapping[str, Selection]:
        """The choices among events, by the variables that they bind."""
        return {pattern.selects.variable: pattern.selects for pattern in self.patterns if pattern.selects is not None}

    def conditions_behind(self, pattern: Pattern) -> tuple[Expression, ...]:
        """Return the conditions of a pattern that have no part in the choice of its event: those of `having`."""
        for hidden in self.patterns:
            if hidden.selects is not None and hidden.selects.variable == pattern.variable:
                return pattern.conditions[len(hidden.conditions) :]
        return ()

    @property
    def written(self) -> Rule:
        """The rule as it is written: without the negated patterns that stand for selections."""
        hidden = {pattern.variable for pattern in self.patterns if pattern.selects is not None}
        if not hidden:
            return self
        return replace(
            self,
            patterns=tuple(pattern for pattern in self.patterns if pattern.variable not in hidden),
            constraints=tuple(constraint for constraint in self.constraints if constraint.subject not in hidden),
        )


@dataclass(frozen=True, slots=True)
class Program:
    """A valid program. `strata` maps each template to its stratum (D def. 3), lowest 0; `level` is that of its text."""

    templates: tuple[Template, ...]
    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...]
    strata: tuple[tuple[str, int], ...]
    level: int = 1
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    source: SourceProgram = field(default=SourceProgram(()), compare=False, repr=False, kw_only=True)

    def template(self, name: str) -> Template:
        """Return the template called `name`; raise KeyError if there is none."""
        for template in self.templates:
            if template.name == name:
                return template
        raise KeyError(name)

    def rule(self, name: str) -> Rule:
        """Return the rule, or the case, called `name`, or the first case of that rule; KeyError if there is none."""
        for rule in self.rules:
            if name in (rule.name, rule.reported):
                return rule
        raise KeyError(name)

    def stratum(self, rule: Rule) -> int:
        """Return the stratum in which a rule is evaluated: the highest among the templates of the patterns of all its
        cases."""
        strata = dict(self.strata)
        cases = (rule,) if not rule.case else [case for case in self.rules if case.reported == rule.reported]
        return max(strata[pattern.template] for case in cases for pattern in case.patterns)

    def rules_by_stratum(self) -> Iterator[tuple[Rule, ...]]:
        """Return the rules grouped by stratum, lowest first, in program order within a stratum."""
        strata = dict(self.strata)
        groups: dict[int, list[Rule]] = {}
        for cases in cases_of(self.rules):
            stratum = max(strata[pattern.template] for rule in cases for pattern in rule.patterns)
            groups.setdefault(stratum, []).extend(cases)
        for stratum in sorted(groups):
            yield tuple(groups[stratum])


def reported(name: str) -> str:
    """Return the name of the rule whose case has this name; that of the rule itself if it has one case."""
    return name.partition("[")[0]


def name_of_case(rule: str, templates: Sequence[str]) -> str:
    """Return the name of a case of a rule; that of the rule if it has one case, in which no templates are chosen."""
    return f"{rule}[{','.join(templates)}]" if templates else rule


def cases_of(rules: Iterable[Rule]) -> Iterator[tuple[Rule, ...]]:
    """Return the cases of each rule together; those of a rule stand behind each other, and most rules have one."""
    for _, cases in groupby(rules, attrgetter("reported")):
        yield tuple(cases)


def variables_of(expression: Expression | TimestampExpression) -> frozenset[str]:
    """Return the variables that an expression mentions."""
    parts: Sequence[Expression | TimestampExpression] = (
        TIMESTAMP_EXPRESSIONS.all(expression)
        if isinstance(expression, Shift | Combination)
        else EXPRESSIONS.all(expression)
    )
    return frozenset([part.variable for part in parts if isinstance(part, OF_VARIABLES)])


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Return the expression with variables renamed where `names` has them; its spans stay."""

    def change(part: Expression) -> Expression:
        if isinstance(part, OF_VARIABLES):
            return replace(part, variable=names.get(part.variable, part.variable))
        return part

    return EXPRESSIONS.mapped(expression, change)


def likeness(expression: Expression, names: Mapping[str, str]) -> Hashable:
    """Return a value that expressions share if they are equal after variables are renamed; `1` and `1.0` differ."""

    def value_of(name: str, value: Hashable) -> Hashable:
        if name == "variable":
            return names.get(str(value), value)
        return repr(value) if name == "value" else value

    return EXPRESSIONS.likeness(expression, value_of)


def with_plain_variables(rule: Rule) -> Rule:
    """Return the rule with a name without dots for every variable of a named pattern, which no text can bind."""
    written = [pattern.variable for pattern in rule.patterns if pattern.selects is None]
    if not any("." in variable for variable in written):
        return rule
    free = (name for number in count(1) if (name := f"v{number}") not in written)
    names = {variable: next(free) if "." in variable else variable for variable in written}
    for pattern in rule.patterns:
        if pattern.selects is not None:
            chosen = pattern.selects
            names[pattern.variable] = f"{chosen.event} {names.get(chosen.variable, chosen.variable)}"

    def plain(variable: str) -> str:
        return names.get(variable, variable)

    def of_timestamps(part: TimestampExpression) -> TimestampExpression:
        return replace(part, variable=plain(part.variable)) if isinstance(part, TimestampOf | Aggregate) else part

    return replace(
        rule,
        patterns=tuple(
            replace(
                pattern,
                variable=plain(pattern.variable),
                conditions=tuple(renamed(condition, names) for condition in pattern.conditions),
                selects=pattern.selects and replace(pattern.selects, variable=plain(pattern.selects.variable)),
            )
            for pattern in rule.patterns
        ),
        constraints=tuple(
            replace(window, subject=plain(window.subject), reference=plain(window.reference))
            for window in rule.constraints
        ),
        emissions=tuple(
            replace(
                emission,
                at=TIMESTAMP_EXPRESSIONS.mapped(emission.at, of_timestamps),
                assignments=tuple(
                    replace(target, value=renamed(target.value, names)) for target in emission.assignments
                ),
            )
            for emission in rule.emissions
        ),
        having=tuple(renamed(condition, names) for condition in rule.having),
    )
