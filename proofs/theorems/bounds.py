"""The lower bounds on timestamps are true at two-input nodes (D §8.1, lemmas 14-17).

The contract of an edge is about the sequence of tokens on it: the bounds of a token are true of the payloads of all
later tokens, and bounds do not decrease. Every rule keeps it: if the tokens that come in honour the contract, so do
those that go out, and the state stays above all that was promised. `promised` stands for the bounds of any token
sent before the step.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.lemma import HOLDS, REPAIRED, Lemma
from proofs.meaning import at_most, pointwise
from proofs.mutation import Mutant
from proofs.settings import (
    Sample,
    below_history,
    beta,
    effect,
    event,
    left_sample,
    partial_match,
    respects,
    right_sample,
    sequence_claims,
    two_input_data,
    two_input_node,
)
from proofs.world import Body, Claims, World
from semantics.network import TwoInputNode
from semantics.rules.registry import TwoInputData
from semantics.tokens import BetaToken

SECTION = "8.1"
WIDTH = 2
SCOPE = "any histories; 2 events per partial match, 2 of the results of a step (any number by bounds-in-batch)"


# --- Two-input nodes ------------------------------------------------------------------------------------------------


def stored_bounds(rule: str, *, payload: bool) -> Body:
    """I.1: what a node stores is true of what its predecessors have yet to send."""

    def body(world: World) -> Claims:
        node = two_input_node(world, WIDTH, negated=rule.startswith("NOT"))
        data = _data(world, node)
        later_left = world.integers("later left event", WIDTH)
        later_right = world.integer("later right event")
        token = _token(world, rule, data, payload=payload)
        world.assume(pointwise(data.left_bounds, later_left), at_most(data.right_bound, later_right))
        world.assume(pointwise(token.bounds, later_left if "LEFT" in rule else (later_right,)))
        result = effect(world, rule, node, data, token)
        if result is None:
            return ()
        after = two_input_data(result.data)
        return (
            ("the stored left bounds are true of later left tokens", pointwise(after.left_bounds, later_left)),
            ("the stored right bound is true of later right tokens", at_most(after.right_bound, later_right)),
            ("the stored left bounds have not decreased", pointwise(data.left_bounds, after.left_bounds)),
            ("the stored right bound has not decreased", at_most(data.right_bound, after.right_bound)),
        )

    return body


def sent_bounds(rule: str, *, payload: bool) -> Body:
    """I.2: what a node sends is true of what it has yet to send, within the step and after it."""

    def body(world: World) -> Claims:
        negated = rule.startswith("NOT")
        node = two_input_node(world, WIDTH, negated=negated)
        data = _data(world, node)
        promised = world.integers("promised", WIDTH)
        promised_right = () if negated else (world.integer("promised right"),)
        world.assume(pointwise(promised, data.left_bounds), below_history(promised, _sample(data.left)))
        if promised_right:
            world.assume(pointwise(promised_right, (data.right_bound,)))
            world.assume(below_history(promised_right, _sample(data.right)))
        token = _token(world, rule, data, payload=payload)
        result = effect(world, rule, node, data, token)
        if result is None:
            return ()
        after = two_input_data(result.data)
        tokens = beta(result.tokens)
        claims = list(sequence_claims((*promised, *promised_right), tokens))
        for last in tokens[-1:]:
            bounds, right = last.bounds[:WIDTH], last.bounds[WIDTH:]
            claims.append(
                ("the last bounds are true of stored left events", below_history(bounds, _sample(after.left)))
            )
            claims.append(("the last bounds are true of later left tokens", pointwise(bounds, after.left_bounds)))
            if right:
                claims.append(("the last bound is true of right events", below_history(right, _sample(after.right))))
                claims.append(("the last bound is true of later right tokens", pointwise(right, (after.right_bound,))))
        claims.append(("what was promised is true of stored left events", below_history(promised, _sample(after.left))))
        return claims

    return body


def _data(world: World, node: TwoInputNode) -> TwoInputData:
    left = left_sample(world, node, partial_match(world, "p", WIDTH), partial_match(world, "q", WIDTH))
    right = right_sample(world, node, event(world, "e"), event(world, "f"))
    return TwoInputData(world.integers("left bound", WIDTH), world.integer("right bound"), left, right)


def _sample(history: object) -> Sample:
    assert isinstance(history, Sample)
    return history


def _token(world: World, rule: str, data: TwoInputData, *, payload: bool) -> BetaToken:
    """An arbitrary token that honours the contract of its edge."""
    stored = data.left_bounds if "LEFT" in rule else (data.right_bound,)
    bounds = world.integers("arriving bound", len(stored))
    events = partial_match(world, "arriving", len(stored)) if payload else None
    world.assume(pointwise(stored, bounds), respects(stored, events))
    return BetaToken(bounds, events)


_JOIN, _NOT = "semantics.rules.join", "semantics.rules.negation"
_PREMISES = "semantics.rules.premises"
_CONFUSED = "(data.right_bound,) * len(token.bounds), data.right_bound"
_FORGETFUL = Mutant(
    "forget-the-history",
    f"{_PREMISES}:left_bounds_after",
    "kernel.propagated_bound(bound, left.earliest(index))",
    "bound",
)
_ALONE = Mutant(
    "ignore-the-companion", "semantics.kernel:batch_bound", "return lowest(bound, timestamp)", "return bound"
)


def _left_mutant(function: str) -> Mutant:
    return Mutant(
        "left-takes-the-right-bound",
        function,
        "TwoInputData(token.bounds, data.right_bound",
        f"TwoInputData({_CONFUSED}",
    )


def _right_mutant(function: str) -> Mutant:
    return Mutant(
        "right-takes-the-left-bound",
        function,
        "TwoInputData(data.left_bounds, bound",
        "TwoInputData(data.left_bounds, data.left_bounds[0]",
    )


_TWO_INPUT: Sequence[tuple[str, bool, Mutant, Mutant, Sequence[int]]] = (
    ("JOIN-LEFT-BOTTOM", False, _left_mutant(f"{_JOIN}:join_left_bottom"), _FORGETFUL, ()),
    ("JOIN-RIGHT-BOTTOM", False, _right_mutant(f"{_JOIN}:join_right_bottom"), _FORGETFUL, ()),
    ("JOIN-LEFT", True, _left_mutant(f"{_JOIN}:join_left"), _ALONE, ()),
    ("JOIN-RIGHT", True, _right_mutant(f"{_JOIN}:join_right"), _ALONE, ()),
    ("NOT-LEFT-BOTTOM", False, _left_mutant(f"{_NOT}:not_left_bottom"), _FORGETFUL, ()),
    ("NOT-RIGHT-BOTTOM", False, _right_mutant(f"{_NOT}:not_right_bottom"), _ALONE, (7,)),
    ("NOT-LEFT-MATCH", True, _left_mutant(f"{_NOT}:not_left_match"), _FORGETFUL, ()),
    ("NOT-LEFT-NOMATCH", True, _left_mutant(f"{_NOT}:not_left_nomatch"), _FORGETFUL, ()),
    ("NOT-RIGHT", True, _right_mutant(f"{_NOT}:not_right"), _ALONE, (7,)),
)


def _two_input_lemmas() -> list[Lemma]:
    lemmas = []
    for rule, payload, stored, sent, defects in _TWO_INPUT:
        lemma = "lemmas 16, 17" if rule.startswith("NOT") else "lemmas 14, 15"
        lemmas.append(
            Lemma(
                f"bounds-stored-{rule}",
                f"After {rule} the bounds stored at the node are true of what its predecessors have yet to send (I.1).",
                f"{SECTION}.2, {lemma}",
                (rule,),
                SCOPE,
                stored_bounds(rule, payload=payload),
                stored,
                HOLDS,
            )
        )
        lemmas.append(
            Lemma(
                f"bounds-sent-{rule}",
                f"The bounds on the tokens of {rule} are true of all that the node sends after them (I.2).",
                f"{SECTION}.2, {lemma}",
                (rule,),
                SCOPE,
                sent_bounds(rule, payload=payload),
                sent,
                REPAIRED if defects else HOLDS,
                tuple(defects),
            )
        )
    return lemmas


LEMMAS = tuple(_two_input_lemmas())
