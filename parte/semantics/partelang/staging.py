"""The rules of a join-node or a not-node as one function for each slot, written when its network is built.

Much is known of a node before the first event: its windows, whether it has keys and conditions, and where its results
go. In a quick run nothing is limited, and most bounds are not read. So the functions do what the rules of the node do
with a token, in straight code without the premises that always hold. `Written.text` is a small subset of Python:
assignments, `if`, `for`, comparisons, and calls of functions of this project. It consists of words of this module only.
Whatever comes from a program, such as a distance, the name of an attribute or a constant, is in `Written.constants`,
the arguments of the function `make` that the text defines; so nodes that differ only in these share one text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Final, Protocol, cast

from parte.semantics.partelang.expiring import closes_of
from parte.semantics.partelang.expressions import GREATEST_INTEGER, LEAST_INTEGER, NoValue, always
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.network import Criteria, TwoInputNode
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.syntax import core

TEXTS: Final = 1_024
"""The most compiled texts that are stored."""

Function = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a function, and the values of its constants by their names."""

    text: str
    constants: Mapping[str, object]

    def function(self, **others: object) -> Function:
        """Return the function, with more constants."""
        return _compiled(self.text)(**self.constants, **others)


class _Make(Protocol):
    def __call__(self, **constants: object) -> Function: ...


@lru_cache(TEXTS)
def _compiled(text: str) -> _Make:
    """Return the function that a text defines. The text is trusted: this module wrote it, from its own words."""
    names: dict[str, object] = {}
    exec(compile(text, "<staged>", "exec"), {"__builtins__": {"float": float, "max": max}}, names)
    return cast(_Make, names["make"])


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The part of a network on which the functions of a node depend.

    `promised`: tokens from the left have the bounds that were sent with them; others promise nothing. `targets` counts
    the slots to which results go. `steps` counts those of an event from the right: its own, and, if no other node is
    behind it, that of the alpha node above.
    """

    promised: bool
    targets: int
    steps: int


def from_left(node: TwoInputNode, around: Surroundings) -> Written:
    """Write `left(bounds, events)`: JOIN-LEFT, or NOT-LEFT-MATCH and NOT-LEFT-NOMATCH."""
    text = _Writer(node, around)
    beside = [f"events[{place}]" for place in range(len(node.left))]
    key = text.key("left", beside, "events")
    met = text.condition([*beside, "other.events[0]"], "events + other.events")
    writing = [
        "data = state.data",
        "right = data.right",
        *(f"time_{place} = events[{place}].timestamp" for place in range(text.width)),
        *text.extreme("opens", "<", [f"time_{place} + {text.minimum(place)}" for place in range(text.width)]),
        *text.extreme("closes", ">", [f"time_{place} + {text.maximum(place)}" for place in range(text.width)]),
        f"key = {key}",
        "live = opens <= closes and closes >= data.right_bound",
        "met = []",
        "bucket = right.buckets.get(key)",
        "if bucket is not None:",
        "    if bucket[0].closes < opens:",
        "        bucket = bucket[bisect_left(bucket, opens, key=closes_of):]",
        "    for other in bucket:",
        "        if other.closes > closes:",
        "            break",
        *_indented(2, text.guarded(met, ["met.append(other)", *(["break"] if node.negated else [])])),
        *(["if live and not met:"] if node.negated else ["if live:"]),
        "    data.left.stored(Entry(events, opens, closes, key))",
    ]
    if around.promised:
        writing += [f"expires = {text.expiration('bounds')}", *_passing("right", "expires")]
    bounds = "bounds" if around.promised else "unread"
    writing += [f"state.data = TwoInputData({bounds}, data.right_bound, data.left, right)"]
    if node.negated:
        writing += ["if not live and not met:", *_indented(1, text.sent("events"))]
    else:
        writing += ["for other in met:", *_indented(1, text.sent("events + other.events"))]
    return text.written("left(bounds, events)", writing)


def from_right(node: TwoInputNode, around: Surroundings) -> Written:
    """Write `right(bound, event)`: JOIN-RIGHT, or NOT-RIGHT.

    The history itself leaves out an event that no later left partial match can match: `least` is not less than the
    expiration time that follows from the bounds on the left.
    """
    text = _Writer(node, around)
    places = [f"other.events[{place}]" for place in range(len(node.left))]
    key = text.key("right", ["event"], "events")
    met = text.condition([*places, "event"], "other.events + events")
    writing = [
        "data = state.data",
        "left = data.left",
        "events = (event,)",
        "timestamp = event.timestamp",
        f"key = {key}",
        "data.right.stored(Entry(events, timestamp, timestamp, key))",
        "met = []",
        "bucket = left.buckets.get(key)",
        "if bucket is not None:",
        "    if bucket[0].closes < timestamp:",
        "        bucket = bucket[bisect_left(bucket, timestamp, key=closes_of):]",
        "    for other in bucket:",
        "        if other.opens <= timestamp:",
        *_indented(3, text.guarded(met, ["met.append(other)"])),
    ]
    if node.negated:
        writing += ["left.without(met)", *_releasing(text)]
    else:
        writing += [
            *_passing("left", "bound"),
            "state.data = TwoInputData(data.left_bounds, bound, left, data.right)",
            "for other in met:",
            *_indented(1, text.sent("other.events + events")),
        ]
    return text.written("right(bound, event)", writing, around.steps)


def from_silence(node: TwoInputNode, around: Surroundings) -> Written:
    """Write `silence(bound)` of a not-node: NOT-RIGHT-BOTTOM."""
    text = _Writer(node, around)
    lines = ["data = state.data", "left = data.left", *_releasing(text)]
    return text.written("silence(bound)", lines)


def _passing(history: str, bound: str) -> list[str]:
    """expire left, expire right: `SweptHistory.passed`."""
    return [f"if {history}.least < {bound}:", f"    {history}.least = {bound}"]


def _releasing(text: _Writer) -> list[str]:
    """expire-negated: send the left partial matches that no event can defeat any more."""
    return [
        "released = left.passed(bound)[1]",
        "state.data = TwoInputData(data.left_bounds, bound, left, data.right)",
        "for other in released:",
        *_indented(1, text.sent("other.events")),
    ]


def _indented(depth: int, lines: Iterable[str]) -> list[str]:
    return ["    " * depth + line for line in lines]


class _NotWritten(Exception):
    """An expression for which there is no text: its closure is called."""


@dataclass(slots=True)
class _Writer:
    """The constants of a function, and the lines that several functions have."""

    node: TwoInputNode
    around: Surroundings
    constants: dict[str, object] = field(default_factory=dict)
    checked: int = 0

    def __post_init__(self) -> None:
        self.constants |= {"TwoInputData": TwoInputData, "Entry": Entry}
        self.constants |= {"bisect_left": bisect_left, "closes_of": closes_of}

    @property
    def width(self) -> int:
        """The left events that have distances: summaries have none."""
        return len(self.node.minima)

    def constant(self, value: object) -> str:
        """Return the name of a constant."""
        name = f"constant_{len(self.constants)}"
        self.constants[name] = value
        return name

    def minimum(self, place: int) -> str:
        """Return the name of the least distance from a left event."""
        return self.constant(self.node.minima[place])

    def maximum(self, place: int) -> str:
        """Return the name of the greatest distance from a left event."""
        return self.constant(self.node.maxima[place])

    def expiration(self, bounds: str) -> str:
        """Write `kernel.expiration_time`."""
        terms = [f"{bounds}[{place}] + {self.minimum(place)}" for place in range(self.width)]
        return terms[0] if len(terms) == 1 else f"max({', '.join(terms)})"

    @staticmethod
    def extreme(name: str, comparison: str, values: Sequence[str]) -> list[str]:
        """Write the assignment of the greatest value ("<"), or of the least (">")."""
        lines = [f"{name} = {values[0]}"]
        for value in values[1:]:
            lines += [f"other = {value}", f"if {name} {comparison} other:", f"    {name} = other"]
        return lines

    def sent(self, events: str) -> list[str]:
        """Write the calls that send a result to every slot, the last one first, as `Unbounded` does."""
        return [f"target_{number}(unread, {events})" for number in reversed(range(self.around.targets))] or ["pass"]

    def guarded(self, condition: str, lines: Sequence[str]) -> list[str]:
        """Write lines that are executed if a condition holds; one without a value fails."""
        if not condition:
            return [*lines]
        if not self.checked:
            return [f"if {condition}:", *_indented(1, lines)]
        writing = ["try:", f"    holds = {condition}", "except NoValue:", "    holds = False"]
        return [*writing, "if holds:", *_indented(1, lines)]

    def key(self, side: str, events: Sequence[str], partial: str) -> str:
        """Write the values of one side of the equality conditions, or the call of their closure."""
        criteria = self.node.criteria
        if criteria is not None and not criteria.left_keys:
            return "None"
        try:
            if criteria is None:
                raise _NotWritten
            keys = criteria.left_keys if side == "left" else criteria.right_keys
            parts = [self.expression(key, self._places(events, side), criteria) for key in keys]
            if not self.checked:
                return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
        except _NotWritten:
            pass
        self.checked = 0
        self.constants["key_of"] = self.node.left_key if side == "left" else self.node.right_key
        return f"key_of({partial})"

    def condition(self, events: Sequence[str], joined: str) -> str:
        """Write the condition on a left partial match and a right event, or the call of its closure."""
        criteria = self.node.criteria
        if self.node.condition is always:
            return ""
        try:
            if criteria is None:
                raise _NotWritten
            return " and ".join(
                self.expression(part, self._places(events, "both"), criteria) for part in criteria.conditions
            )
        except _NotWritten:
            self.checked = 0
            self.constants["condition"] = self.node.condition
            return f"condition({joined})"

    def _places(self, events: Sequence[str], side: str) -> Mapping[str, str]:
        names = (self.node.right,) if side == "right" else (*self.node.left, self.node.right)
        return dict(zip(names, events, strict=False))

    def expression(self, expression: core.Expression, places: Mapping[str, str], criteria: Criteria) -> str:
        """Write an expression, with the operators of `expressions`. Raise _NotWritten if it is not a simple one."""

        def recur(part: core.Expression) -> str:
            return self.expression(part, places, criteria)

        match expression:
            case core.Constant(value=value):
                return self.constant(value)
            case core.AttributeOf(variable=variable, attribute=attribute, optional=False):
                return f"{places[variable]}.attributes[{self.constant(attribute)}]"
            case core.ToFloat(operand=operand):
                return f"float({recur(operand)})"
            case core.Comparison(operator=sign, left=left, right=right):
                return f"({recur(left)} {_SIGNS[sign]} {recur(right)})"
            case core.Arithmetic(operator=sign, left=left, right=right) if sign in ("+", "-", "*"):
                return self._checked(f"{recur(left)} {sign} {recur(right)}", expression.type)
            case core.PredicateCall(predicate=predicate, arguments=arguments):
                called = self.constant(criteria.predicates[predicate])
                return f"{called}({', '.join(map(recur, arguments))})"
            case _:
                raise _NotWritten

    def _checked(self, calculation: str, type_: core.Type) -> str:
        """Write a calculation that has no value beyond 64 bit, or beyond the finite Floats."""
        self.constants |= {"NoValue": NoValue, "no_value": _no_value}
        self.checked += 1
        result = f"result_{self.checked}"
        floating = type_ is core.Scalar.FLOAT
        least, sign, greatest = (-inf, "<", inf) if floating else (LEAST_INTEGER, "<=", GREATEST_INTEGER)
        limits = f"{self.constant(least)} {sign} ({result} := {calculation}) {sign} {self.constant(greatest)}"
        return f"({result} if {limits} else no_value())"

    def written(self, signature: str, lines: Iterable[str], steps: int = 1) -> Written:
        """Return the function with a signature and lines."""
        targets = [f"target_{number}" for number in range(self.around.targets)]
        others = ["state", "run", "unread", *targets]
        head = [f"def make({', '.join([*self.constants, *others])}):", f"    def {signature}:"]
        body = _indented(2, [f"run.steps += {steps}", *lines])
        return Written("\n".join([*head, *body, f"    return {signature.partition('(')[0]}", ""]), self.constants)


def _no_value() -> None:
    raise NoValue


_SIGNS: Final = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
