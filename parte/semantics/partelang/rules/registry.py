"""The inference rules of PARTElang's machine: their types, and the rulebook that lists them.

A local rule takes a node's site, its data and a token, each of the type that all rules of its kind of node share. It
returns its effect; or None if a premise does not hold; or `Waiting` if that premise is the one that requires room or
turn. Premises stand in D's order. In ids D's arrows are written out: ↘ LEFT, ↙ RIGHT, ⊥ BOTTOM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from parte.semantics.partelang.tokens import Alpha, Beta, PartialMatch, Token
from parte.semantics.rulebook.registry import Rule, Rulebook


class Kind(Enum):
    """The kinds of node (D §5.2.2, §5.4.5)."""

    ENTRY = "entry"
    ALPHA = "alpha"
    JOIN = "join"
    NOT = "not"
    PRODUCTION = "production"
    TERMINAL = "terminal"


def kind_of(node: Node) -> Kind:
    """The kind of a node."""
    match node:
        case EntryNode():
            return Kind.ENTRY
        case AlphaNode():
            return Kind.ALPHA
        case TwoInputNode(negated=negated):
            return Kind.NOT if negated else Kind.JOIN
        case ProductionNode():
            return Kind.PRODUCTION
        case TerminalNode():
            return Kind.TERMINAL


# --- What a local rule sees and says --------------------------------------------------------------------------------

_Node = TypeVar("_Node", bound=Node, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Site(Generic[_Node]):
    """The place where a rule is applied: node, repairs that are on, and capacities of its histories (None: no limit).

    `informs` is off only in unbounded runs, at a two-input node whose bounds no node reads, or no node reads yet: it
    then sends `unread`, which promises nothing, and does not compute bounds.
    `limited`: a history or an outbox of a two-input node that receives tokens from here has a capacity.
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


Data = EntryData | TwoInputData | None


class Effect(Struct, frozen=True, gc=False):
    """The conclusion of a local rule: the node's new data and the tokens for its outbox, in order."""

    data: Data
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """The rule applies but for room or turn: what the node waits for."""

    reason: str


Conclusion = Effect | Waiting | None


# --- The rulebook ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineRule(Rule):
    """A rule of the machine. The global rules, of →g, are those of no family: every model has them."""

    family: Family | None


@dataclass(frozen=True, slots=True)
class LocalRule(MachineRule):
    """A rule of →l: by what kind of node, on which side and for which tokens it is asked.

    `payload` says whether it takes tokens with a payload, without one, or (None) either.
    """

    function: Callable[..., Conclusion]
    kind: Kind
    side: Side
    payload: bool | None

    @property
    def node(self) -> str:
        """The kind of node that asks for it."""
        return self.kind.value


RULEBOOK: Rulebook[MachineRule] = Rulebook("PARTE")
"""All rules, once `parte.semantics.partelang.machine` is imported: the modules that hold them add them."""

_MODELS = {
    Family.RUDIMENTARY: ("rudimentary",),
    Family.FEATHERWEIGHT: ("published", "sound"),
    None: ("rudimentary", "published", "sound"),
}
_SECTIONS = {Family.RUDIMENTARY: "5.2.6", Family.FEATHERWEIGHT: "5.4.6", None: "5.2.5, 5.4.7"}
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
    """The rules of one kind of node; each is registered by one of the methods.

    The function of a rule takes the site of such a node, its data, and tokens with a payload (`rule`), without one
    (`bottom`) or of both kinds (`either`).
    """

    kind: Kind
    family: Family = Family.FEATHERWEIGHT

    def of(self, family: Family) -> LocalRules[_At, _Data, _Full, _Bottom]:
        """Those of another family."""
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

        def register(function: _Local[_At, _Data, _Token]) -> _Local[_At, _Data, _Token]:
            RULEBOOK.add(LocalRule(identity, name, section, models, function, self.family, self.kind, side, payload))
            return function

        return register


ENTRY: LocalRules[EntryNode, EntryData, Alpha[Event], Alpha[None]] = LocalRules(Kind.ENTRY)
ALPHA: LocalRules[AlphaNode, None, Alpha[Event], Alpha[None]] = LocalRules(Kind.ALPHA)
JOIN: LocalRules[TwoInputNode, TwoInputData, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.JOIN)
NOT: LocalRules[TwoInputNode, TwoInputData, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.NOT)
PRODUCTION: LocalRules[ProductionNode, None, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.PRODUCTION)
TERMINAL: LocalRules[TerminalNode, None, Beta[PartialMatch], Beta[None]] = LocalRules(Kind.TERMINAL)


def rules_for(family: Family, kind: Kind, side: Side, payload: bool) -> tuple[LocalRule, ...]:
    """The local rules of a family that may apply to a token; at most one of them has all its premises fulfilled."""
    return tuple(
        info
        for info in RULEBOOK.values()
        if isinstance(info, LocalRule)
        and (info.family, info.kind, info.side) == (family, kind, side)
        and info.payload in (None, payload)
    )
