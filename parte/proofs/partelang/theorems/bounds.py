"""The lower bounds on timestamps are true at two-input nodes (D §8.1, lemmas 14-17), at our set-nodes too.

The contract of an edge is about the sequence of tokens on it: the bounds of a token are true of the payloads of all
later tokens, and bounds do not decrease. Every rule keeps it: if the input tokens honour the contract, so do the output
tokens, and the state stays above all promises. `promised` are the bounds of any token sent before the step.
"""

from __future__ import annotations

from collections.abc import Sequence

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    Sample,
    below_history,
    beta,
    effect,
    event,
    events_per_match,
    from_left,
    left_sample,
    name_of_width,
    of_not_node,
    of_set_node,
    partial_match,
    parts_of,
    repaired,
    respects,
    right_sample,
    sequence_claims,
    two_input_data,
    two_input_node,
    width_of,
    with_tail,
)
from parte.proofs.partelang.theorems.collection import Decisions
from parte.proofs.statements import at_most, pointwise
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang import kernel
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.rules.registry import OURS, TwoInputData
from parte.semantics.partelang.tokens import BetaToken
from parte.semantics.rulebook.registry import local

SECTION = "8.1"
RESULTS = "2 of the results of a step (others: bounds-in-batch)"


# --- Two-input nodes ------------------------------------------------------------------------------------------------


def stored_bounds(rule: str, *, payload: bool) -> Body:
    """I.1: the bounds that a node stores are true of the payloads that its predecessors have yet to send."""

    def body(run: Run) -> Claims:
        node = _node(run, rule, ANY)
        data = _data(run, node, ANY)
        later_left = run.integers("later left event", ANY)
        later_right = run.integer("later right event")
        token = _token(run, rule, data, payload=payload)
        run.assume(pointwise(data.left_bounds, later_left), at_most(data.right_bound, later_right))
        run.assume(pointwise(token.bounds, later_left if from_left(rule) else (later_right,)))
        result = effect(run, rule, node, data, token)
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


def sent_bounds(rule: str, width: int | Width, *, payload: bool) -> Body:
    """I.2: the bounds that a node sends are true of the payloads that it has yet to send, in the step and later."""

    def body(run: Run) -> Claims:
        node = _node(run, rule, width)
        data = _data(run, node, width)
        promised = run.integers("promised", width)
        promised_last = () if of_not_node(rule) else (run.integer("promised for the last"),)
        run.assume(pointwise(promised, data.left_bounds), below_history(promised, _sample(data.left)))
        run.assume(*(holds for bound in promised_last for _, holds in _last_is_true(node, promised, bound, data)))
        token = _token(run, rule, data, payload=payload)
        result = effect(run, rule, node, data, token)
        if result is None:
            return ()
        after = two_input_data(result.data)
        tokens = beta(result.tokens)
        claims = list(sequence_claims(with_tail(promised, promised_last), tokens))
        for last in tokens[-1:]:
            bounds, of_last = parts_of(last.bounds, width)
            claims.append(
                ("the last bounds are true of stored left events", below_history(bounds, _sample(after.left)))
            )
            claims.append(("the last bounds are true of later left tokens", pointwise(bounds, after.left_bounds)))
            claims += [claim for bound in of_last for claim in _last_is_true(node, bounds, bound, after)]
        claims.append(("what was promised is true of stored left events", below_history(promised, _sample(after.left))))
        return claims

    return body


def _last_is_true(node: TwoInputNode, bounds: Sequence[int], last: int, data: TwoInputData) -> Claims:
    """Return the claims on the last of some bounds: on right events at a join-node, on summaries at a set-node.

    The summary of a left partial match is at the beginning of its window, so the bounds on its events imply the last.
    """
    if node.collects:
        implied = kernel.expiration_time(bounds, node.minima)
        return (("the last bound is true of the summaries that the others allow", at_most(last, implied)),)
    return (
        ("the last bound is true of right events", below_history((last,), _sample(data.right))),
        ("the last bound is true of later right tokens", at_most(last, data.right_bound)),
    )


def _node(run: Run, rule: str, width: int | Width) -> TwoInputNode:
    if of_set_node(rule):
        return Decisions(run).node(width)
    return two_input_node(run, width, negated=of_not_node(rule))


def _data(run: Run, node: TwoInputNode, width: int | Width) -> TwoInputData:
    left = left_sample(run, node, partial_match(run, "p", width), partial_match(run, "q", width))
    # A set-node may have to look for each of them in each set, though no bound depends on it.
    right = right_sample(run, node, *(() if node.collects else (event(run, "e"), event(run, "f"))))
    return TwoInputData(run.integers("left bound", width), run.integer("right bound"), left, right)


def _sample(history: object) -> Sample:
    assert isinstance(history, Sample)
    return history


def _token(run: Run, rule: str, data: TwoInputData, *, payload: bool) -> BetaToken:
    """Return an arbitrary token that honours the contract of its edge."""
    stored = data.left_bounds if from_left(rule) else (data.right_bound,)
    bounds = run.integers("arriving bound", width_of(stored))
    events = partial_match(run, "arriving", width_of(stored)) if payload else None
    run.assume(pointwise(stored, bounds), respects(stored, events))
    return BetaToken(bounds, events)


_JOIN, _NOT = "parte.semantics.partelang.rules.join", "parte.semantics.partelang.rules.negation"
_SET = "parte.semantics.partelang.rules.collection"
_PREMISES = "parte.semantics.partelang.rules.premises"
_CONFUSED = "tuple(map(lambda _: data.right_bound, token.bounds)), data.right_bound"
_FORGETFUL = Mutant(
    "forget-the-history",
    f"{_PREMISES}:left_bounds_after",
    "tuple(map(kernel.propagated_bound, bounds, map(data.left.earliest, range(len(bounds)))))",
    "bounds",
)
_OPENS = Mutant(
    "summaries-from-the-greatest-distance",
    f"{_SET}:summarized_bounds_after",
    "kernel.expiration_time(left, site.node.minima)",
    "kernel.expiration_time(left, site.node.maxima)",
)
_ALONE = Mutant(
    "ignore-the-companion",
    "parte.semantics.partelang.kernel:batch_bound",
    "return lesser(bound, timestamp)",
    "return bound",
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
    ("PARTE/JOIN-LEFT-BOTTOM", False, _left_mutant(f"{_JOIN}:join_left_bottom"), _FORGETFUL, ()),
    ("PARTE/JOIN-RIGHT-BOTTOM", False, _right_mutant(f"{_JOIN}:join_right_bottom"), _FORGETFUL, ()),
    ("PARTE/JOIN-LEFT", True, _left_mutant(f"{_JOIN}:join_left"), _ALONE, ()),
    ("PARTE/JOIN-RIGHT", True, _right_mutant(f"{_JOIN}:join_right"), _ALONE, ()),
    ("PARTE/NOT-LEFT-BOTTOM", False, _left_mutant(f"{_NOT}:not_left_bottom"), _FORGETFUL, ()),
    ("PARTE/NOT-RIGHT-BOTTOM", False, _right_mutant(f"{_NOT}:not_right_bottom"), _ALONE, (7,)),
    ("PARTE/NOT-LEFT-MATCH", True, _left_mutant(f"{_NOT}:not_left_match"), _FORGETFUL, ()),
    ("PARTE/NOT-LEFT-NOMATCH", True, _left_mutant(f"{_NOT}:not_left_nomatch"), _FORGETFUL, ()),
    ("PARTE/NOT-RIGHT", True, _right_mutant(f"{_NOT}:not_right"), _ALONE, (7,)),
    ("PARTE/SET-LEFT-BOTTOM", False, _left_mutant(f"{_SET}:set_left_bottom"), _OPENS, ()),
    ("PARTE/SET-RIGHT-BOTTOM", False, _right_mutant(f"{_SET}:set_right_bottom"), _OPENS, (7,)),
    ("PARTE/SET-LEFT-DECIDED", True, _left_mutant(f"{_SET}:set_left_decided"), _OPENS, ()),
    ("PARTE/SET-LEFT-OPEN", True, _left_mutant(f"{_SET}:set_left_open"), _FORGETFUL, ()),
    ("PARTE/SET-RIGHT", True, _right_mutant(f"{_SET}:set_right"), _OPENS, (7,)),
)


def _two_input_lemmas() -> list[Lemma]:
    lemmas = []
    for rule, payload, stored, sent, defects in _TWO_INPUT:
        lemmas_of_d = "lemmas 16, 17" if of_not_node(rule) else "lemmas 14, 15"
        section = OURS if of_set_node(rule) else f"{SECTION}.2, {lemmas_of_d}"
        lemmas.append(
            Lemma(
                f"bounds-stored-{local(rule)}",
                f"After {rule} the bounds stored at the node are true of what its predecessors have yet to send (I.1).",
                section,
                (rule,),
                f"any histories; {events_per_match(ANY)}",
                stored_bounds(rule, payload=payload),
                stored,
                HOLDS,
            )
        )
        lemmas += [
            Lemma(
                f"bounds-sent-{local(rule)}" + ("" if isinstance(width, Width) else f"-{name_of_width(width)}"),
                f"The bounds on the tokens of {rule} are true of all that the node sends after them (I.2).",
                section,
                (rule,),
                f"any histories; {events_per_match(width)}; {RESULTS}",
                sent_bounds(rule, width, payload=payload),
                sent,
                *repaired(width, tuple(defects)),
            )
            for width in ((2, ANY) if defects else (ANY,))
        ]
    return lemmas


LEMMAS = tuple(_two_input_lemmas())
