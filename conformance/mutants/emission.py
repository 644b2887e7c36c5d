"""Mutants of what matches emit, and of strata (SPEC §2 and §3, D §4.4.3 and §5.5.4)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, algebra, sound
from conformance.mutants.worlds import Edit

EMITTED = ("PROD", "TERM")
AT = ("SPEC 2", "D §5.5.4")
NAMED = ("SPEC 3",)
STRATA = ("SPEC 4", "D §4.4.3")

_GENERATE = "semantics.compilation:_Builder.generator"
_TIMES = "timestamp = at([event.timestamp for event in events])"
_REACT = "algebra.programs:_react"
_ID = "semantics.events.match:emitted_id"
_RUN = "algebra.programs:run"

IN_THE_MACHINE = (
    sound(
        "emitted-at-the-last-event",
        EMITTED,
        AT,
        "emissions at the time of the latest event of their match, whatever `at` says",
        Edit(_GENERATE, _TIMES, "timestamp = max(event.timestamp for event in events)"),
    ),
    sound(
        "emitted-at-the-first-pattern",
        EMITTED,
        AT,
        "emissions at the time of the first pattern's event, whatever `at` says",
        Edit(_GENERATE, _TIMES, "timestamp = events[0].timestamp"),
    ),
    sound(
        "average-of-timestamps-towards-zero",
        EMITTED,
        AT,
        "averages of timestamps rounded towards zero",
        Edit("semantics.logic:mean", "total // count", "int(total / count)"),
    ),
    sound(
        "average-of-timestamps-rounded-up",
        EMITTED,
        AT,
        "averages of timestamps rounded up",
        Edit("semantics.logic:mean", "total // count", "-(-total // count)"),
    ),
    sound(
        "minimum-of-timestamps-is-the-maximum",
        EMITTED,
        AT,
        "`min` of timestamps taken for `max`",
        Edit("semantics.kernel:earliest", "lowest(", "highest("),
    ),
    sound(
        "shift-the-other-way",
        EMITTED,
        AT,
        "durations subtracted where they should be added, and added where subtracted",
        Edit("semantics.kernel:shifted", "timestamp + milliseconds", "timestamp - milliseconds"),
    ),
    sound(
        "timestamp-overflow-emitted",
        EMITTED,
        AT,
        "emissions with timestamps beyond 64 bits",
        Edit("semantics.expressions:_shift", "if not checked:", "if True:"),
    ),
    sound(
        "emission-without-value-emitted",
        EMITTED,
        ("SPEC 2",),
        "emissions with the attributes that have a value, where others have none",
        Edit(
            _GENERATE,
            "            except NoValue:\n                return None",
            "            except NoValue:\n                timestamp, attributes = events[0].timestamp, {}",
        ),
    ),
    sound(
        "emission-without-value-untold",
        ("PROD",),
        ("SPEC 2",),
        "emissions without a value that are not reported",
        Edit("semantics.machine:Machine._failed", "self.failures.append", "bool"),
    ),
    sound(
        "emission-without-value-loses-the-match",
        EMITTED,
        ("SPEC 2",),
        "matches that are not reported if one of their emissions has no value",
        Edit(
            "semantics.machine:Machine._failed",
            "        self.failures.append",
            "        self.matches = [m for m in self.matches if (m.rule, m.bindings) != (node.rule, bindings)]\n"
            "        self.failures.append",
        ),
    ),
    sound(
        "first-emission-only",
        EMITTED,
        ("SPEC 2",),
        "rules of which the first emission counts, and no other",
        Edit(
            "semantics.compilation:_Builder.add_reaction",
            "for generate in generators)",
            "for generate in generators[:1])",
        ),
    ),
    sound(
        "emission-numbered-from-zero",
        EMITTED,
        NAMED,
        "emissions numbered from 0 in the ids of emitted events",
        Edit(_ID, "#{position}(", "#{position - 1}("),
    ),
    sound(
        "single-emission-numbered",
        EMITTED,
        NAMED,
        "the position in the ids of emitted events even if the rule has one emission only",
        Edit(_GENERATE, "if len(rule.emissions) > 1 else None", "if rule.emissions else None"),
    ),
    sound(
        "ids-without-variables",
        EMITTED,
        NAMED,
        "ids of emitted events that list the ids of the match's events without the variables",
        Edit(_ID, "{variable}={_component(event)}", "{_component(event)}"),
    ),
    sound(
        "ids-unquoted",
        EMITTED,
        NAMED,
        "ids of emitted events in which ids with delimiters are not quoted",
        Edit("semantics.events.match:_component", "_DELIMITERS.isdisjoint(event.id)", "event.id"),
    ),
    sound(
        "emitted-events-do-not-join",
        ("PROD", "ENTRY"),
        STRATA,
        "emitted events that no rule reacts to",
        Edit("semantics.rules.reaction:prod", "bound, event),)", "bound, None),)"),
    ),
    sound(
        "reaction-to-the-first-emission-only",
        ("PROD", "ENTRY"),
        STRATA,
        "rules that react to the first emission of a rule, and to no other",
        Edit("semantics.rules.reaction:prod", "bound, event),)", "bound, event if node.position == 1 else None),)"),
    ),
)

IN_THE_ALGEBRA = (
    algebra(
        "emitted-at-the-last-event",
        EMITTED,
        AT,
        "emissions at the time of the latest event of their match, whatever `at` says",
        Edit(_REACT, "value_of(emission.at, valuation, domain)", "max(event.timestamp for _, event in bound)"),
    ),
    algebra(
        "average-of-timestamps-towards-zero",
        EMITTED,
        AT,
        "averages of timestamps rounded towards zero",
        Edit(
            "algebra.expressions:mean_timestamp",
            "sum(timestamps) // len(timestamps)",
            "int(sum(timestamps) / len(timestamps))",
        ),
    ),
    algebra(
        "emission-without-value-emitted",
        EMITTED,
        ("SPEC 2",),
        "emissions with the attributes that have a value, where others have none",
        Edit(_REACT, "and len(attributes) == len(values)", "and len(attributes) <= len(values)"),
    ),
    algebra(
        "single-emission-numbered",
        EMITTED,
        NAMED,
        "the position in the ids of emitted events even if the rule has one emission only",
        Edit(_REACT, "position if len(rule.emissions) > 1 else None", "position"),
    ),
    algebra(
        "emitted-events-do-not-join",
        ("PROD", "ENTRY"),
        STRATA,
        "emitted events that no rule reacts to",
        Edit(_RUN, "evaluation.extend(event for match, _ in found for event in match.emits)", "pass"),
    ),
    algebra(
        "strata-from-the-top",
        ("PROD", "ENTRY"),
        STRATA,
        "strata evaluated in the wrong order",
        Edit(
            _RUN,
            "for stratum in program.rules_by_stratum():",
            "for stratum in reversed(tuple(program.rules_by_stratum())):",
        ),
    ),
    algebra(
        "first-two-strata-only",
        ("PROD", "ENTRY"),
        STRATA,
        "two strata, and no reaction to what rules of the second emit",
        Edit(
            _RUN, "for stratum in program.rules_by_stratum():", "for stratum in tuple(program.rules_by_stratum())[:2]:"
        ),
    ),
    algebra(
        "matches-that-emit-nothing-lost",
        ("TERM",),
        ("D def. 19",),
        "matches that are not reported if they emit nothing",
        Edit(_RUN, "            matches.append(match)", "            matches.extend([match] if match.emits else [])"),
    ),
)

EMISSION: tuple[Mutant, ...] = (*IN_THE_MACHINE, *IN_THE_ALGEBRA)
