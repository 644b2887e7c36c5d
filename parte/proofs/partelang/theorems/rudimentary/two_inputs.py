"""The rudimentary model at nodes with two inputs: the tokens that it sends and the entries it stores (D §5.2.6)."""

from __future__ import annotations

from parte.proofs.partelang.settings import (
    alike,
    effect,
    emitted,
    event,
    fire,
    from_left,
    left_sample,
    name_of,
    occurrences,
    of_not_node,
    partial_match,
    right_sample,
    two_input_data,
    two_input_node,
)
from parte.proofs.partelang.statements import fits
from parte.proofs.partelang.theorems.rudimentary.one_input import (
    ID,
    RULES,
    holding,
    left_width,
    promise_nothing,
    rule_lemma,
    unpromised,
    unpromising,
)
from parte.proofs.statements import at_most_once, both, count_of, equal, implies, none_of, once, same, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.rules.registry import Effect, TwoInputData, Waiting
from parte.semantics.partelang.tokens import PartialMatch
from parte.semantics.rulebook.connectives import neg

# --- Join-nodes -----------------------------------------------------------------------------------------------------


def joined(rule: str, width: int, *, exact: bool = True) -> Body:
    """A pair is sent when its second half arrives, if it matches; if `exact`, only then, else whatever the window."""

    left_comes = from_left(rule)

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        p, e = partial_match(run, "p", width), event(run, "e")
        meets = alike(run, node, p, e)
        matches = both(meets, fits(run, p, e, node.minima, node.maxima))
        other_came = choice(run, "the other half has come", (True, False))
        left = left_sample(run, node, *((p,) if other_came and not left_comes else ()))
        right = right_sample(run, node, *((e,) if other_came and left_comes else ()))
        data = TwoInputData(unpromised(p), NEGATIVE_INFINITY, left, right)
        result = effect(run, rule, node, data, unpromising(p if left_comes else (e,)))
        assert result is not None
        sent = emitted(result.tokens, (*p, e))
        claims = [("nothing but the pair is sent", count_of(result.tokens) == count_of(sent))]
        claims.append(promise_nothing(result.tokens))
        if not other_came:
            return [*claims, ("the pair is not sent before both have come", none_of(sent))]
        claims.append(("the pair is sent once if it matches", implies(matches, once(sent))))
        claims.append(("the pair is not sent if it fails the condition", implies(neg(meets), none_of(sent))))
        if exact:
            claims.append(("the pair is not sent if it does not match", implies(neg(matches), none_of(sent))))
        return claims

    return body


# --- Not-nodes ------------------------------------------------------------------------------------------------------


def defeats(run: Run, node: TwoInputNode, partial: PartialMatch, right: Event) -> bool:
    """Return whether a right event meets the condition with a partial match and lies in its windows."""
    return both(alike(run, node, partial, right), fits(run, partial, right, node.minima, node.maxima))


def negated_left(rule: str, width: int) -> Body:
    """A partial match is sent when it arrives, if no earlier event defeats it."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=True)
        p, events = partial_match(run, "p", width), [event(run, "e"), event(run, "f")]
        came = events[: choice(run, "how many events have come", (2, 1, 0))]
        defeated = some(defeats(run, node, p, right) for right in came)
        result = effect(run, rule, node, holding((), came, node), unpromising(p))
        silent = rule.endswith("LEFT-MATCH")
        claims = [("the rule applies", same(result is not None, defeated if silent else neg(defeated)))]
        if result is not None:
            claims.append(promise_nothing(result.tokens))
            claims.append(("p is sent once, or nothing is", once(emitted(result.tokens, p)) is not silent))
            claims.append(("nothing else is sent", count_of(result.tokens) == int(not silent)))
        return claims

    return body


def negated_right(rule: str) -> Body:
    """An event that defeats a partial match silences all; one that defeats none sends all in its window."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, 1, negated=True)
        p, q, e = partial_match(run, "p", 1), partial_match(run, "q", 1), event(run, "e")
        came = [p, q][: choice(run, "how many partial matches have come", (2, 1, 0))]
        defeated = some(defeats(run, node, partial, e) for partial in came)
        result = effect(run, rule, node, holding(came, (), node), unpromising((e,)))
        silencing = not rule.endswith("NOMATCH")
        claims = [("the rule applies", same(result is not None, defeated if silencing else neg(defeated)))]
        if result is None:
            return claims
        claims.append(promise_nothing(result.tokens))
        if silencing:
            return [*claims, ("nothing is sent", none_of(result.tokens))]
        for partial in came:
            fitting = fits(run, partial, e, node.minima, node.maxima)
            sent, name = emitted(result.tokens, partial), name_of(partial)
            claims.append((f"{name} is sent once more if the event is in its window", same(fitting, once(sent))))
            claims.append((f"{name} is sent at most once more", at_most_once(sent)))
        return claims

    return body


# --- Stored entries -------------------------------------------------------------------------------------------------


def storage(rule: str) -> Body:
    """A token's payload is stored unless it is defeated, nothing leaves, and only a full history makes a token wait."""
    left_comes, negated = from_left(rule), of_not_node(rule)
    discarded = rule.endswith("NOT-LEFT-MATCH")

    def body(run: Run) -> Claims:
        node = two_input_node(run, 1, negated=negated)
        p, e, arriving = partial_match(run, "p", 1), event(run, "e"), partial_match(run, "arriving", 1)
        data = holding((p,), (e,), node)
        capacity = choice(run, "room", (1, 2))
        outcome = fire(run, rule, node, data, unpromising(arriving), capacity=capacity)
        history = data.left if left_comes else data.right
        full = equal(count_of(history), capacity)
        if not isinstance(outcome, Effect):
            return (("a token waits just if there is no room", full is isinstance(outcome, Waiting)),)
        after = two_input_data(outcome.data)
        grown, opposite = (after.left, after.right) if left_comes else (after.right, after.left)
        return (
            ("a full history takes nothing", not full),
            ("what comes is stored once, or discarded", count_of(occurrences(grown, arriving)) == int(not discarded)),
            ("all that it held is still there", once(occurrences(grown, p if left_comes else (e,)))),
            ("the other history is as it was", [entry.events for entry in opposite] == [(e,) if left_comes else p]),
        )

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_ALL_IN = "join-with-everything"
_NARROW = ("the-narrowest-window", "highest(node.maxima)", "lowest(node.maxima)")
_PRINTED = "parte.semantics.partelang.rules.premises:printed_window"

_JOINS = (
    *(
        rule_lemma(
            rule,
            "When a half of a pair comes, a join-node sends the pair once just if the other has come and they match.",
            f"any histories; {left_width(width)}",
            joined(f"{ID}-{rule}", width),
            mutant,
            f"-{width}",
        )
        for rule, width, mutant in (
            *(
                ("JOIN-LEFT", width, (_ALL_IN, "matching_right(node, data.right, entry)", "data.right"))
                for width in (1, 2, 3)
            ),
            ("JOIN-RIGHT", 1, (_ALL_IN, "matching_left(site, node, data.left, entry)", "data.left")),
        )
    ),
    *(
        rule_lemma(
            "JOIN-RIGHT",
            "When an event comes, a join-node sends a pair once if its other half has come and they match, and not if "
            "they fail its condition.",
            f"any histories; {left_width(width)}",
            joined(f"{ID}-JOIN-RIGHT", width, exact=False),
            _NARROW,
            f"-{width}",
            _PRINTED,
        )
        for width in (2, 3)
    ),
)

_NEGATED = (
    *(
        rule_lemma(
            rule,
            "A partial match that an event defeats which has come is not sent."
            if rule == "NOT-LEFT-MATCH"
            else "A partial match that no event defeats which has come is sent as it comes, promising nothing.",
            f"a right history of up to 2 events; {left_width(width)}",
            negated_left(f"{ID}-{rule}", width),
            mutant,
            f"-{width}",
        )
        for rule, mutant in (
            ("NOT-LEFT-MATCH", ("the-wrong-way-round", "if not matching_right", "if matching_right")),
            ("NOT-LEFT-NOMATCH", ("swallow-it", "(_token(entry.events),)", "()")),
        )
        for width in (1, 2)
    ),
    rule_lemma(
        "NOT-RIGHT-MATCH",
        "An event that defeats a partial match which has come makes the node send nothing.",
        f"a left history of up to 2 entries; {left_width(1)}",
        negated_right(f"{ID}-NOT-RIGHT-MATCH"),
        ("the-wrong-way-round", "defeats=True", "defeats=False"),
    ),
    rule_lemma(
        "NOT-RIGHT-NOMATCH",
        "An event that defeats no partial match which has come makes the node send, once more, each in whose window it "
        "lies, whatever the condition.",
        f"a left history of up to 2 entries; {left_width(1)}",
        negated_right(f"{ID}-NOT-RIGHT-NOMATCH"),
        (
            "send-what-is-elsewhere",
            "tuple(_token(other.events) for other in window)",
            "(*map(_token, [e.events for e in data.left]),)",
        ),
        where=f"{RULES}:_not_right",
    ),
)

_STORING = (
    ("JOIN-LEFT", "join_left", "left"),
    ("JOIN-RIGHT", "join_right", "right"),
    ("NOT-LEFT-NOMATCH", "not_left_nomatch", "left"),
    ("NOT-RIGHT-MATCH", "_not_right", "right"),
    ("NOT-RIGHT-NOMATCH", "_not_right", "right"),
)

_KEPT = tuple(
    rule_lemma(
        rule,
        f"{ID}-{rule} stores what comes, whatever its times, and takes nothing out; only a full history makes it wait.",
        f"1 entry a history; {left_width(1)}",
        storage(f"{ID}-{rule}"),
        ("store-nothing", f"data.{side}.stored(entry)", f"data.{side}"),
        "-keeps",
        f"{RULES}:{function}",
    )
    for rule, function, side in _STORING
)

_DISCARDED = rule_lemma(
    "NOT-LEFT-MATCH",
    f"{ID}-NOT-LEFT-MATCH discards what comes and takes nothing out; only a full history makes it wait.",
    f"1 entry a history; {left_width(1)}",
    storage(f"{ID}-NOT-LEFT-MATCH"),
    ("store-it-all-the-same", "Effect(data, ())", "Effect(data._replace(left=data.left.stored(entry)), ())"),
    "-discards",
)

LEMMAS = (*_JOINS, *_NEGATED, *_KEPT, _DISCARDED)
