"""The tree of a rule (specification: lead-text; L §3.3, §4).

The operands of a chain of `and`, `or` or `->` are in one tuple, so that a long chain is no deep tree. Comparisons of
trees ignore spans.
"""

from __future__ import annotations

from enum import Enum

from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Literal as Literal
from parte.semantics.source.trees import Tree


class Unit(Enum):
    """Units of a duration, in milliseconds."""

    MS = 1
    SECONDS = 1_000
    MINUTES = 60_000
    HOURS = 3_600_000
    DAYS = 86_400_000


class Operator(Enum):
    """Comparison operators."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    EQUAL = "=="
    NOT_EQUAL = "!="


class Function(Enum):
    """Functions of the values of the items of a list."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


class Choice(Enum):
    """The policies: which of the matches of a pattern count (L §3.3.3)."""

    FIRST = "first"
    LAST = "last"
    ADJ = "adj"
    EVERY = "every"
    ALL = "all"


Constant = int | float | str | bool

# --- Expressions ------------------------------------------------------------------------------------------------------


class Duration(Spanned):
    """A duration, in its unit."""

    amount: int
    unit: Unit

    @property
    def milliseconds(self) -> int:
        """The length."""
        return self.amount * self.unit.value


class Reference(Spanned):
    """`a.v`, the value of an attribute; `l.a.v`, that of an event in an item of a list; `v`, a key of the partition."""

    path: tuple[str, ...]


class Aggregate(Spanned):
    """A function of a list: `count()` of the list that is being collected, `sum(l.v)`, `avg(l.a.v)`."""

    function: Function
    path: tuple[str, ...]


class Sum(Spanned):
    """Two terms or more; subtracted terms are negative."""

    parts: tuple[Expression, ...]


class Product(Spanned):
    """Two factors or more."""

    parts: tuple[Expression, ...]


class Negative(Spanned):
    """`-x`."""

    operand: Expression


class Comparison(Spanned):
    """`left operator right`; false where a side has no value or the sides are of different kinds."""

    left: Expression
    operator: Operator
    right: Expression


class Both(Spanned):
    """Conditions joined by `and`, two or more."""

    parts: tuple[Expression, ...]


class Either(Spanned):
    """Conditions joined by `or`, two or more."""

    parts: tuple[Expression, ...]


class Negation(Spanned):
    """`not c`: true where c is not."""

    operand: Expression


class Outside(Spanned):
    """`!t`: the time event t has not begun yet, or is over."""

    name: str


class Quantified(Spanned):
    """At least `least` and at most `most` items of the one list in the condition fulfil it; None for as many as there
    are."""

    least: int | None
    most: int | None
    condition: Expression


Number = Literal | Duration | Reference | Aggregate | Sum | Product | Negative
Expression = Number | Comparison | Both | Either | Negation | Outside | Quantified

# --- Patterns ---------------------------------------------------------------------------------------------------------


class Atom(Spanned):
    """An event of a stream, by the alias of the stream; bound to `name`, or, without one, to the alias."""

    stream: str
    name: str | None


class And(Spanned):
    """Matches of all parts, in any order; two parts or more, none of which is an `and`."""

    parts: tuple[Pattern, ...]


class Or(Spanned):
    """Matches of the parts, joined where they end together; two or more."""

    parts: tuple[Pattern, ...]


class Sequence(Spanned):
    """Matches of the parts, each after the one before; two or more."""

    parts: tuple[Pattern, ...]


class Not(Spanned):
    """No match of a pattern."""

    operand: Pattern


class Within(Spanned):
    """A match that comes in less than a time, from when it is enabled or from another match."""

    operand: Pattern
    duration: Duration
    source: Pattern | None


class Wait(Spanned):
    """A match, when the time is over."""

    operand: Pattern
    duration: Duration


class Filtered(Spanned):
    """The matches that fulfil a condition."""

    operand: Pattern
    condition: Expression


class Collect(Spanned):
    """A list of the matches of a pattern. `collect(every P)` has the operand `every(P)`, `collect(P) consume(x)` the
    operand `all(P) consume(x)`."""

    operand: Pattern
    accept: Expression | None
    terminate: Expression | None
    invalidate: Expression | None
    name: str | None


class Pick(Spanned):
    """Of the lists of a repetition that end first, the one with the greatest or least aggregate."""

    greatest: bool
    collect: Collect
    aggregate: Aggregate


class Policy(Spanned):
    """The matches of a pattern that a policy selects; `consumed` are parts that it uses once."""

    choice: Choice
    operand: Pattern
    consumed: tuple[str, ...]


class Bound(Spanned):
    """The event that a name is bound to already; it stands behind `from` only."""

    name: str


class Emission(Spanned):
    """`Emit Event type(arguments)`."""

    type: str
    arguments: tuple[Expression, ...]


class Branch(Spanned):
    """The pattern that follows each item of a list. It begins at the end of the item, which has a name there."""

    pattern: Pattern
    actions: tuple[Emission, ...]


class Subcontext(Spanned):
    """A match with a list of the matches of branches: one branch for each item of a list that has a number from
    `first` to `last` and fulfils `condition`. `terminate` disables it."""

    operand: Pattern
    item: str
    list: str
    first: int | None
    last: int | None
    condition: Expression | None
    branch: Branch
    terminate: Expression | None
    name: str


Pattern = Atom | And | Or | Sequence | Not | Within | Wait | Filtered | Collect | Pick | Policy | Bound | Subcontext

# --- Rules ------------------------------------------------------------------------------------------------------------


class Stream(Spanned):
    """A stream that a rule reads, and its name in the rule."""

    name: str
    alias: str


class TimeEvent(Spanned):
    """An interval of time, from `start` on and before `end`."""

    name: str
    start: Expression
    end: Expression


class Attribute(Spanned):
    """An attribute of emitted events: its type, its name, and its default value."""

    type: str
    name: str
    default: Literal | None


class EventType(Spanned):
    """A type of emitted events; `enriched` where ENRICH gives a type more attributes."""

    name: str
    attributes: tuple[Attribute, ...]
    enriched: bool


class Key(Spanned):
    """A key of PARTITION BY: the value of an attribute, or (`length`) a window of time or of a number of events."""

    alias: str
    attribute: str
    length: Duration | int | None


class Where(Spanned):
    """The outcome if a condition holds."""

    condition: Expression
    outcome: tuple[Outcome, ...]


class Check(Spanned):
    """CHECK FIRST or CHECK ANY: the first clause whose condition holds, or all."""

    first: bool
    clauses: tuple[Where, ...]


Outcome = Emission | Check


class Rule(Spanned):
    """A rule. Optional parts that the text omits are null."""

    streams: tuple[Stream, ...]
    times: tuple[TimeEvent, ...]
    types: tuple[EventType, ...]
    pattern: Pattern
    keys: tuple[Key, ...]
    outcome: tuple[Outcome, ...]


Node = Pattern | Expression | Branch | Emission | Check | Where
TREE: Tree[Node] = Tree(Node)
"""The tree of patterns and outcomes, with conditions."""

within = TREE.within


def open_end(pattern: Pattern) -> Pattern | None:
    """Return the open pattern at the end of a pattern: itself, or the last part of a sequence; None if there is
    none."""
    if isinstance(pattern, Sequence):
        return open_end(pattern.parts[-1])
    return pattern if is_open(pattern) else None


def is_open(pattern: Pattern) -> bool:
    """Return whether a pattern needs something that ends it (specification: lead-open)."""
    match pattern:
        case Not():
            return True
        case Policy(choice=choice):
            return choice is Choice.LAST
        case Collect(terminate=terminate):
            return terminate is None
        case Filtered(operand=operand):
            return is_open(operand)
        case _:
            return False
