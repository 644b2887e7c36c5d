"""Mutants that forget too early or too late (D def. 17, fig. 5.5; SPEC §5, retention)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, Space, sound
from conformance.mutants.worlds import Edit

LEFT_EXPIRES = ("JOIN-RIGHT-BOTTOM", "JOIN-RIGHT")
RIGHT_EXPIRES = ("JOIN-LEFT-BOTTOM", "JOIN-LEFT", "NOT-LEFT-BOTTOM", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH")
NEGATED_EXPIRES = ("NOT-RIGHT-BOTTOM", "NOT-RIGHT")
STALENESS = ("D def. 17", "D fig. 5.5")

_LEFT = "semantics.rules.premises:expire_left"
_NEGATED = "semantics.rules.premises:expire_negated"
_RIGHT = "semantics.rules.premises:expire_right"
_TIME = "kernel.expiration_time(left_bounds, node.minima)"
_STORES_LEFT = "live = not repairs.store_only_live or not kernel.is_stale(entry.closes, data.right_bound)"
_STORES_RIGHT = "kernel.expiration_time(data.left_bounds, node.minima)"

EXPIRY: tuple[Mutant, ...] = (
    sound(
        "expiry-one-early",
        (*LEFT_EXPIRES, *NEGATED_EXPIRES, *RIGHT_EXPIRES),
        STALENESS,
        "expiry one millisecond early, when the bound has reached the end of a lifetime and not passed it",
        Edit("semantics.kernel:is_stale", "ends < bound", "ends <= bound"),
    ),
    sound(
        "expiry-one-late",
        (*LEFT_EXPIRES, *NEGATED_EXPIRES, *RIGHT_EXPIRES),
        STALENESS,
        "expiry one millisecond late, which takes more room than the histories have",
        Edit("semantics.kernel:is_stale", "ends < bound", "ends + 1 < bound"),
        space=Space.MEASURED,
    ),
    sound(
        "join-left-expires-one-early",
        LEFT_EXPIRES,
        STALENESS,
        "left partial matches of join-nodes that expire one millisecond early",
        Edit(_LEFT, "history.passed(bound)", "history.passed(bound + 1)"),
    ),
    sound(
        "join-left-expires-one-late",
        LEFT_EXPIRES,
        STALENESS,
        "left partial matches of join-nodes that expire one millisecond late",
        Edit(_LEFT, "history.passed(bound)", "history.passed(bound - 1)"),
        space=Space.MEASURED,
    ),
    sound(
        "join-left-never-expires",
        LEFT_EXPIRES,
        STALENESS,
        "left partial matches of join-nodes that never expire",
        Edit(_LEFT, "history.passed(bound)[0]", "history"),
        space=Space.MEASURED,
    ),
    sound(
        "join-left-expires-when-older-than-the-bound-plus-window",
        LEFT_EXPIRES,
        STALENESS,
        "left partial matches that expire when their window opens, not when it closes",
        Edit(_LEFT, "history.passed(bound)[0]", "history.parted(lambda entry: entry.opens >= bound)[0]"),
    ),
    sound(
        "right-expires-one-early",
        RIGHT_EXPIRES,
        STALENESS,
        "right events that expire one millisecond early",
        Edit(_RIGHT, _TIME, f"{_TIME} + 1"),
    ),
    sound(
        "right-expires-one-late",
        RIGHT_EXPIRES,
        STALENESS,
        "right events that expire one millisecond late",
        Edit(_RIGHT, _TIME, f"{_TIME} - 1"),
        space=Space.MEASURED,
    ),
    sound(
        "right-never-expires",
        RIGHT_EXPIRES,
        STALENESS,
        "right events that never expire",
        Edit(_RIGHT, f"history.passed({_TIME})[0]", "history"),
        space=Space.MEASURED,
    ),
    sound(
        "right-expires-by-the-upper-bound",
        RIGHT_EXPIRES,
        STALENESS,
        "right events that expire by the greatest distance of their window, not the least",
        Edit(_RIGHT, "node.minima", "node.maxima"),
    ),
    sound(
        "right-expires-by-the-raw-bound",
        RIGHT_EXPIRES,
        STALENESS,
        "right events that expire when they are older than the left bounds, whatever the window",
        Edit(_RIGHT, "node.minima", "[0] * len(left_bounds)"),
    ),
    sound(
        "right-expires-by-the-least-bound",
        RIGHT_EXPIRES,
        STALENESS,
        "right events that wait for the least of the left bounds, though the greatest decides",
        Edit("semantics.kernel:expiration_time", "highest(", "lowest("),
        space=Space.MEASURED,
    ),
    sound(
        "right-expires-by-its-own-bound",
        ("JOIN-RIGHT",),
        (*STALENESS, "SPEC 5"),
        "right events that expire by the bound of their own side",
        Edit(
            "semantics.rules.join:join_right",
            "right = data.right.stored(entry) if live else data.right",
            "right = (data.right.stored(entry) if live else data.right).passed(bound + 1)[0]",
        ),
    ),
    sound(
        "negation-released-one-early",
        NEGATED_EXPIRES,
        STALENESS,
        "partial matches that pass a not-node one millisecond before the last event that could defeat them",
        Edit(_NEGATED, "history.passed(bound)", "history.passed(bound + 1)"),
    ),
    sound(
        "negation-released-one-late",
        NEGATED_EXPIRES,
        STALENESS,
        "partial matches that pass a not-node one millisecond after nothing can defeat them any more",
        Edit(_NEGATED, "history.passed(bound)", "history.passed(bound - 1)"),
        space=Space.MEASURED,
    ),
    sound(
        "negation-never-released",
        NEGATED_EXPIRES,
        STALENESS,
        "not-nodes that keep what nothing can defeat any more",
        Edit(_NEGATED, "return history.passed(bound)", "return history, ()"),
    ),
    sound(
        "negation-released-by-the-next-event",
        NEGATED_EXPIRES,
        STALENESS,
        "not-nodes that release what has waited as soon as any event comes from the right",
        Edit(
            "semantics.rules.negation:not_right",
            "data.left.without(defeated), bound",
            "data.left.without(defeated), 2**100",
        ),
    ),
    sound(
        "negation-dropped-at-expiry",
        NEGATED_EXPIRES,
        STALENESS,
        "not-nodes that drop what nothing can defeat any more, as join-nodes do",
        Edit("semantics.rules.negation:_released", "if expired else ()", "if False else ()"),
        Edit("semantics.rules.negation:_released", "if expired and site", "if False and site"),
    ),
    sound(
        "left-not-stored-one-early",
        ("JOIN-LEFT",),
        ("SPEC 5",),
        "join-nodes that do not store a partial match whose window ends exactly at the right bound",
        Edit(
            "semantics.rules.join:join_left", "(entry.closes, data.right_bound)", "(entry.closes, data.right_bound + 1)"
        ),
    ),
    sound(
        "left-not-stored",
        ("JOIN-LEFT",),
        ("D §5.4.6",),
        "join-nodes that do not remember left partial matches",
        Edit("semantics.rules.join:join_left", _STORES_LEFT, "live = False"),
    ),
    sound(
        "right-not-stored-one-early",
        ("JOIN-RIGHT",),
        ("SPEC 5",),
        "join-nodes that do not store an event which a left partial match at exactly its bound could still match",
        Edit("semantics.rules.join:join_right", _STORES_RIGHT, f"{_STORES_RIGHT} + 1"),
    ),
    sound(
        "right-not-stored",
        ("JOIN-RIGHT",),
        ("D §5.4.6",),
        "join-nodes that do not remember right events",
        Edit(
            "semantics.rules.join:join_right",
            "right = data.right.stored(entry) if live else data.right",
            "right = data.right",
        ),
    ),
    sound(
        "negated-left-released-one-early",
        ("NOT-LEFT-NOMATCH",),
        ("SPEC 5",),
        "not-nodes that release a partial match on arrival when its window ends exactly at the right bound",
        Edit(
            "semantics.rules.negation:not_left_nomatch",
            "(entry.closes, data.right_bound)",
            "(entry.closes, data.right_bound + 1)",
        ),
    ),
    sound(
        "negated-left-released-at-once",
        ("NOT-LEFT-NOMATCH",),
        ("D §5.4.6",),
        "negation that ignores the future: a partial match passes unless it is defeated on arrival",
        Edit("semantics.rules.negation:not_left_nomatch", _STORES_LEFT, "live = False"),
    ),
    sound(
        "negated-right-not-stored-one-early",
        ("NOT-RIGHT",),
        ("SPEC 5",),
        "not-nodes that do not store an event which could defeat a left partial match at exactly its bound",
        Edit("semantics.rules.negation:not_right", _STORES_RIGHT, f"{_STORES_RIGHT} + 1"),
    ),
    sound(
        "negated-right-not-stored",
        ("NOT-RIGHT",),
        ("D §5.4.6", "D fig. 5.6"),
        "not-nodes that do not remember right events, as the conclusion of D's rule has it",
        Edit(
            "semantics.rules.negation:not_right",
            "right = data.right.stored(entry) if live else data.right",
            "right = data.right",
        ),
    ),
)
