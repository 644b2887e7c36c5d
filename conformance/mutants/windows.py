"""Mutants that mistake a time window, at one end or at both (SPEC §4, D fig. 5.4)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, Space, algebra, sound
from conformance.mutants.worlds import Edit

JOINED = ("JOIN-RIGHT", "JOIN-LEFT")
DEFEATED = ("NOT-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH")
COMPARED = (*JOINED, *DEFEATED)
LIFETIME = ("SPEC 4", "D fig. 5.4")
CLOSURE = ("SPEC 2", "D §5.5.3")
FILTER = ("SPEC 4", "D §4.4.2")

_IN = "semantics.kernel:in_window"
_WITHIN = "algebra.evaluate:holds"
_DISTANCE = "lower <= bound[subject].timestamp - bound[reference].timestamp <= upper"
_LEFT_WINDOW = Edit(
    "semantics.rules.premises:matching_left",
    "window = history.overlapping(right.opens, right.closes, right.key)",
    "window = history.overlapping(right.opens + 1, right.closes + 1, right.key)",
)

AT_NODES = (
    sound(
        "window-opens-one-late",
        COMPARED,
        LIFETIME,
        "windows that are open at their beginning: an event at exactly the lower bound is outside",
        Edit(_IN, "opens <= timestamp", "opens < timestamp"),
    ),
    sound(
        "window-closes-one-early",
        COMPARED,
        LIFETIME,
        "windows that are open at their end: an event at exactly the upper bound is outside",
        Edit(_IN, "timestamp <= closes", "timestamp < closes"),
    ),
    sound(
        "window-opens-one-early",
        COMPARED,
        LIFETIME,
        "windows that begin one millisecond before their lower bound",
        Edit(_IN, "opens <= timestamp", "opens <= timestamp + 1"),
        space=Space.PLAIN,
    ),
    sound(
        "window-closes-one-late",
        COMPARED,
        LIFETIME,
        "windows that end one millisecond after their upper bound",
        Edit(_IN, "timestamp <= closes", "timestamp <= closes + 1"),
        space=Space.PLAIN,
    ),
    sound(
        "window-without-lower-bound",
        COMPARED,
        LIFETIME,
        "windows that have no lower bound",
        Edit(_IN, "conj(opens <= timestamp, timestamp <= closes)", "conj(True, timestamp <= closes)"),
        space=Space.PLAIN,
    ),
    sound(
        "window-without-upper-bound",
        COMPARED,
        LIFETIME,
        "windows that have no upper bound, for as long as an event is remembered",
        Edit(_IN, "conj(opens <= timestamp, timestamp <= closes)", "conj(opens <= timestamp, True)"),
        space=Space.PLAIN,
    ),
    sound(
        "left-activation-window-opens-one-late",
        ("JOIN-LEFT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        LIFETIME,
        "windows that are open at their beginning when the left partial match arrives after the right event",
        Edit("semantics.rules.premises:matching_right", "left.opens,", "left.opens + 1,"),
        space=Space.PLAIN,
    ),
    sound(
        "left-activation-window-closes-one-early",
        ("JOIN-LEFT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        LIFETIME,
        "windows that are open at their end when the left partial match arrives after the right event",
        Edit("semantics.rules.premises:matching_right", "left.closes,", "left.closes - 1,"),
        space=Space.PLAIN,
    ),
    sound(
        "left-activation-ignores-window",
        ("JOIN-LEFT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        LIFETIME,
        "no window at all when the left partial match arrives after the right event",
        Edit(
            "semantics.rules.premises:matching_right",
            "history.overlapping(left.opens, left.closes, left.key)",
            "[entry for entry in history if entry.key == left.key]",
        ),
    ),
    sound(
        "right-activation-window-one-off",
        ("JOIN-RIGHT", "NOT-RIGHT"),
        LIFETIME,
        "windows that lie one millisecond early when the right event arrives last",
        _LEFT_WINDOW,
    ),
    sound(
        "right-activation-ignores-window",
        ("JOIN-RIGHT", "NOT-RIGHT"),
        LIFETIME,
        "no window at all when the right event arrives last",
        Edit(
            "semantics.rules.premises:matching_left",
            "history.overlapping(right.opens, right.closes, right.key)",
            "[entry for entry in history if entry.key == right.key]",
        ),
    ),
)
"""At both kinds of two-input node."""

LIFETIMES = (
    sound(
        "lifetime-of-the-first-event",
        COMPARED,
        LIFETIME,
        "windows that guard the first event of a partial match only",
        Edit("semantics.kernel:lifetime_opens", "timestamps, minima", "timestamps[:1], minima"),
        Edit("semantics.kernel:lifetime_closes", "timestamps, maxima", "timestamps[:1], maxima"),
    ),
    sound(
        "lifetime-opens-with-the-first-window",
        COMPARED,
        LIFETIME,
        "lifetimes that begin where the first of the windows of a partial match begins, not the last",
        Edit("semantics.kernel:lifetime_opens", "highest(", "lowest("),
    ),
    sound(
        "lifetime-closes-with-the-last-window",
        COMPARED,
        LIFETIME,
        "lifetimes that end where the last of the windows of a partial match ends, not the first",
        Edit("semantics.kernel:lifetime_closes", "lowest(", "highest("),
    ),
    sound(
        "lifetime-closes-at-the-lower-bound",
        COMPARED,
        LIFETIME,
        "windows that are their lower bound alone",
        Edit(
            "semantics.rules.premises:left_entry",
            "lifetime_closes(timestamps, node.maxima)",
            "lifetime_closes(timestamps, node.minima)",
        ),
    ),
    sound(
        "window-reversed",
        COMPARED,
        ("SPEC 4", "D §4.4.2"),
        "intervals read the other way round: `b in a` says where a lies, not b",
        Edit(
            "semantics.compilation:windows_of",
            "windows[pattern.variable] = {other: interval for other, interval in known if interval is not None}",
            "windows[pattern.variable] = {other: (-pair[1], -pair[0]) for other, pair in known if pair is not None}",
        ),
    ),
)
"""In what a partial match is live for."""

CLOSURES = (
    sound(
        "closure-of-written-constraints-only",
        JOINED,
        CLOSURE,
        "windows between those patterns only that a constraint relates, and none that follow from others",
        Edit(
            "semantics.syntax.temporal:closure",
            "if first != math.inf and i != k:",
            "if first != math.inf and i != k and size == 2:",
        ),
        Edit(
            "semantics.compilation:_Builder.two_input",
            "windows.get(variable, EMPTY)",
            "windows.get(variable, (-(2**80), 2**80))",
        ),
    ),
    sound(
        "negation-window-of-the-last-constraint",
        DEFEATED,
        CLOSURE,
        "a window of a negated pattern that is that of its last constraint, not the intersection of all",
        Edit(
            "semantics.syntax.temporal:negated_bounds",
            "(max(lower, known[0]), min(upper, known[1]))",
            "(lower, upper)",
        ),
    ),
    sound(
        "negation-window-one-wide",
        DEFEATED,
        CLOSURE,
        "windows of negated patterns that end one millisecond late",
        Edit(
            "semantics.syntax.temporal:negated_bounds",
            "constraint.upper + distance[1]",
            "constraint.upper + distance[1] + 1",
        ),
    ),
    sound(
        "negation-window-one-narrow",
        DEFEATED,
        CLOSURE,
        "windows of negated patterns that end one millisecond early",
        Edit(
            "semantics.syntax.temporal:negated_bounds",
            "constraint.upper + distance[1]",
            "constraint.upper + distance[1] - 1",
        ),
    ),
    sound(
        "negation-window-opens-one-late",
        DEFEATED,
        CLOSURE,
        "windows of negated patterns that begin one millisecond late",
        Edit(
            "semantics.syntax.temporal:negated_bounds",
            "constraint.lower + distance[0]",
            "constraint.lower + distance[0] + 1",
        ),
    ),
    sound(
        "negation-window-opens-one-early",
        DEFEATED,
        CLOSURE,
        "windows of negated patterns that begin one millisecond early",
        Edit(
            "semantics.syntax.temporal:negated_bounds",
            "constraint.lower + distance[0]",
            "constraint.lower + distance[0] - 1",
        ),
    ),
)
"""In what follows from the constraints of a rule."""

OF_THE_ALGEBRA = (
    algebra(
        "window-opens-one-late",
        COMPARED,
        FILTER,
        "windows that are open at their beginning: an event at exactly the lower bound is outside",
        Edit(_WITHIN, "return lower <= bound", "return lower < bound"),
    ),
    algebra(
        "window-closes-one-early",
        COMPARED,
        (*FILTER, "D def. 15"),
        "windows that are open at their end, as D def. 15 prints them",
        Edit(_WITHIN, "<= upper", "< upper"),
    ),
    algebra(
        "window-opens-one-early",
        COMPARED,
        FILTER,
        "windows that begin one millisecond before their lower bound",
        Edit(_WITHIN, "return lower <= bound", "return lower - 1 <= bound"),
    ),
    algebra(
        "window-closes-one-late",
        COMPARED,
        FILTER,
        "windows that end one millisecond after their upper bound",
        Edit(_WITHIN, "<= upper", "<= upper + 1"),
    ),
    algebra(
        "window-reversed",
        COMPARED,
        FILTER,
        "both inequalities reversed, as D §4.4.2 prints them",
        Edit(
            _WITHIN,
            "bound[subject].timestamp - bound[reference].timestamp",
            "bound[reference].timestamp - bound[subject].timestamp",
        ),
    ),
    algebra(
        "window-without-lower-bound",
        COMPARED,
        FILTER,
        "windows that have no lower bound",
        Edit(_WITHIN, "return lower <= bound", "return bound"),
    ),
    algebra(
        "window-without-upper-bound",
        COMPARED,
        FILTER,
        "windows that have no upper bound",
        Edit(_WITHIN, _DISTANCE, _DISTANCE.removesuffix(" <= upper")),
    ),
    algebra(
        "window-of-absolute-distance",
        COMPARED,
        FILTER,
        "windows that take no notice of which event is the earlier one",
        Edit(
            _WITHIN,
            _DISTANCE,
            "lower <= abs(bound[subject].timestamp - bound[reference].timestamp) <= upper",
        ),
    ),
    algebra(
        "only-the-first-constraint",
        JOINED,
        FILTER,
        "one constraint for each pattern, the first that is written",
        Edit(
            "algebra.mapping:positive_conditions",
            "*map(within, constraints)",
            "*tuple(map(within, constraints))[:1]",
        ),
    ),
    algebra(
        "no-constraint-on-a-negated-pattern",
        DEFEATED,
        FILTER,
        "negated patterns that any event defeats which meets the conditions, at any time",
        Edit("algebra.mapping:negated_condition", "*map(within, constraints)", ""),
    ),
    algebra(
        "only-the-last-constraint-of-a-negated-pattern",
        DEFEATED,
        FILTER,
        "one constraint for each negated pattern, the last that is written",
        Edit(
            "algebra.mapping:negated_condition",
            "*map(within, constraints)",
            "*tuple(map(within, constraints))[-1:]",
        ),
    ),
)

WINDOWS: tuple[Mutant, ...] = (*AT_NODES, *LIFETIMES, *CLOSURES, *OF_THE_ALGEBRA)
