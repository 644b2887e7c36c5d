"""The types of the inference rules of PARTElang's machine, and the rulebook with all of them.

A local rule takes a node's site, its data and a token, each of the types that the rules of its kind of node share. It
returns its effect, or None if one of its premises fails, or `Waiting` if that is the premise about room or turn.
Premises are in D's order. Ids spell D's arrows out: ↘ LEFT, ↙ RIGHT, ⊥ BOTTOM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.partelang.histories import History
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Node,
    ProductionNode,
    Side,
    TerminalNode,
    TwoInputNode,
)
from parte.semantics.partelang.repairs import Family, Repairs
from parte.semantics.partelang.suppression import Decision, OnceData
from parte.semantics.partelang.tokens import Alpha, Beta, PartialMatch, Token
from parte.semantics.rulebook.registry import Rule, Rulebook


class Kind(Enum):
    """The kinds of node (D §5.2.2, §5.4.5)."""

    ENTRY = "entry"
    ALPHA = "alpha"
    JOIN = "join"
    NOT = "not"
    SET = "set"
    PRODUCTION = "production"
    ONCE = "once"
    TERMINAL = "terminal"


def kind_of(node: Node) -> Kind:
    """Return the kind of a node."""
    match node:
        case EntryNode():
            return Kind.ENTRY
        case AlphaNode():
            return Kind.ALPHA
        case TwoInputNode(collects=True):
            return Kind.SET
        case TwoInputNode(negated=negated):
            return Kind.NOT if negated else Kind.JOIN
        case ProductionNode(once=once):
            return Kind.PRODUCTION if once is None else Kind.ONCE
        case TerminalNode():
            return Kind.TERMINAL


# --- Arguments and results of local rules -----------------------------------------------------------------------------

_Node = TypeVar("_Node", bound=Node, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Site(Generic[_Node]):
    """The place where a rule is applied: the node, the repairs, and the capacities of its histories (None: no limit).

    `informs` is off only in unbounded runs, at a two-input node whose bounds are not read, or not yet: instead of
    computing them it returns `unread`, which promises nothing. `limited` says whether a history or an outbox of a
    two-input node is limited that tokens reach from here.
    """

    node: _Node
    repairs: Repairs
    left_capacity: int | None = None
    right_capacity: int | None = None
    informs: bool = True
    limited: bool = True
    unread: tuple[int, ...] = (NEGATIVE_INFINITY,)


class EntryData(Struct, frozen=True, gc=False):
    """slmap: the bound that each source has promised, by slot (D §5.4.5)."""

    bounds: tuple[int, ...]


class TwoInputData(Struct, frozen=True, gc=False):
    """lmap, l, pm and e: the bounds on what each side may still send, and the histories (D §5.4.5)."""

    left_bounds: tuple[int, ...]
    right_bound: int
    left: History
    right: History

    def _replace(self, **changes: Any) -> TwoInputData:
        return replace(self, **changes)


Data = EntryData | TwoInputData | OnceData | None


class Effect(Struct, frozen=True, gc=False):
    """The conclusion of a local rule: the node's new data and the tokens for its outbox, in order.

    `decided` are the events that pass or are suppressed by the step, which the world sees.
    """

    data: Data
    tokens: tuple[Token, ...]
    decided: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """The rule applies except for room or turn: the thing for which the node waits."""

    reason: str


Conclusion = Effect | Waiting | None


# --- The rulebook ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineRule(Rule):
    """A rule of the machine. The global rules, of →g, have no family: every model has them."""

    family: Family | None


@dataclass(frozen=True, slots=True)
class LocalRule(MachineRule):
    """A rule of →l: the kind of node, the side and the tokens to which it applies.

    `payload` says whether it takes tokens with a payload, without one, or (None) either.
    """

    function: Callable[..., Conclusion]
    kind: Kind
    side: Side
    payload: bool | None

    @property
    def node(self) -> str:
        """The kind of node that applies it."""
        return self.kind.value


RULEBOOK: Rulebook[MachineRule] = Rulebook("PARTE")
"""All rules of D, once `parte.semantics.partelang.machine` is imported: the modules with the rules add them."""
OUR_RULES: Rulebook[MachineRule] = Rulebook("PARTE")
"""The rules for constructs of level 2, which D does not have."""


def rule_called(identity: str) -> MachineRule:
    """Return the rule with an id, D's or ours; raise KeyError if there is none."""
    return (RULEBOOK if identity in RULEBOOK else OUR_RULES)[identity]


_MODELS = {
    Family.RUDIMENTARY: ("rudimentary",),
    Family.FEATHERWEIGHT: ("published", "sound"),
    None: ("rudimentary", "published", "sound"),
}
_SECTIONS = {Family.RUDIMENTARY: "5.2.6", Family.FEATHERWEIGHT: "5.4.6", None: "5.2.5, 5.4.7"}
OURS = "5.4.6, extended by level 2"
"""The section of the rules of set-nodes, which D does not have."""
_Function = TypeVar("_Function", bound=Callable[..., object])


def global_rule(identity: str, name: str) -> Callable[[_Function], _Function]:
    """Register a function as the rule of →g that D calls `name`."""

    def register(function: _Function) -> _Function:
        RULEBOOK.add(MachineRule(identity, name, _SECTIONS[None], _MODELS[None], function, None))
        return function

    return register


_At = TypeVar("_At", bound=Node)
_Data = TypeVar("_Data", bound=Data)
_Full = TypeVar("_Full")
_Bottom = TypeVar("_Bottom")
_Token = TypeVar("_Token")
_Local = Callable[[Site[_At], _Data, _Token], Conclusion]
_Register = Callable[[_Local[_At, _Data, _Token]], _Local[_At, _Data, _Token]]


@dataclass(frozen=True, slots=True)
class LocalRules(Generic[_At, _Data, _Full, _Bottom]):
    """The common properties of the rules of one kind of node; its methods register a rule each.

    A rule function takes the site of such a node, its data, and tokens with a payload (`rule`), without one (`bottom`)
    or of both kinds (`either`).
    """

    kind: Kind
    family: Family = Family.FEATHERWEIGHT
    book: Rulebook[MachineRule] = field(default_factory=lambda: RULEBOOK)

    def of(self, family: Family) -> LocalRules[_At, _Data, _Full, _Bottom]:
        """Return the same for another family."""
        return LocalRules(self.kind, family)

    def rule(self, identity: str, name: str, side: Side = Side.TOP) -> _Register[_At, _Data, _Full]:
        """Register a rule for tokens with a payload, which D calls `name`."""
        return self._register(identity, name, side, True)

    def bottom(self, identity: str, name: str, side: Side = Side.TOP) -> _Register[_At, _Data, _Bottom]:
        """Register a rule for tokens without a payload."""
        return self._register(identity, name, side, False)

    def either(self, identity: str, name: str, side: Side = Side.TOP) -> _Register[_At, _Data, _Full | _Bottom]:
        """Register a rule for all tokens."""
        return self._register(identity, name, side, None)

    def _register(
        self, identity: str, name: str, side: Side, payload: bool | None
    ) -> Callable[[_Local[_At, _Data, _Token]], _Local[_At, _Data, _Token]]:
        section, models = _SECTIONS[self.family], _MODELS[self.family]
        section = OURS if self.kind is Kind.SET else section

        def register(function: _Local[_At, _Data, _Token]) -> _Local[_At, _Data, _Token]:
            self.book.add(LocalRule(identity, name, section, models, function, self.family, self.kind, side, payload))
            return function

        return register


ENTRY: LocalRules[EntryNode, EntryData, Alpha[Event], Alpha[None]] = LocalRules(Kind.ENTRY)
ALPHA: LocalRules[AlphaNode, None, Alpha[Event], Alpha[None]] = LocalRules(Kind.ALPHA)
JOIN: LocalRules[TwoInputNode, TwoInputData, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.JOIN)
NOT: LocalRules[TwoInputNode, TwoInputData, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.NOT)
SET: LocalRules[TwoInputNode, TwoInputData, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.SET)
PRODUCTION: LocalRules[ProductionNode, None, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.PRODUCTION)
ONCE: LocalRules[ProductionNode, OnceData, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.ONCE, book=OUR_RULES)
TERMINAL: LocalRules[TerminalNode, None, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.TERMINAL)


def rules_for(family: Family, kind: Kind, side: Side, payload: bool) -> tuple[LocalRule, ...]:
    """Return the local rules of a family that may apply to a token; all premises hold for at most one of them."""
    return tuple(
        info
        for info in (*RULEBOOK.values(), *OUR_RULES.values())
        if isinstance(info, LocalRule)
        and (info.family, info.kind, info.side) == (family, kind, side)
        and info.payload in (None, payload)
    )
