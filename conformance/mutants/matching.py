"""Mutants of joining, of identity and of how often a match is found (SPEC §3 and §4, D def. 12)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, Space, algebra, sound
from conformance.mutants.worlds import Edit

JOINED = ("JOIN-RIGHT", "JOIN-LEFT")
MEANING = ("SPEC 4", "D def. 12")
IDENTITY = ("SPEC 3", "SPEC 4")

_JOIN_LEFT = "semantics.rules.join:join_left"
_JOIN_RIGHT = "semantics.rules.join:join_right"
_EVALUATED = "algebra.evaluate:evaluate"
_CONTENTS = "(arrival.event.template, arrival.event.timestamp, repr(arrival.event.attributes))"
_HISTORY = "semantics.histories:PlainHistory.stored"
_PRODUCT = "frozenset(v1 | v2 for v1 in values(p1) for v2 in v2s)"

IN_THE_MACHINE = (
    sound(
        "left-consumed-by-a-match",
        ("JOIN-RIGHT",),
        ("SPEC 4",),
        "left partial matches that are used up by the first event that matches them",
        Edit(
            _JOIN_RIGHT,
            "after = TwoInputData(",
            "left = left.without([other for other in window if other.stored])\n    after = TwoInputData(",
        ),
        space=Space.PLAIN,
    ),
    sound(
        "right-consumed-by-a-match",
        ("JOIN-LEFT",),
        ("SPEC 4",),
        "right events that are used up by the first partial match that matches them",
        Edit(_JOIN_LEFT, "after = TwoInputData(", "right = right.without(window)\n    after = TwoInputData("),
        space=Space.PLAIN,
    ),
    sound(
        "right-not-stored-after-a-match",
        ("JOIN-RIGHT",),
        ("SPEC 4",),
        "right events that are not remembered if they match something on arrival",
        Edit(
            _JOIN_RIGHT,
            "after = TwoInputData(",
            "right = data.right if results else right\n    after = TwoInputData(",
        ),
        space=Space.PLAIN,
    ),
    sound(
        "left-not-stored-after-a-match",
        ("JOIN-LEFT",),
        ("SPEC 4",),
        "left partial matches that are not remembered if they match something on arrival",
        Edit(
            _JOIN_LEFT,
            "after = TwoInputData(",
            "left = data.left if results else left\n    after = TwoInputData(",
        ),
        space=Space.PLAIN,
    ),
    sound(
        "first-partner-only",
        JOINED,
        MEANING,
        "joins that find the first of several partners only",
        Edit("semantics.rules.premises:as_tokens", "reversed(results)", "reversed(results[:1])"),
        Edit("semantics.rules.premises:as_tokens", "for result in results]", "for result in results[:1]]"),
    ),
    sound(
        "one-event-fills-one-pattern",
        JOINED,
        ("SPEC 4",),
        "patterns that an event cannot fill which already fills another one of the match",
        Edit(_JOIN_LEFT, "for other in window]", "for other in window if other.events[0] not in entry.events]"),
        Edit(_JOIN_RIGHT, "for other in window]", "for other in window if event not in other.events]"),
    ),
    sound(
        "double-emission",
        (*JOINED, "NOT-RIGHT", "NOT-RIGHT-BOTTOM"),
        MEANING,
        "the last token of a step sent twice",
        Edit(
            "semantics.rules.premises:as_tokens",
            "    tokens = []\n    for result",
            "    tokens = [BetaToken(bounds, results[-1])]\n    for result",
        ),
        Edit(
            "semantics.rules.premises:as_tokens",
            "for result in results])",
            "for result in (*results, results[-1])])",
        ),
    ),
    sound(
        "negation-released-twice",
        ("NOT-RIGHT-BOTTOM", "NOT-RIGHT"),
        MEANING,
        "not-nodes that keep what they release, and release it again",
        Edit(
            "semantics.rules.premises:expire_negated",
            "return history.passed(bound)",
            "return history, history.passed(bound)[1]",
        ),
        space=Space.PLAIN,
    ),
    sound(
        "terminal-tells-twice",
        ("TERM",),
        ("D def. 19",),
        "matches that are reported twice",
        Edit(
            "semantics.machine:Machine._reacted",
            "self.matches.append(node.to_match(_partial(token)))",
            "self.matches.extend([node.to_match(_partial(token))] * 2)",
        ),
    ),
    sound(
        "terminal-tells-each-content-once",
        ("TERM",),
        IDENTITY,
        "a match that is not reported if one with the same contents has been",
        Edit(
            "semantics.machine:Machine._reacted",
            "            self.matches.append(node.to_match(_partial(token)))",
            "            contents = [(e.template, e.timestamp, repr(e.attributes)) for e in _partial(token)]\n"
            "            told = vars(self).setdefault('told', [])\n"
            "            if (node.name, contents) not in told:\n"
            "                told.append((node.name, contents))\n"
            "                self.matches.append(node.to_match(_partial(token)))",
        ),
    ),
    sound(
        "equal-contents-are-one-event",
        ("ENTRY",),
        IDENTITY,
        "an event ignored if one with the same template, timestamp and attributes has come",
        Edit(
            "semantics.machine:Machine.feed",
            "        index = self._queue_of[arrival.source, arrival.template]",
            "        index = self._queue_of[arrival.source, arrival.template]\n"
            "        known = vars(self).setdefault('known', [])\n"
            f"        if arrival.event is not None and {_CONTENTS} in known:\n"
            "            arrival = Arrival(arrival.source, arrival.template, arrival.bound, None)\n"
            "        elif arrival.event is not None:\n"
            f"            known.append({_CONTENTS})",
        ),
    ),
    sound(
        "one-event-a-millisecond",
        ("JOIN-LEFT", "JOIN-RIGHT", "NOT-LEFT-NOMATCH", "NOT-RIGHT"),
        IDENTITY,
        "histories that keep the latest of several events with one timestamp",
        Edit(
            _HISTORY,
            "(*self.entries, entry)",
            "(*[e for e in self.entries if e.events[-1].timestamp != entry.events[-1].timestamp], entry)",
        ),
        space=Space.PLAIN,
    ),
    sound(
        "equal-timestamps-in-order-of-arrival",
        ("JOIN-RIGHT",),
        MEANING,
        "events with one timestamp joined only if the left one arrives first",
        Edit(
            _JOIN_LEFT,
            "for other in window]",
            "for other in window if other.opens != entry.events[-1].timestamp]",
        ),
    ),
    sound(
        "equal-timestamps-in-order-of-declaration",
        ("JOIN-LEFT",),
        MEANING,
        "events with one timestamp joined only if the right one arrives first",
        Edit(
            _JOIN_RIGHT,
            "for other in window]",
            "for other in window if other.events[-1].timestamp != event.timestamp]",
        ),
    ),
    sound(
        "equality-of-one-attribute",
        (*JOINED, "NOT-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        ("SPEC 2", "D §5.5.3"),
        "joins by the first of several equality conditions, without the others",
        Edit("semantics.compilation:_Builder.key", "in parts)", "in parts[:1])"),
    ),
    sound(
        "conditions-between-events-ignored",
        (*JOINED, "NOT-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        ("SPEC 2", "D §5.5.3"),
        "two-input nodes that look at equalities only, not at other conditions between events",
        Edit("semantics.compilation:_Builder.two_input", "compile_conditions(rest,", "compile_conditions((),"),
    ),
    sound(
        "conditions-on-one-event-ignored",
        ("ALPHA-MATCH", "ALPHA-NOMATCHCONSTRAINT"),
        ("SPEC 2", "D §5.5.2"),
        "patterns that every event of their template fills, whatever its conditions",
        Edit("semantics.compilation:_Builder.add_alpha", "compile_conditions(own,", "compile_conditions((),"),
    ),
    sound(
        "last-condition-ignored",
        ("ALPHA-MATCH", "ALPHA-NOMATCHCONSTRAINT"),
        ("SPEC 2", "D §5.5.2"),
        "patterns without the last of their conditions, if they have several",
        Edit("semantics.compilation:_Builder.add_alpha", "compile_conditions(own,", "compile_conditions(own[:1],"),
    ),
    sound(
        "one-condition-is-enough",
        ("ALPHA-MATCH", "ALPHA-NOMATCHCONSTRAINT", *JOINED),
        ("SPEC 2",),
        "patterns of which one condition must hold, not all",
        Edit(
            "semantics.expressions:compile_conditions",
            "                if not condition(events):\n                    return False",
            "                if condition(events):\n                    return True\n            return False",
        ),
    ),
)

IN_THE_ALGEBRA = (
    algebra(
        "one-event-fills-one-pattern",
        JOINED,
        MEANING,
        "patterns that an event cannot fill which already fills another one of the match",
        Edit(_EVALUATED, _PRODUCT, _PRODUCT[:-1] + " if not {e for _, e in v1} & {e for _, e in v2})"),
    ),
    algebra(
        "patterns-in-order-of-time",
        JOINED,
        MEANING,
        "conjunctions that are sequences: each pattern's event is no earlier than those before it",
        Edit(
            _EVALUATED,
            _PRODUCT,
            _PRODUCT[:-1] + " if max(e.timestamp for _, e in v1) <= max(e.timestamp for _, e in v2))",
        ),
    ),
    algebra(
        "templates-ignored",
        ("ENTRY", "ALPHA-MATCH"),
        MEANING,
        "patterns that events of every template with the same attributes fill",
        Edit(
            _EVALUATED,
            "if event.template == r",
            "if event.template == r or any(e.template == r and e.attributes.keys() == event.attributes.keys()"
            " for e in stream)",
        ),
    ),
    algebra(
        "equal-contents-are-one-event",
        ("ENTRY",),
        IDENTITY,
        "streams that are sets of contents: an event is lost if one with the same contents has come",
        Edit(
            "algebra.programs:_Naive.extend",
            "self._stream.extend(events)",
            "self._stream.extend({(e.template, e.timestamp, repr(e.attributes)): e for e in events}.values())",
        ),
    ),
    algebra(
        "one-event-a-millisecond",
        ("ENTRY",),
        IDENTITY,
        "streams that keep one event of a template for each timestamp",
        Edit(
            "algebra.programs:_Naive.extend",
            "self._stream.extend(events)",
            "self._stream.extend({(e.template, e.timestamp): e for e in events}.values())",
        ),
    ),
    algebra(
        "filters-ignored",
        ("ALPHA-NOMATCHCONSTRAINT", *JOINED),
        MEANING,
        "filters that keep what fails their condition if it is no window",
        Edit(_EVALUATED, "if holds(f, v, domain))", "if not isinstance(f, Within) or holds(f, v, domain))"),
    ),
    algebra(
        "one-of-the-conditions-of-a-negation",
        ("NOT-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
        MEANING,
        "negated patterns that defeat if one of their conditions holds",
        Edit("algebra.evaluate:holds", "return all(", "return any("),
    ),
    algebra(
        "conditions-without-value-hold",
        ("ALPHA-MATCH", *JOINED),
        ("SPEC 2",),
        "conditions that hold if they have no value",
        Edit("algebra.evaluate:holds", "is True", "is not False"),
    ),
)

MATCHING: tuple[Mutant, ...] = (*IN_THE_MACHINE, *IN_THE_ALGEBRA)
