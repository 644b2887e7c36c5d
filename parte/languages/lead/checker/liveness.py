"""Decisions whether a rule matches and matches again, and which transitions of its net fire (specification:
lead-live)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from parte.checker.report.contents import Json
from parte.checker.solver.queries import Status
from parte.checker.solver.verdict import Verdict
from parte.languages.lead.checker.conditions import needs
from parte.languages.lead.checker.places import matches
from parte.languages.lead.checker.streams import alphabet, placed
from parte.languages.lead.checker.work import Work
from parte.languages.lead.semantics.net import Phase, Transition
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import bound
from parte.languages.lead.semantics.syntax.matches import match_to_json
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines
from parte.semantics.source.spans import Span

APART = 100_000
"""The time between two copies of a stream, in milliseconds."""


def check_satisfiable(work: Work) -> tuple[Event, ...] | None:
    """Decide whether some stream has a match. Return such a stream, or None."""
    encoding = work.encoding()
    status = work.possible("the pattern: can it match", encoding, needs(work, work.pattern, encoding))
    span = work.rule.pattern.span
    with work.collector.deciding("satisfiable") as decision:
        if status is Status.UNSATISFIABLE:
            work.collector.find("unsatisfiable-rule", span, "no stream has a match", reason=_why(work))
            return None
        for stream in work.streams():
            result = work.run(stream)
            if result is not None and result.matches:
                decision.detail = f"a stream of {len(stream)} event{'' if len(stream) == 1 else 's'} has one"
                examples: list[Json] = [match_to_json("rule", match) for match in result.matches[:10]]
                decision.evidence.update({"trace": trace(stream), "matches": examples})
                return stream
        work.collector.find(
            "unsatisfiable-rule",
            span,
            "whether some stream has a match was not decided",
            verdict=Verdict.NOT_PROVED,
            reason=["none of the streams that were tried has one"],
        )
    return None


def _known(work: Work, code: str) -> bool:
    """Return whether the rule certainly has a finding with this code."""
    return any(finding.code == code and finding.verdict is Verdict.REFUTED for finding in work.collector.findings)


def _why(work: Work) -> list[str]:
    return (
        ["nothing fulfils a condition that every match needs"] if work.dead else ["its conditions exclude each other"]
    )


def trace(stream: Sequence[Event]) -> list[Json]:
    """Return a stream as the lines of a trace."""
    return [json.loads(line) for line in trace_lines(stream)]


def check_matches_again(work: Work, stream: tuple[Event, ...] | None) -> None:
    """Decide whether a partition can match again and again."""
    span, most, latest = work.rule.pattern.span, matches(work.pattern), bound(work.pattern)
    with work.collector.deciding("matches-again") as decision:
        if _known(work, "unsatisfiable-rule"):
            decision.verdict = Verdict.VACUOUS
            return
        if most is not None:
            often = "one match" if most == 1 else f"{most} matches"
            hint = "every(…) or all(…) has more" if most == 1 else ""
            work.collector.find("few-matches", span, f"a partition has at most {often}", hint=hint)
        if latest is not None:
            message = f"nothing matches more than {latest} ms after the first event of a partition"
            work.collector.find("early-end", span, message, hint="every(…) or a partition by windows begins anew")
        if most is None and latest is None:
            reason = _undecided(work.pattern) or ("no stream with a match is known" if stream is None else "")
            if stream is None or reason:
                decision.verdict = Verdict.NOT_PROVED
                decision.detail = reason
                return
            _replayed(work, stream)
            decision.detail = "another copy of a stream that has a match has another"


_CLOSED: Mapping[type[object], str] = {
    tree.Or: "`or` joins what ends together, on which a condition may then fail",
    tree.Within: "the time of a `within` may be over",
    tree.Wait: "the time of a `wait` may be over",
    tree.Not: "what came may be what must `not` come",
    tree.Collect: "what came may be in a list that is invalid, or that is over",
    tree.Pick: "what came may be in a list that is over",
    tree.Subcontext: "a branch of a sub-context may be over",
    tree.Policy: "a policy inside may have selected already",
}
"""The reasons why earlier events may exclude all later matches of a pattern, by node type."""


def _undecided(pattern: tree.Pattern) -> str:
    """Return why it is not known that events only add matches, or an empty string if it is. It is known for a policy
    that goes on, over events, `and`, sequences and their conditions."""
    if not isinstance(pattern, tree.Policy) or pattern.choice not in (tree.Choice.ALL, tree.Choice.EVERY):
        return "neither `all` nor `every` is on the outside"
    for node in tree.within(pattern.operand):
        if type(node) in _CLOSED:
            return _CLOSED[type(node)]
    if any(isinstance(node, tree.Reference) and node.path[-1] == "event_time" for node in tree.within(pattern)):
        return "a condition compares times, and those of another copy are others"
    return ""


def _replayed(work: Work, stream: tuple[Event, ...]) -> None:
    """Check that a copy of a stream, long after it, has a match that ends there."""
    later = [Event(f"{event.id}'", event.template, event.timestamp + APART, event.attributes) for event in stream]
    result = work.run((*stream, *later))
    assert result is None or any(match.end >= APART for match in result.matches), "another copy has no match"


def check_transitions(work: Work) -> None:
    """Decide which transitions fire on some tried stream, and which never can."""
    fired: set[int] = set()
    for stream in work.streams():
        if len(fired) == len(work.net.transitions):
            break
        result = work.run(stream)
        fired |= result.fired if result is not None else set()
    alive = reachable(work)
    with work.collector.deciding("live-transitions") as decision:
        for number, transition in enumerate(work.net.transitions):
            if number not in alive:
                assert number not in fired, "a transition fires that is to be dead"
                message = f"{_called(transition)} never fires"
                work.collector.find("dead-transition", _span(work, transition), message)
        left = [
            _called(transition) for number, transition in enumerate(work.net.transitions) if number in alive - fired
        ]
        decision.detail = f"{len(fired)} of {len(work.net.transitions)} fire on streams that were tried"
        if left and not _known(work, "dead-transition"):
            decision.verdict = Verdict.NOT_PROVED
            decision.detail += f"; {', '.join(left[:5])} did not"


def _called(transition: Transition) -> str:
    due = "" if transition.phase is Phase.READY else " when it is due"
    return f"{transition.identity} {transition.label}".strip() + f", triggered by `{transition.trigger.name}`{due}"


def _span(work: Work, transition: Transition) -> Span:
    pattern = transition.trigger.pattern
    return pattern.span if pattern is not None else work.rule.pattern.span


def reachable(work: Work) -> set[int]:
    """Return the transitions that may fire. A place may hold anything that some transition may have put there, and
    only conditions that nothing fulfils stop a match. If a join reads or empties places, these must be marked."""
    net = work.net
    assert net.root is not None
    marked = {net.root.number, *(place.number for _, place in net.arrivals)}
    fired: set[int] = set()
    while True:
        before = len(fired) + len(marked)
        for number, transition in enumerate(net.transitions):
            if transition.trigger.number not in marked:
                continue
            fired.add(number)
            test = getattr(transition.action, "keywords", {}).get("test")
            if test is not None and id(test.condition) in work.dead:
                continue
            for arc in transition.puts:
                if (
                    arc.place.red
                    or not _joins(transition)
                    or all(arc.place.number in marked for arc in transition.takes)
                ):
                    marked.add(arc.place.number)
        if len(fired) + len(marked) == before:
            return fired


def _joins(transition: Transition) -> bool:
    """Return whether a transition puts matches only together with the tokens that it reads."""
    return transition.identity in ("LEAD/AND", "LEAD/SOURCE") or (
        transition.identity == "LEAD/SEQ" and all(arc.place.pattern is not None for arc in transition.takes)
    )


def letters(work: Work) -> list[tuple[Event, ...]]:
    """Return streams of one letter each, to be repeated."""
    choices = alphabet(work.rule, work.pattern, work.values)
    keys = {key.attribute: 0 for key in work.rule.keys if key.length is None}
    return [placed([(name, {**keys, **attributes})], 1) for name, attributes in choices]
