"""Mutants of negation: what defeats a partial match, and what does not (D def. 12, fig. 5.6)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, algebra, sound
from conformance.mutants.worlds import Edit

DEFEATED = ("NOT-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH")
MEANING = ("SPEC 4", "D def. 12")

_NOT_RIGHT = "semantics.rules.negation:not_right"
_DEFEATED = "matching_left(site, node, data.left, entry)"
_LEFT_RULES = ("semantics.rules.negation:not_left_match", "semantics.rules.negation:not_left_nomatch")
_MATCHING = "matching_right(node, right, entry)"
_EVALUATED = "algebra.evaluate:evaluate"
_NONE_HOLDS = "all(not holds(f, vp | vn, domain) for vn in vns)"


def _among_stored(condition: str) -> tuple[Edit, ...]:
    """Of the stored right events only those defeat a left partial match that meet a condition as well."""
    return tuple(Edit(rule, _MATCHING, f"[other for other in {_MATCHING} if {condition}]") for rule in _LEFT_RULES)


def _arriving(condition: str) -> Edit:
    """An arriving right event defeats only those left partial matches that meet a condition as well."""
    return Edit(_NOT_RIGHT, _DEFEATED, f"[other for other in {_DEFEATED} if {condition}]")


def _evaluated(condition: str) -> Edit:
    return Edit(_EVALUATED, _NONE_HOLDS, f"all(not ({condition}) for vn in vns)")


NEGATION: tuple[Mutant, ...] = (
    sound(
        "negation-ignores-the-past",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negation that ignores the past: what came before a partial match does not defeat it",
        *_among_stored("False"),
    ),
    sound(
        "negation-ignores-the-future",
        ("NOT-RIGHT",),
        MEANING,
        "negation that ignores the future: what comes after a partial match does not defeat it",
        _arriving("False"),
    ),
    sound(
        "negation-of-the-past-ignores-ties",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negation that a stored event at the very time of a positive one does not defeat",
        *_among_stored("all(other.opens != event.timestamp for event in entry.events)"),
    ),
    sound(
        "negation-of-the-future-ignores-ties",
        ("NOT-RIGHT",),
        MEANING,
        "negation that an arriving event at the very time of a positive one does not defeat",
        _arriving("all(positive.timestamp != event.timestamp for positive in other.events)"),
    ),
    sound(
        "negation-future-window-closes-one-early",
        ("NOT-RIGHT",),
        MEANING,
        "negation that an arriving event at exactly the end of the window does not defeat",
        _arriving("event.timestamp != other.closes"),
    ),
    sound(
        "negation-future-window-opens-one-late",
        ("NOT-RIGHT",),
        MEANING,
        "negation that an arriving event at exactly the beginning of the window does not defeat",
        _arriving("event.timestamp != other.opens"),
    ),
    sound(
        "negation-past-window-closes-one-early",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negation that a stored event at exactly the end of the window does not defeat",
        *_among_stored("other.opens != entry.closes"),
    ),
    sound(
        "negation-past-window-opens-one-late",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negation that a stored event at exactly the beginning of the window does not defeat",
        *_among_stored("other.opens != entry.opens"),
    ),
    sound(
        "negation-spares-bound-events",
        DEFEATED,
        MEANING,
        "negated patterns that an event cannot fill which is bound positively too",
        *_among_stored("other.events[0] not in entry.events"),
        _arriving("event not in other.events"),
    ),
    sound(
        "negation-defeats-one",
        ("NOT-RIGHT",),
        MEANING,
        "not-nodes where an arriving event defeats one partial match only",
        Edit(_NOT_RIGHT, _DEFEATED, f"{_DEFEATED}[:1]"),
    ),
    sound(
        "negation-consumes-the-defeater",
        ("NOT-RIGHT",),
        MEANING,
        "not-nodes where an event is used up by the partial matches that it defeats on arrival",
        Edit(
            _NOT_RIGHT,
            "right = data.right.stored(entry) if live else data.right",
            "right = data.right.stored(entry) if live and not defeated else data.right",
        ),
    ),
    sound(
        "negation-ignores-conditions-of-the-past",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negation that any stored event in the window defeats, whatever its conditions with positive events",
        *(
            Edit(
                rule,
                _MATCHING,
                "[e for e in right if entry.opens <= e.opens <= entry.closes]",
            )
            for rule in _LEFT_RULES
        ),
    ),
    sound(
        "negation-ignores-conditions-of-the-future",
        ("NOT-RIGHT",),
        MEANING,
        "negation that any arriving event in the window defeats, whatever its conditions with positive events",
        Edit(_NOT_RIGHT, _DEFEATED, "[e for e in data.left if e.opens <= event.timestamp <= e.closes]"),
    ),
    sound(
        "double-negation-is-none",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "not-nodes that pass what a stored event defeats and drop what none does",
        Edit(_LEFT_RULES[0], f"if not {_MATCHING}", f"if {_MATCHING}"),
        Edit(_LEFT_RULES[1], f"if {_MATCHING}", f"if not {_MATCHING}"),
    ),
    algebra(
        "negation-needs-all",
        DEFEATED,
        MEANING,
        "negated patterns that defeat only if all their values do",
        Edit(_EVALUATED, _NONE_HOLDS, "not vns or any(not holds(f, vp | vn, domain) for vn in vns)"),
    ),
    algebra(
        "negation-ignored",
        DEFEATED,
        MEANING,
        "negated patterns that nothing defeats",
        Edit(_EVALUATED, _NONE_HOLDS, "True"),
    ),
    algebra(
        "negation-of-existence",
        DEFEATED,
        MEANING,
        "negated patterns that any event of their template defeats, whatever the conditions and the window",
        Edit(_EVALUATED, _NONE_HOLDS, "not vns"),
    ),
    algebra(
        "negation-ignores-the-past",
        ("NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negation that ignores the past: what happened before all positive events does not defeat",
        _evaluated("holds(f, vp | vn, domain) and next(e for _, e in vn).timestamp >= min(e.timestamp for _, e in vp)"),
    ),
    algebra(
        "negation-ignores-the-future",
        ("NOT-RIGHT",),
        MEANING,
        "negation that ignores the future: what happens after all positive events does not defeat",
        _evaluated("holds(f, vp | vn, domain) and next(e for _, e in vn).timestamp <= max(e.timestamp for _, e in vp)"),
    ),
    algebra(
        "negation-spares-bound-events",
        DEFEATED,
        MEANING,
        "negated patterns that an event cannot fill which is bound positively too",
        _evaluated("holds(f, vp | vn, domain) and next(e for _, e in vn) not in {e for _, e in vp}"),
    ),
    algebra(
        "negation-ignores-conditions",
        DEFEATED,
        MEANING,
        "negated patterns without their conditions: any event of the template in the window defeats",
        Edit("algebra.mapping:negated_condition", "*pattern.conditions, ", "*(), "),
    ),
    algebra(
        "negation-of-events-from-outside",
        DEFEATED,
        ("SPEC 4", "D §4.4.3"),
        "negated patterns that only external events fill, not those that rules emit",
        _evaluated("holds(f, vp | vn, domain) and not next(e for _, e in vn).source.startswith('rule:')"),
    ),
)
