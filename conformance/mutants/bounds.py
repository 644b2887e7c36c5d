"""Mutants of the bounds on tokens, and of the merging at entry nodes (SPEC §5, D §5.4.6)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, Space, sound
from conformance.mutants.worlds import Edit

PASSED_ON = (
    "JOIN-LEFT",
    "JOIN-RIGHT",
    "JOIN-LEFT-BOTTOM",
    "JOIN-RIGHT-BOTTOM",
    "NOT-RIGHT",
    "NOT-RIGHT-BOTTOM",
    "NOT-LEFT-BOTTOM",
)
ENTRIES = ("ENTRY", "ENTRY-BOTTOM")
MEANING = ("SPEC 5", "D §5.4.6")

_TOKENS = "semantics.rules.premises:as_tokens"

OF_TOKENS = (
    sound(
        "batch-bound-of-the-next-only",
        ("JOIN-LEFT", "JOIN-RIGHT", "NOT-RIGHT", "NOT-RIGHT-BOTTOM"),
        MEANING,
        "tokens of one step whose bounds speak of the next token only, not of all that follow",
        Edit(
            _TOKENS,
            "[kernel.batch_bound(bound, event.timestamp) for bound, event in zip(bounds, result, strict=True)]",
            "[event.timestamp for event in result]",
        ),
        space=Space.PLAIN,
    ),
    sound(
        "batch-bound-above-the-next",
        ("JOIN-LEFT", "JOIN-RIGHT", "NOT-RIGHT", "NOT-RIGHT-BOTTOM"),
        MEANING,
        "tokens of one step that promise away the token after them",
        Edit("semantics.kernel:batch_bound", "lowest(bound, timestamp)", "highest(bound, timestamp)"),
    ),
    sound(
        "batch-in-reverse",
        ("JOIN-LEFT", "JOIN-RIGHT", "NOT-RIGHT", "NOT-RIGHT-BOTTOM"),
        MEANING,
        "tokens of one step in another order than that for which their bounds were computed",
        Edit(_TOKENS, "tuple(reversed(tokens))", "tuple(tokens)"),
    ),
    sound(
        "bound-ignores-what-is-stored",
        PASSED_ON,
        MEANING,
        "bounds that speak of what may still arrive, and not of what is stored",
        Edit("semantics.kernel:propagated_bound", "lowest(explicit, implicit)", "explicit"),
    ),
    sound(
        "bound-ignores-what-is-stored-left",
        PASSED_ON,
        MEANING,
        "bounds that do not speak of the left partial matches that are stored",
        Edit(
            "semantics.rules.premises:left_bounds_after",
            "kernel.propagated_bound(bound, left.earliest(index))",
            "bound",
        ),
    ),
    sound(
        "bound-ignores-what-is-stored-right",
        PASSED_ON[:4],
        MEANING,
        "bounds that do not speak of the right events that are stored",
        Edit(
            "semantics.rules.premises:joined_bounds_after",
            "kernel.propagated_bound(data.right_bound, data.right.earliest(0))",
            "data.right_bound",
        ),
    ),
    sound(
        "bound-of-what-is-stored",
        PASSED_ON,
        MEANING,
        "bounds that speak of what is stored, and not of what may still arrive",
        Edit("semantics.kernel:propagated_bound", "lowest(explicit, implicit)", "implicit"),
    ),
    sound(
        "bound-above-what-is-stored",
        PASSED_ON,
        MEANING,
        "bounds that promise one millisecond more than the earliest event that is stored",
        Edit("semantics.kernel:propagated_bound", "lowest(explicit, implicit)", "lowest(explicit, implicit + 1)"),
    ),
    sound(
        "bound-from-the-left-ignored",
        ("JOIN-LEFT-BOTTOM",),
        MEANING,
        "join-nodes that take no notice of bounds without a payload from the left",
        Edit("semantics.rules.join:join_left_bottom", "TwoInputData(token.bounds,", "TwoInputData(data.left_bounds,"),
        space=Space.MEASURED,
    ),
    sound(
        "negation-bound-from-the-right-ignored",
        ("NOT-RIGHT-BOTTOM",),
        MEANING,
        "not-nodes that take no notice of bounds without a payload from the right",
        Edit(
            "semantics.rules.negation:not_right_bottom",
            "expire_negated(site.repairs, data.left, bound)",
            "(data.left, ())",
        ),
    ),
    sound(
        "left-bound-of-a-match-one-above",
        ("JOIN-LEFT", "NOT-LEFT-NOMATCH"),
        MEANING,
        "patterns whose bound is one millisecond more than promised: of two events at one time the second is too late",
        Edit("semantics.rules.alpha:alpha_match", "(token.bound,)", "(token.bound + 1,)"),
    ),
    sound(
        "silence-promises-too-much",
        ("ALPHA-NOMATCHCONSTRAINT",),
        MEANING,
        "rejected events that promise one millisecond more than their source did",
        Edit("semantics.rules.alpha:alpha_nomatchconstraint", "(token.bound,)", "(token.bound + 1,)"),
    ),
    sound(
        "promise-without-event-too-much",
        ("ALPHA-BOTTOM",),
        MEANING,
        "promises without an event that say one millisecond more than the source did",
        Edit("semantics.rules.alpha:alpha_bottom", "(token.bound,)", "(token.bound + 1,)"),
    ),
    sound(
        "promise-without-event-withheld",
        ("ALPHA-BOTTOM",),
        MEANING,
        "patterns that do not pass a promise on that comes without an event",
        Edit("semantics.rules.alpha:alpha_bottom", "(BetaToken((token.bound,), None),)", "()"),
    ),
    sound(
        "production-promises-the-future",
        ("PROD-BOTTOM",),
        MEANING,
        "rules that promise one millisecond more of the events they emit than their matches allow",
        Edit(
            "semantics.rules.reaction:prod_bottom",
            "node.generate_bound(token.bounds)",
            "node.generate_bound(token.bounds) + 1",
        ),
    ),
    sound(
        "production-promises-after-its-event",
        ("PROD",),
        MEANING,
        "rules that promise with each event they emit that no earlier one will follow",
        Edit(
            "semantics.rules.reaction:prod",
            "(AlphaToken(OWN_SLOT, bound, event),)",
            "(AlphaToken(OWN_SLOT, bound if event is None else max(bound, event.timestamp), event),)",
        ),
    ),
    sound(
        "production-promises-nothing",
        ("PROD-BOTTOM",),
        MEANING,
        "rules that promise nothing of the events they will emit",
        Edit("semantics.rules.reaction:prod_bottom", "node.generate_bound(token.bounds)", "-(2**100)"),
    ),
    sound(
        "production-bound-ignores-the-shift",
        ("PROD", "PROD-BOTTOM"),
        MEANING,
        "rules that promise of their events what holds before `at` moves them by a duration",
        Edit(
            "semantics.expressions:_shift",
            "kernel.shifted(moved(times), milliseconds)\n    return",
            "moved(times)\n    return",
        ),
    ),
)

AT_ENTRIES = (
    sound(
        "entry-bound-of-the-fastest-source",
        ENTRIES,
        MEANING,
        "entry nodes that pass the greatest promise of their sources on, not the least",
        Edit("semantics.kernel:entry_bound", "lowest(", "highest("),
    ),
    sound(
        "entry-bound-of-the-last-source",
        ENTRIES,
        MEANING,
        "entry nodes that pass on what the source that spoke last has promised",
        Edit("semantics.rules.entry:_merge", "kernel.entry_bound(bounds)", "token.bound"),
    ),
    sound(
        "entry-forgets-promises",
        ENTRIES,
        MEANING,
        "entry nodes that do not remember what a source has promised",
        Edit("semantics.rules.entry:_merge", "return Effect(EntryData(bounds)", "return Effect(data"),
    ),
    sound(
        "entry-in-order-of-arrival",
        ENTRIES,
        ("SPEC 5", "defect 11"),
        "entry nodes that take tokens as they come, so that a source that runs ahead fills the histories",
        Edit("semantics.kernel:may_be_taken", "return result", "return True"),
        space=Space.MEASURED,
        schedule=("adversarial", 0),
    ),
    sound(
        "entry-takes-the-fastest-first",
        ENTRIES,
        ("SPEC 5", "defect 11"),
        "entry nodes where the source goes first that has promised most",
        Edit("semantics.kernel:may_be_taken", "conj(result, bound <= other)", "conj(result, bound >= other)"),
    ),
    sound(
        "entry-waits-on-ties",
        ENTRIES,
        ("SPEC 5", "defect 11"),
        "entry nodes where of two sources that have promised the same none may go first",
        Edit(
            "semantics.rules.entry:_merge",
            "promises = [bounds[slot] for slot in node.external]",
            "promises = [bounds[slot] - 1 for slot in node.external if slot != source]",
        ),
    ),
    sound(
        "entry-waits-for-productions",
        ENTRIES,
        ("SPEC 5", "defect 11"),
        "entry nodes where external events wait for what rules may emit",
        Edit(
            "semantics.rules.entry:_merge", "promises = [bounds[slot] for slot in node.external]", "promises = bounds"
        ),
        Edit(
            "semantics.rules.entry:_merge",
            "source in node.external and len(node.external) > 1",
            "source in node.external",
        ),
    ),
    sound(
        "entry-swallows-events-behind-the-bound",
        ("ENTRY",),
        MEANING,
        "entry nodes that drop an event whose timestamp is not above the promise of the slowest source so far",
        Edit(
            "semantics.rules.entry:entry",
            "return _merge(node, site, data, token)",
            "late = token.payload.timestamp <= kernel.entry_bound(data.bounds)\n"
            "    return _merge(node, site, data, token._replace(payload=None) if late else token)",
        ),
    ),
    sound(
        "one-source-heard",
        ENTRIES,
        MEANING,
        "entry nodes that hear their first source only",
        Edit(
            "semantics.rules.entry:entry",
            "return _merge(node, site, data, token)",
            "return _merge(node, site, data, token if token.source == 0 else token._replace(payload=None))",
        ),
    ),
)

OF_PROMISES = (
    sound(
        "end-of-trace-promises-nothing",
        ("ENTRY-BOTTOM", "NOT-RIGHT-BOTTOM"),
        ("SPEC 3", "D §5.4.2"),
        "traces that end without a promise, so that what waits is never released",
        Edit("semantics.events.promises:arrivals", "result.extend(", "tuple("),
    ),
    sound(
        "events-promise-one-more",
        ("ENTRY",),
        ("SPEC 3", "D §5.4.2"),
        "sources that promise with each event that the next one is later",
        Edit("semantics.events.promises:arrivals", "item.timestamp - disorder", "item.timestamp - disorder + 1"),
    ),
    sound(
        "disorder-ignored",
        ("ENTRY",),
        ("SPEC 3",),
        "events out of order refused, whatever disorder is allowed",
        Edit("semantics.events.promises:arrivals", "item.timestamp - disorder", "item.timestamp"),
    ),
    sound(
        "disorder-one-less",
        ("ENTRY",),
        ("SPEC 3",),
        "one millisecond less disorder than is allowed",
        Edit(
            "semantics.events.promises:arrivals", "item.timestamp - disorder", "item.timestamp - max(0, disorder - 1)"
        ),
    ),
    sound(
        "progress-ignored",
        ("ENTRY-BOTTOM",),
        ("SPEC 3",),
        "progress lines that promise nothing",
        Edit(
            "semantics.events.promises:arrivals", "promise.raise_to(item.timestamp, item)\n            result", "result"
        ),
    ),
    sound(
        "progress-one-more",
        ("ENTRY-BOTTOM",),
        ("SPEC 3",),
        "progress lines that promise one millisecond more than they say",
        Edit(
            "semantics.events.promises:arrivals",
            "promise.raise_to(item.timestamp, item)\n            result",
            "promise.raise_to(item.timestamp + 1, item)\n            result",
        ),
    ),
    sound(
        "progress-lowers-promises",
        ("ENTRY-BOTTOM",),
        ("SPEC 3",),
        "progress lines that take an earlier promise back",
        Edit("semantics.events.promises:_Promise.raise_to", "if bound > self.bound:", "if bound > -(2**99):"),
    ),
    sound(
        "timestamps-promise-despite-progress",
        ("ENTRY",),
        ("SPEC 3",),
        "sources that promise by their timestamps though they state their progress",
        Edit("semantics.events.promises:arrivals", "elif not promise.explicit:", "else:"),
    ),
)

BOUNDS: tuple[Mutant, ...] = (*OF_TOKENS, *AT_ENTRIES, *OF_PROMISES)
