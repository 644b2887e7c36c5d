"""The rules of nodes as one function for each slot, written when their network is built.

Much is known of a node before the first event: its windows, whether it has keys and conditions, and where its results
go. In a quick run nothing is limited, and most bounds are not read. So the functions do what the rules of the node do
with a token, in straight code without the premises that always hold. `writing` describes the text.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parte.semantics.events.event import Value
from parte.semantics.partelang.expiring import SweptHistory, closes_of
from parte.semantics.partelang.expressions import Condition, always
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.network import AlphaNode, EntryNode, TwoInputNode
from parte.semantics.partelang.writing import Function, NotWritten, Text, Written, indented


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The part of a network on which the functions of a node depend.

    `promised`: tokens from the left have the bounds that were sent with them; others promise nothing. `targets` counts
    the slots to which results go. `steps` counts those of an event from the right: its own, and, if no other node is
    behind it, that of the alpha node above. `stores`: no other node has stored that event in the same lists.
    """

    promised: bool
    targets: int
    steps: int
    stores: bool = True


def histories_of(left: SweptHistory, right: SweptHistory) -> dict[str, object]:
    """Return the constants of a text about the histories of its node."""
    return {
        "left": left,
        "left_lists": left.lists.by_key,
        "left_fresh": left.lists.fresh.append,
        "right": right,
        "right_lists": right.lists.by_key,
        "right_fresh": right.lists.fresh.append,
    }


@dataclass(frozen=True, slots=True)
class Branch:
    """The functions that take an event that passes an alpha node, which counts `steps`.

    `lefts` says which of them take a partial match with its bounds, the others an event with its bound.
    """

    steps: int
    takes: tuple[Function, ...]
    lefts: tuple[bool, ...]


Choice = tuple[tuple[Condition, tuple[Function, ...]], ...]
"""Conditions of one event, and the functions that take it if they hold."""


@dataclass(frozen=True, slots=True)
class Branching:
    """The alpha nodes behind an entry node: those of `fixed` by the value of an attribute, then others by condition,
    of which the text has those of `written`, and at last those without a condition that is tested.
    """

    fixed: Sequence[tuple[str, Mapping[Value | None, Choice]]]
    written: Sequence[tuple[AlphaNode, Sequence[Branch]]]
    looped: Choice
    always: Sequence[Branch]


def from_entry(node: EntryNode, source: int, branching: Branching) -> Written:
    """Write `from_entry(bound, event)`: ENTRY and ENTRY-NOMATCHTEMPLATE, and ALPHA-MATCH of the alpha nodes behind."""
    text = Text(remembers=True)
    passing: list[str] = []
    for attribute, by_value in branching.fixed:
        passing += _looped(f"{text.constant(by_value)}.get(attributes.get({text.constant(attribute)}), ())")
    for alpha, branches in branching.written:
        condition = _own_condition(text, alpha)
        passing += text.guarded(condition, [line for branch in branches for line in _passed(text, branch)])
    if branching.looped:
        passing += _looped(text.constant(branching.looped))
    for branch in branching.always:
        passing += _passed(text, branch)
    writing = [
        f"if event.template != {text.constant(node.template)}:",
        "    return",
        f"promises[{source}] = bound",
        *(["bound = min(promises)"] if len(node.sources) > 1 else []),
        "events = (event,)",
        "attributes = event.attributes",
        *(f"{name} = None" for name in text.calls.values()),
        *passing,
    ]
    return text.written("from_entry(bound, event)", writing if passing else [], ("promises",))


def _looped(choice: str) -> list[str]:
    return [
        f"for condition, takes in {choice}:",
        "    if condition(events):",
        "        for take in takes:",
        "            take(bound, event)",
    ]


def _own_condition(text: Text, node: AlphaNode) -> str:
    if node.criteria is None:
        text.checked = 0
        return f"{text.constant(node.condition)}(events)"
    text.names = {node.variable: "attributes"}
    return text.conjunction(node.criteria.conditions, node.criteria.predicates, node.condition, "events")


def _passed(text: Text, branch: Branch) -> list[str]:
    calls = [
        f"{text.constant(take)}({'(bound,), events' if left else 'bound, event'})"
        for take, left in zip(branch.takes, branch.lefts, strict=True)
    ]
    return [f"run.steps += {branch.steps}", *calls] if branch.steps else calls


def from_left(node: TwoInputNode, around: Surroundings) -> Written:
    """Write `from_left(bounds, events)`: JOIN-LEFT, or NOT-LEFT-MATCH and NOT-LEFT-NOMATCH."""
    text = _Writer(node=node, around=around)
    key = text.key("left")
    condition = text.condition("events + other.events")
    sent = ["met = True", "break"] if node.negated else text.sent("events + other.events")
    writing = [
        *text.reading("left", "events"),
        *(f"time_{place} = events[{place}].timestamp" for place in range(text.width)),
        *text.extreme("opens", "<", [f"time_{place} + {text.minimum(place)}" for place in range(text.width)]),
        *text.extreme("closes", ">", [f"time_{place} + {text.maximum(place)}" for place in range(text.width)]),
        f"key = {key}",
        *(["met = False"] if node.negated else _live(_stored("left", "opens", "closes"))),
        "bucket = right_lists.get(key)",
        "if bucket is not None:",
        "    if bucket[0].closes < opens:",
        "        bucket = bucket[bisect_left(bucket, opens, key=closes_of):]",
        "    for other in bucket:",
        "        if other.closes > closes:",
        "            break",
        *indented(2, [*text.reading("right", "other.events"), *text.guarded(condition, sent)]),
    ]
    if node.negated:
        release = ["left.stored(Entry(events, opens, closes, key))"]
        writing += ["if met:", "    pass", *_live(release, "elif"), "else:", *indented(1, text.sent("events"))]
    if around.promised:
        writing += [f"expires = {text.expiration('bounds')}", *_passing("right", "expires")]
    return text.function("from_left(bounds, events)", writing)


def _live(lines: Sequence[str], word: str = "if") -> list[str]:
    return [f"{word} opens <= closes and closes >= left.least:", *indented(1, lines)]


def _stored(side: str, opens: str, closes: str) -> list[str]:
    """`Lists.store`."""
    return [
        f"entry = Entry(events, {opens}, {closes}, key)",
        f"bucket = {side}_lists.get(key)",
        "if bucket is None:",
        f"    {side}_lists[key] = [entry]",
        f"elif bucket[-1].closes <= {closes}:",
        "    bucket.append(entry)",
        "else:",
        "    insort(bucket, entry, key=closes_of)",
        f"{side}_fresh(entry)",
    ]


def from_right(node: TwoInputNode, around: Surroundings) -> Written:
    """Write `from_right(bound, event)`: JOIN-RIGHT, or NOT-RIGHT.

    An event that no later left partial match can match is in the list of its key, but has expired: `least` is not less
    than the expiration time that follows from the bounds on the left.
    """
    text = _Writer(node=node, around=around)
    key = text.key("right")
    condition = text.condition("other.events + events")
    writing = [
        "events = (event,)",
        *text.reading("right", "events"),
        "timestamp = event.timestamp",
        f"key = {key}",
        *(_stored("right", "timestamp", "timestamp") if around.stores else []),
        *(["met = []"] if node.negated else _passing("left", "bound")),
        "bucket = left_lists.get(key)",
        "if bucket is not None:",
        "    if bucket[0].closes < timestamp:",
        "        bucket = bucket[bisect_left(bucket, timestamp, key=closes_of):]",
        "    for other in bucket:",
        "        if other.opens <= timestamp:",
    ]
    met = ["met.append(other)"] if node.negated else text.sent("other.events + events")
    writing += indented(3, [*text.reading("left", "other.events"), *text.guarded(condition, met)])
    if node.negated:
        writing += ["if met:", "    left.without(met)", *_releasing(text)]
    return text.function("from_right(bound, event)", writing, around.steps)


def from_silence(node: TwoInputNode, around: Surroundings) -> Written:
    """Write `from_silence(bound)` of a not-node: NOT-RIGHT-BOTTOM."""
    text = _Writer(node=node, around=around)
    return text.function("from_silence(bound)", _releasing(text))


def _passing(history: str, bound: str) -> list[str]:
    """expire left, expire right: `SweptHistory.passed`."""
    return [f"if {history}.least < {bound}:", f"    {history}.least = {bound}"]


def _releasing(text: _Writer) -> list[str]:
    """expire-negated: send the left partial matches that no event can defeat any more."""
    return [
        "for other in left.passed(bound)[1]:",
        *indented(1, text.sent("other.events")),
    ]


@dataclass(slots=True)
class _Writer(Text):
    """The lines that several functions of a node have."""

    node: TwoInputNode = field(kw_only=True)
    around: Surroundings = field(kw_only=True)

    def __post_init__(self) -> None:
        self.constants |= {"Entry": Entry, "bisect_left": bisect_left, "closes_of": closes_of, "insort": insort}
        self.names |= {
            variable: f"attributes_{place}" for place, variable in enumerate((*self.node.left, self.node.right))
        }

    @property
    def width(self) -> int:
        """The left events that have distances: summaries have none."""
        return len(self.node.minima)

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

    def key(self, side: str) -> str:
        """Write the values of one side of the equality conditions, or the call of their closure."""
        criteria = self.node.criteria
        self.checked = 0
        if criteria is not None:
            parts = criteria.left_keys if side == "left" else criteria.right_keys
            if not parts:
                return "None"
            try:
                written = [self.expression(part, criteria.predicates) for part in parts]
                if not self.checked:
                    return written[0] if len(written) == 1 else f"({', '.join(written)})"
            except NotWritten:
                pass
        closure = self.node.left_key if side == "left" else self.node.right_key
        return f"{self.constant(closure)}(events)"

    def condition(self, joined: str) -> str:
        """Write the condition on a left partial match and a right event; nothing if it always holds."""
        criteria = self.node.criteria
        if self.node.condition is always:
            return ""
        if criteria is None:
            return f"{self.constant(self.node.condition)}({joined})"
        return self.conjunction(criteria.conditions, criteria.predicates, self.node.condition, joined)

    def reading(self, side: str, events: str) -> list[str]:
        """Write assignments of the attributes that expressions read of the events from one side."""
        variables = self.node.left if side == "left" else (self.node.right,)
        names = [self.names[variable] for variable in variables]
        return [f"{name} = {events}[{place}].attributes" for place, name in enumerate(names) if name in self.read]

    def function(self, signature: str, lines: Iterable[str], steps: int = 1) -> Written:
        """Return the function with a signature and lines."""
        targets = [f"target_{number}" for number in range(self.around.targets)]
        sides = [f"{side}{part}" for side in ("left", "right") for part in ("", "_lists", "_fresh")]
        return self.written(signature, lines, (*sides, "unread", *targets), steps)
