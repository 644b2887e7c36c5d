"""The registry of inference rules: one function a rule, under an id of the form `JOIN-RIGHT-BOTTOM`.

A local rule takes a node's site, its data and a token; it returns its effect, or None when one of its premises does not
hold, or `Waiting` when that is the premise that asks for room or turn. Premises stand in D's order. D's arrows are
written out: ↘ LEFT, ↙ RIGHT, ⊥ BOTTOM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeVar

from semantics.histories import History
from semantics.network import (
    AlphaNode,
    EntryNode,
    Node,
    ProductionNode,
    Side,
    TerminalNode,
    TwoInputNode,
)
from semantics.repairs import Family, Repairs
from semantics.tokens import Token


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


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """Where a rule is applied: the node, the repairs that are on, and the capacities of its histories (None: any).

    `informs` is off only in the quick way, at a two-input node whose bounds nobody reads: it does not compute them.
    """

    node: Node
    repairs: Repairs
    left_capacity: int | None = None
    right_capacity: int | None = None
    informs: bool = True


class EntryData(NamedTuple):
    """slmap: the bound that each source has promised, by slot (D §5.4.5)."""

    bounds: tuple[int, ...]


class TwoInputData(NamedTuple):
    """lmap, l, pm and e: the bounds on what each side may still send, and the histories (D §5.4.5)."""

    left_bounds: tuple[int, ...]
    right_bound: int
    left: History
    right: History


Data = EntryData | TwoInputData | None


class Effect(NamedTuple):
    """The conclusion of a local rule: the node's new data and the tokens for its outbox, in order."""

    data: Data
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """The rule applies but for room or turn: what the node waits for."""

    reason: str


Outcome = Effect | Waiting | None


# --- The table ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What links a rule to D and to the code. `kind` and `side` are None for the global rules."""

    id: str
    name: str
    section: str
    family: Family | None
    kind: Kind | None
    side: Side | None
    payload: bool | None
    function: Callable[..., object]

    @property
    def summary(self) -> str:
        """The first line of the function's documentation."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    @property
    def models(self) -> tuple[str, ...]:
        """The models that have this rule."""
        if self.family is Family.RUDIMENTARY:
            return ("rudimentary",)
        if self.family is Family.FEATHERWEIGHT:
            return ("published", "sound")
        return ("rudimentary", "published", "sound")

    @property
    def location(self) -> str:
        """Where the function is: module and first line."""
        return f"{self.function.__module__}:{self.function.__code__.co_firstlineno}"


_rules: dict[str, RuleInfo] = {}
_Function = TypeVar("_Function", bound=Callable[..., object])


def rule(
    identity: str,
    *,
    name: str,
    section: str,
    family: Family | None,
    kind: Kind | None = None,
    side: Side | None = None,
    payload: bool | None = None,
) -> Callable[[_Function], _Function]:
    """Register a function as the inference rule `identity`, called `name` in section `section` of D.

    `payload` says whether the rule takes tokens with a payload, without one, or (None) either.
    """

    def register(function: _Function) -> _Function:
        if identity in _rules:
            raise ValueError(f"there is a rule {identity} already")
        if not function.__doc__:
            raise ValueError(f"rule {identity} needs a docstring")
        _rules[identity] = RuleInfo(identity, name, section, family, kind, side, payload, function)
        return function

    return register


def all_rules() -> tuple[RuleInfo, ...]:
    """Every registered rule, in the order of definition."""
    return tuple(_rules.values())


def rules_for(family: Family, kind: Kind, side: Side, payload: bool) -> tuple[RuleInfo, ...]:
    """The local rules of a family that may apply to a token; at most one of them has all its premises fulfilled."""
    return tuple(
        info
        for info in _rules.values()
        if (info.family, info.kind, info.side) == (family, kind, side) and info.payload in (None, payload)
    )
