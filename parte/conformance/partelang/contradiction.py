"""The first step of a run of the machine whose effect the algebra contradicts.

A step contradicts the algebra when it passes on a payload that the algebra does not have, or has once only (*surplus*);
when after it a payload that one of the algebra's matches needs can no longer be formed (*loss*); when a not-node
forgets an event that should defeat a partial match that it later releases (*oversight*); or when it sends a bound that
a later payload on the same edge breaks (*false bound*: a bound concerns the payloads of later tokens on its edge;
specification: bounds-on-later-payloads).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from parte.conformance.partelang.truth import Ids, Truth, ids_of, show
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.network import (
    LEFT_SLOT,
    RIGHT_SLOT,
    AlphaNode,
    EntryNode,
    Network,
    Node,
    ProductionNode,
    TwoInputNode,
)
from parte.semantics.partelang.rules.registry import rule_called
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token, describe, describe_bound


class Kind(Enum):
    """The ways in which a step contradicts the algebra."""

    FALSE_BOUND = "false bound"
    OVERSIGHT = "oversight"
    LOSS = "loss"
    SURPLUS = "surplus"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A step of PROC that the algebra contradicts, with the reason in a sentence."""

    step: int
    rule: str
    node: str
    slot: str
    token: str
    kind: Kind
    sentence: str

    def render(self) -> list[str]:
        """Return two lines: the rule, the node and the token of the step, and the reason."""
        where = f"at {self.node}, on the {self.slot} token {self.token}"
        head = f"step {self.step}: {self.rule} (D §{rule_called(self.rule).section}) {where}"
        return [head, f"  {self.kind.value}: {self.sentence}"]


@dataclass(frozen=True, slots=True)
class Held:
    """A partial match that a match needs and that a not-node or set-node never released."""

    node: str
    payload: str
    sentence: str

    def render(self) -> list[str]:
        """Return two lines: the node with the partial match that it holds, and the reason."""
        return [f"{self.node} still holds {self.payload}", f"  {self.sentence}"]


# --- Following a run ------------------------------------------------------------------------------------------------


_SIDES = {"left": LEFT_SLOT, "right": RIGHT_SLOT}
_Log = dict[Ids, Step]


@dataclass(slots=True)
class _View:
    """The history of a two-input node so far. Of each pair, the first is about the left side.

    `lost` maps an arrival to the step after which it was no longer stored, or which did not store it.
    """

    node: TwoInputNode
    arrived: tuple[_Log, _Log] = field(default_factory=lambda: ({}, {}))
    lost: tuple[_Log, _Log] = field(default_factory=lambda: ({}, {}))
    stored: tuple[dict[Ids, Entry], dict[Ids, Entry]] = field(default_factory=lambda: ({}, {}))
    last: list[Step | None] = field(default_factory=lambda: [None, None])
    pairs: tuple[dict[Ids, list[Ids]], dict[Ids, list[Ids]]] = field(default_factory=lambda: ({}, {}))

    def note(self, step: Step) -> None:
        side = _SIDES[step.slot]
        self.last[side] = step
        changes = ((step.left_stored, step.left_removed), (step.right_stored, step.right_removed))
        for stored, lost, (added, removed) in zip(self.stored, self.lost, changes, strict=True):
            for entry in removed:
                stored.pop(ids_of(entry.events), None)
                lost.setdefault(ids_of(entry.events), step)
            stored.update({ids_of(entry.events): entry for entry in added})
        arrival = _ids(step.token)
        if arrival is not None:
            self.arrived[side].setdefault(arrival, step)
            if arrival not in self.stored[side]:
                self.lost[side].setdefault(arrival, step)


def _ids(token: Token) -> Ids | None:
    """Return the payload of a token by its events' ids."""
    if token.payload is None:
        return None
    return (token.payload.id,) if isinstance(token, AlphaToken) else ids_of(token.payload)


def events_of(token: Token) -> PartialMatch:
    """Return the events of a token's payload; none for a "no change" token."""
    if isinstance(token, AlphaToken):
        return () if token.payload is None else (token.payload,)
    return token.payload or ()


class Review:
    """A comparison of a run with the truth, step by step."""

    def __init__(self, truth: Truth, network: Network) -> None:
        self._truth = truth
        self._nodes: dict[str, Node] = {node.name: node for node in network.nodes}
        self._views = {node.name: _View(node) for node in network.nodes if isinstance(node, TwoInputNode)}
        self._produced: dict[str, dict[Ids, int]] = {name: {} for name in self._nodes}
        self._again: list[tuple[PartialMatch, int]] = []
        self._rejected: dict[tuple[str, str], Step] = {}
        for view in self._views.values():
            if not view.node.waits:
                for needed in truth.nodes[view.node.name].needed:
                    view.pairs[LEFT_SLOT].setdefault(needed[:-1], []).append(needed)
                    view.pairs[RIGHT_SLOT].setdefault(needed[-1:], []).append(needed)

    def note(self, step: Step) -> None:
        """Record the effects of a step."""
        if step.node in self._views:
            self._views[step.node].note(step)
        produced = self._produced[step.node]
        self._again = []
        for token in step.produced:
            if (ids := _ids(token)) is not None:
                if ids in produced:
                    self._again.append((events_of(token), produced[ids]))
                produced.setdefault(ids, step.number)
        node = self._nodes[step.node]
        if isinstance(node, AlphaNode) and step.token.payload is not None and not any(map(events_of, step.produced)):
            self._rejected[node.name, events_of(step.token)[0].id] = step

    # --- Losses -----------------------------------------------------------------------------------------------------

    def losses(self, step: Step) -> Iterator[Contradiction]:
        """Yield how a step made a needed payload impossible."""
        node = self._nodes[step.node]
        arrival = _ids(step.token)
        sentences: Iterable[str] = ()
        match node:
            case TwoInputNode(collects=True):
                sentences = self._set_losses(self._views[node.name], step)
            case TwoInputNode(negated=False):
                sentences = self._join_losses(self._views[node.name], step)
            case TwoInputNode():
                sentences = self._not_losses(self._views[node.name], step)
            case AlphaNode() if arrival is not None and arrival not in self._produced[node.name]:
                match_ = self._truth.nodes[node.name].needed.get(arrival)
                if match_ is not None:
                    sentences = [f"{arrival[0]} is rejected, but it fulfils the pattern {node.variable}{_for(match_)}"]
            case EntryNode() if arrival is not None and arrival not in self._produced[node.name]:
                sentences = [f"{arrival[0]} is ignored"]
            case ProductionNode() if arrival is not None:
                sentences = self._emission_losses(node, step)
        for sentence in sentences:
            yield contradiction(step, Kind.LOSS, sentence)

    def _join_losses(self, view: _View, step: Step) -> Iterator[str]:
        node = view.node
        truth = self._truth.nodes[node.name]
        for pair in _affected(view, step):
            if pair in self._produced[node.name]:
                continue
            left, right = pair[:-1], pair[-1:]
            parts = ((LEFT_SLOT, left, show(node.left, left)), (RIGHT_SLOT, right, show((node.right,), right)))
            needed = f"the algebra has {show(truth.variables, pair)}{_for(truth.needed[pair])}"
            if all(ids in view.arrived[side] for side, ids, _ in parts):
                yield f"{_unjoined(view, step, parts)}, but {needed}"
                continue
            for (side, ids, text), (_, _, other_text) in (parts, parts[::-1]):
                if ids in view.arrived[side] and ids not in view.stored[side]:
                    fate = "is not stored" if view.arrived[side][ids] is step else "is removed from the history"
                    yield f"{text} {fate} while {other_text} has yet to arrive, but {needed}"

    def _not_losses(self, view: _View, step: Step) -> Iterator[str]:
        node = view.node
        truth = self._truth.nodes[node.name]
        events = events_of(step.token)
        for ids, partial in _dropped(view, step).items():
            if ids not in truth.needed or ids in self._produced[node.name]:
                continue
            why = "no event fills the negated pattern beside it"
            if _SIDES[step.slot] == RIGHT_SLOT and events:
                objection = self._truth.difference(node, partial, events[0])
                why = f"{why}; {events[0].id} does not: {objection}" if objection is not None else why
            yield f"{show(node.left, ids)} is dropped, not released, but {why}{_for(truth.needed[ids])}"

    def _set_losses(self, view: _View, step: Step) -> Iterator[str]:
        node = view.node
        needed = self._truth.nodes[node.name].needed
        for ids in _dropped(view, step):
            match = needed.get((*ids, ""))
            if match is not None and (*ids, "") not in self._produced[node.name]:
                yield f"{show(node.left, ids)} is dropped, but its set {node.right} meets `having`{_for(match)}"

    def _emission_losses(self, node: ProductionNode, step: Step) -> Iterator[str]:
        if node.once is not None:
            return  # its event may wait
        expected = self._truth.emission(node, events_of(step.token))
        if expected is not None and not any(map(events_of, step.produced)):
            yield f"nothing is emitted, but the algebra emits {expected.id}"

    # --- Surpluses --------------------------------------------------------------------------------------------------

    def surpluses(self, step: Step) -> list[Contradiction]:
        """Return the surplus payload that a step passed on, after the oversight that caused it, if there is one."""
        node = self._nodes[step.node]
        for events, first in self._again:
            sentence = (
                f"{self._payload_text(node, events)} is produced again, after step {first}; the algebra has it once"
            )
            return [contradiction(step, Kind.SURPLUS, sentence)]
        for token in step.produced:
            payload = token.payload
            objection = None if payload is None else self._truth.objection(node, payload)
            if objection is None:
                continue
            events = events_of(token)
            sentence = f"{self._payload_text(node, events)} is produced, but {objection}"
            oversight = None
            if isinstance(node, TwoInputNode) and node.negated:
                sentence, oversight = self._release(self._views[node.name], step, events, sentence)
            return [*([oversight] if oversight is not None else []), contradiction(step, Kind.SURPLUS, sentence)]
        return []

    def _payload_text(self, node: Node, events: PartialMatch) -> str:
        truth = self._truth.nodes.get(node.name)
        return events[0].id if truth is None else show(truth.variables, ids_of(events))

    def _release(
        self, view: _View, step: Step, events: PartialMatch, sentence: str
    ) -> tuple[str, Contradiction | None]:
        """Return a sentence with the event that should have defeated a released partial match, and the step that first
        overlooked it."""
        ids = ids_of(events)
        causes = []
        for defeater in self._truth.defeaters(view.node, events):
            cause, reason = self._overlooked(view, ids, defeater)
            causes.append((cause or step, reason))
        if not causes:
            return sentence, None
        cause, reason = min(causes, key=lambda cause_and_reason: cause_and_reason[0].number)
        sentence = f"{sentence}: {reason}"
        return sentence, None if cause is step else contradiction(cause, Kind.OVERSIGHT, reason)

    def _overlooked(self, view: _View, partial: Ids, defeater: Event) -> tuple[Step | None, str]:
        """Return the step that should have stored or used an event, and what it did instead."""
        node, name = view.node, (defeater.id,)
        partial_text, beside = show(node.left, partial), f"{node.right}={defeater.id}"
        arrived = view.arrived[RIGHT_SLOT].get(name)
        came = view.arrived[LEFT_SLOT][partial]
        if arrived is None:
            rejected = self._rejected.get((f"alpha:{node.rule}.{node.right}", defeater.id))
            if rejected is not None:
                return rejected, f"{defeater.id} is rejected, but it fulfils the negated pattern {node.right}"
            return None, f"{beside} has yet to arrive"
        if came.number < arrived.number:
            return arrived, f"{beside} arrives while {partial_text} is stored and does not remove it, but defeats it"
        lost = view.lost[RIGHT_SLOT].get(name)
        if lost is None or lost.number > came.number:
            return came, f"{partial_text} arrives while {beside} is stored and is not dropped, but is defeated by it"
        if lost is came:
            return came, f"{beside} is removed before it is compared with {partial_text}, which it defeats"
        fate = "is not stored" if lost is arrived else "is removed from the history"
        return lost, f"{beside} {fate} while {partial_text}, which it defeats, has yet to arrive"

    # --- What remains -----------------------------------------------------------------------------------------------

    def held(self, missing: Iterable[Match]) -> Iterator[Held]:
        """Yield the partial matches of missing matches that not-nodes and set-nodes hold at the end."""
        seen: set[tuple[str, Ids]] = set()
        for match in missing:
            for view in self._views.values():
                node = view.node
                bound = dict(match.bindings)
                ids = tuple(bound.get(variable, "") for variable in node.left)
                of_rule = node.waits and core.reported(node.rule) == match.rule
                entry = view.stored[LEFT_SLOT].get(ids) if of_rule else None
                sent = (*ids, "") if node.collects else ids
                if entry is None or (node.name, ids) in seen or sent in self._produced[node.name]:
                    continue
                seen.add((node.name, ids))
                yield Held(node.name, show(node.left, ids), _waiting(view, ids, entry) + _for(match))

    def heeds_bounds(self, suspect: Contradiction) -> bool:
        """Return whether the effect of a step may depend on a bound that it or its node had received."""
        node = self._nodes[suspect.node]
        return isinstance(node, TwoInputNode) and (node.waits or suspect.kind is Kind.LOSS)


def _dropped(view: _View, step: Step) -> dict[Ids, PartialMatch]:
    """Return the left partial matches that a step removed, or did not store."""
    events = events_of(step.token)
    dropped = {ids_of(entry.events): entry.events for entry in step.left_removed}
    if _SIDES[step.slot] == LEFT_SLOT and events and ids_of(events) not in view.stored[LEFT_SLOT]:
        dropped[ids_of(events)] = events
    return dropped


def _affected(view: _View, step: Step) -> Iterator[Ids]:
    """Yield the needed pairs that a step may have made impossible."""
    arrival = _ids(step.token)
    if arrival is not None:
        yield from view.pairs[_SIDES[step.slot]].get(arrival, ())
    for pairs, removed in zip(view.pairs, (step.left_removed, step.right_removed), strict=True):
        for entry in removed:
            yield from pairs.get(ids_of(entry.events), ())


def _unjoined(view: _View, step: Step, parts: tuple[tuple[int, Ids, str], tuple[int, Ids, str]]) -> str:
    """Return a sentence: both parts of a pair have arrived and are not joined."""
    brought, partner = parts if _SIDES[step.slot] == LEFT_SLOT else parts[::-1]
    if view.lost[partner[0]].get(partner[1]) is step:
        return f"{partner[2]} is removed before it is joined with {brought[2]}"
    return f"{partner[2]} is stored and is not joined with {brought[2]}"


def _waiting(view: _View, ids: Ids, entry: Entry) -> str:
    """Return a sentence on the bounds that a not-node or set-node received on its right side."""
    last, arrived = view.last[RIGHT_SLOT], view.arrived[LEFT_SLOT][ids]
    waits_for = "its set is complete" if view.node.collects else "nothing can defeat it"
    free = f"{waits_for} once the bound on {view.node.right} exceeds {entry.closes}"
    stored = f"stored in step {arrived.number}; {free}"
    if last is None:
        return f"{stored}, but no bound was ever received there"
    assert isinstance(last.token, BetaToken)
    bound = f"the last bound received there is {describe_bound(last.token.bounds[0])}, in step {last.number}"
    return f"{stored}, but {bound}" + (", before it was stored" if last.number < arrived.number else "")


def _for(match: Match) -> str:
    bindings = ", ".join(f"{variable}={name}" for variable, name in match.bindings)
    return f", and the match {match.rule}({bindings}) needs it"


def contradiction(step: Step, kind: Kind, sentence: str) -> Contradiction:
    return Contradiction(step.number, step.rule, step.node, step.slot, describe(step.token), kind, sentence)
