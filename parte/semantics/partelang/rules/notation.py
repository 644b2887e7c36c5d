"""Reading and writing the rules of the machine: the conventions of their code, and D's names (D §5.4)."""

from __future__ import annotations

from parte.semantics.partelang.repairs import Family, Repairs, family_of
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.notation import Symbols, Vocabulary
from parte.semantics.rulebook.reading import Conventions

CONVENTIONS = Conventions(
    switches=("repairs", "site.repairs"),
    always=("site.informs",),  # it is off only where no rule reads the bounds (registry.Site)
    abbreviated=("TwoInputData", "nodes"),
    refusals=("Waiting",),
    named=("_token", "_released", "_summarized"),
    observed={"proc": ("before", "node", "self.steps", "self._reacted", "self._recorder")},
)

VOCABULARY = Vocabulary(
    names={
        "expire_left": "expire↘", "expire_right": "expire↙", "expire_negated": "expire-negated↘",
        "has_room_left": "has-room-for↘", "has_room_right": "has-room-for↙",
        "matching_left": "matches↘", "matching_right": "matches↙", "left_entry": "entry↘", "right_entry": "entry↙",
        "timestamp": "θ", "timestamp_of": "θ", "propagated_bound": "min", "entry_bound": "min", "batch_bound": "min",
        "condition": "c", "generate_event": "gᵉ", "generate_bound": "gˡ",
        "joined_bounds_after": "joined-bounds", "left_bounds_after": "left-bounds",
    },
    constructors={"BetaToken": "𝒯β", "AlphaToken": "𝒯α", "_token": "𝒯β", "PlainHistory": "history"},
    methods={
        "stored": "{0} · {1}", "without": "{0} ∖ {1}", "peek": "head({0}, {1})", "over": "{0}[source ↦ {1}]",
    },
    sequences=("matching_left", "matching_right", "expired", "results", "window"),
    lists=("events",),
    implicit=("site", "node", "repairs", "site.node", "site.repairs", "self"),
    modules=("kernel",),
)  # fmt: skip
"""The kernel's least value of two or of many is D's min."""

STATE: Symbols = {
    "data.bounds": "sℓmap", "bounds": "sℓmap′", "data.left_bounds": "ℓmap↘", "data.right_bound": "ℓ↙",
    "data.left": "p̅m̅", "data.right": "e̅", "left": "p̅m̅′", "right": "e̅′", "data.waiting": "w̅",
    "more": "w̅ₜ", "waiting": "w̅′", "data.last": "last", "last": "last′", "results": "p̅m̅_new",
    "expired": "p̅m̅_expired", "passed": "p̅m̅_passed", "event": "eₜ", "bound": "ℓₜ", "token.source": "ιₛ",
    "token.bound": "ℓ", "token.bounds": "ℓmapₜ", "token.payload[0]": "eₜ", "OWN_SLOT": "ιₛ",
    "token.payload.template": "ιₜₑ", "site.node.template": "ιₜₙ", "site.node.minima": "dist.min",
    "site.node.maxima": "dist.max", "(token.payload,)": "eₜ", "(token.bound,)": "ℓ",
    "site.limited": "limited",
}  # fmt: skip
"""The state and the token of a node."""

NETWORK: Symbols = {
    "self.nodes[index]": "n", "self.nodes[index].inbox": "m̅", "self.nodes[index].outbox": "t̅",
    "self.nodes[index].data": "data", "self.nodes[index].outbox_capacity": "capacity", "token": "t",
    "outcome.data": "data′", "outcome.tokens": "t̅′", "(info, outcome)": "⟨rule, outcome⟩",
    "isinstance(outcome, Effect)": "outcome = ⟨data′, t̅′⟩", "self._fits(self.nodes[index], outcome)":
    "has-room-for(t̅, |t̅′|)", "self.nodes[index].outbox_capacity is not None": "t̅ is bounded",
    "successors": "s̅", "self.network.successors[index]": "successors(n)", "self.nodes[index].outbox[0]": "head(t̅)",
    "self.nodes[successor.node].inbox": "m̅(successor)", "self.nodes[index].site.node": "n",
}  # fmt: skip
"""The names in PROC and PROP."""


def network(model: Model) -> Symbols:
    """Return the same for a model: PROP asks the inboxes for room, and `inboxes` depends on the model."""
    room = "∀ successor ∈ s̅: has-room-for(m̅(successor), 1)"
    if Repairs.of(model).slot_per_side:
        room = "∀ successor ∈ s̅: has-room-for(m̅(successor, successor.slot), 1)"
    elif family_of(model) is Family.FEATHERWEIGHT:
        room += ", ∄⟨successor.side, _⟩ ∈ m̅(successor)"
    return {**NETWORK, "self._room_at(successors)": room}


AUXILIARY: Symbols = {
    "history": "h", "self": "h", "self.entries": "h", "bound": "θ",
    "left_bounds": "ℓmap", "bounds": "ℓmap", "data.left_bounds": "ℓmap",
    "data.right_bound": "ℓ", "data.left": "p̅m̅", "data.right": "e̅", "data": "ℓmap, ℓ, p̅m̅, e̅", "node.minima": "dist.min",
    "node.maxima": "dist.max", "site.left_capacity": "capacity↘", "site.right_capacity": "capacity↙",
}  # fmt: skip
"""The names in auxiliary functions."""
