"""Checks that each rule happens on some stream, and that something fits each part of it (specification:
etalis-can-happen)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.checker.solver import terms
from parte.checker.solver.clock import Undecided
from parte.checker.solver.terms import Formula
from parte.languages.etalis.checker.replay import Event, found_by, probe, stream_text, surely_makes, trace
from parte.languages.etalis.checker.unfolding import Subject, Unfolding
from parte.languages.etalis.checker.work import Confirmation, Question, Work, happens
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text, term_text
from parte.languages.etalis.semantics.syntax.values import text_of

MOST_PARTS = 200
"""The greatest number of parts of a program to examine by themselves."""


def check_rules(work: Work) -> None:
    """Report the rules that happen on no stream, or only on streams that contain derived events."""
    for number, rule in enumerate(work.program.rules):
        what = f"whether the rule for `{rule.head.name}` ever happens"
        with work.deciding("can-happen", rule) as decision, work.undecided("unsatisfiable-rule", rule.head.span, what):
            stream = happening(work, work.closed, rule)
            if stream is not None:
                work.streams[number] = stream
                decision.detail = (
                    f"on {stream_text(stream)}" if len(stream) < 9 else f"a stream of {len(stream)} events"
                )
                decision.evidence["trace"] = trace(stream)
                continue
            stream = happening(work, work.open, rule)
            if stream is None:
                _unsatisfiable(work, rule)
            else:
                _needs_derived(work, rule, stream)


def making(rule: tree.Rule) -> Question:
    """Return the question whether the body of a rule happens, and its head has a value."""

    def question(unfolding: Unfolding) -> Sequence[Formula]:
        unfolding.pattern(rule.body)
        return (unfolding.head(rule),)

    return question


def makes(work: Work, rule: tree.Rule) -> Confirmation:
    """Return the confirmation that a rule derives something under the policy of the run."""

    def replayed(events: Sequence[Event]) -> bool:
        derived_by_rule = found_by(work.program, (rule,), events, work.policy, work.readings, work.moment())
        if derived_by_rule is None and work.policy == "unrestricted":
            return surely_makes(work.program, rule, events, work.readings)
        return derived_by_rule is not None and bool(derived_by_rule[0])

    return replayed


def happening(work: Work, subject: Subject, rule: tree.Rule) -> tuple[Event, ...] | None:
    """Return a stream on which a rule happens; None if there is none."""
    return work.stream(subject, making(rule), makes(work, rule))


def _needs_derived(work: Work, rule: tree.Rule, stream: Sequence[Event]) -> None:
    names = sorted({f"`{name}`" for name, _, _ in stream if name not in work.closed.in_streams})
    work.collector.find(
        "derived-events-needed",
        rule.head.span,
        f"the rule for `{rule.head.name}` happens only if the stream itself has events {', '.join(names)}",
        rule=work.called(rule),
        reason=[
            f"what the rules for {', '.join(names)} make does not fit here; {stream_text(stream)} on the stream does"
        ],
        hint="if only rules make these events, the rule never happens",
        evidence={"trace": trace(stream)},
    )


# --- Why there is none ------------------------------------------------------------------------------------------------


def _unsatisfiable(work: Work, rule: tree.Rule) -> None:
    work.dead.add(id(rule))
    part = _smallest(work, rule.body)
    head = part is None
    work.collector.find(
        "unsatisfiable-rule",
        rule.head.span if part is None else part.span,
        f"the rule for `{rule.head.name}` happens on no stream",
        rule=work.called(rule),
        reason=[f"`{pattern_text(rule.head)}` has no value where the body happens"]
        if part is None
        else [why(part), *_instants(work, part)],
        hint="change what the head calculates" if head else "relax what excludes everything",
        evidence={} if part is None else {"part": pattern_text(part)},
    )


def _instants(work: Work, pattern: tree.Pattern) -> Iterator[str]:
    """Yield the operands that have no length, where their length matters."""
    if isinstance(pattern, tree.Joined) and pattern.operator not in (tree.Operator.SEQ, tree.Operator.AND):
        for operand in dict.fromkeys((pattern.left, pattern.right)):
            if isinstance(operand, tree.EventPattern) and work.closed.longest.get(operand.name) == 0:
                yield f"`{pattern_text(operand)}` happens at instants only"


def _smallest(work: Work, pattern: tree.Pattern) -> tree.Pattern | None:
    """Return the first smallest part that never happens, although its parts do or may; None if the pattern may
    happen."""
    for node in reversed(list(_positive(pattern))):  # inner parts come first
        if work.never(happens(node)):
            return node
    return None


def _positive(pattern: tree.Pattern) -> Iterator[tree.Pattern]:
    """Yield a pattern and its parts that must happen for it, each before its own parts."""
    yield pattern
    match pattern:
        case tree.Joined(operator=tree.Operator.OR):
            return
        case tree.Negation(first=first, last=last):
            yield from _positive(first)
            yield from _positive(last)
        case _:
            for part in tree.PATTERNS.parts(pattern):
                yield from _positive(part)


_RELATED = {
    tree.Operator.SEQ: "ends before {1} begins",
    tree.Operator.AND: "happens beside {1}",
    tree.Operator.PAR: "overlaps {1}",
    tree.Operator.EQUALS: "has the interval of {1}",
    tree.Operator.MEETS: "ends when {1} begins",
    tree.Operator.DURING: "begins after the beginning of {1} and ends before its end, and lasts",
    tree.Operator.STARTS: "begins with {1} and ends before it",
    tree.Operator.FINISHES: "ends with {1} and begins after it",
}


def why(pattern: tree.Pattern) -> str:
    """Return the reason why a pattern never happens, although its parts may."""
    match pattern:
        case tree.Where(operand=operand, condition=condition):
            return f"`{term_text(condition)}` does not hold of anything that `{pattern_text(operand)}` finds"
        case tree.Lasting(operand=operand, length=length):
            return f"nothing that `{pattern_text(operand)}` finds has a length that `.{text_of(length)}` admits"
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return f"neither `{pattern_text(left)}` nor `{pattern_text(right)}` ever happens"
        case tree.Joined(left=left, operator=operator, right=right):
            related = _RELATED[operator].format("", f"one of `{pattern_text(right)}`")
            return f"nothing that `{pattern_text(left)}` finds {related}"
        case tree.Negation(absent=absent, first=first, last=last):
            ends = f"`{pattern_text(first)}` and `{pattern_text(last)}`"
            return f"between {ends}, if the one ends before the other begins, there is always `{pattern_text(absent)}`"
        case _:
            return f"no rule for `{pattern_text(pattern)}` makes such an event, and it is none of the stream"


# --- Parts ------------------------------------------------------------------------------------------------------------


def check_parts(work: Work) -> None:
    """Report sides of OR, and absent parts, that nothing ever fits."""
    left = MOST_PARTS
    with work.deciding("satisfiable-parts"):
        for rule in work.program.rules:
            for part in alternatives(rule.body) if id(rule) not in work.dead else ():
                what = f"whether anything fits `{pattern_text(part)}`"
                with work.undecided("unsatisfiable-part", part.span, what):
                    left -= 1
                    if left < 0:
                        raise Undecided(f"no more than {MOST_PARTS} parts are asked about")
                    _check_part(work, rule, part)


def alternatives(pattern: tree.Pattern) -> Iterator[tree.Pattern]:
    """Yield the parts of a pattern without which it can happen."""
    for node in tree.within(pattern):
        match node:
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                yield from (left, right)
            case tree.Negation(absent=absent):
                yield absent


def _check_part(work: Work, rule: tree.Rule, part: tree.Pattern) -> None:
    if isinstance(part, tree.EventPattern | tree.Moment):
        return  # the stream may have such an event

    def finds(events: Sequence[Event]) -> bool:
        derived_by_probe = work.derive((probe(part),), events)
        return derived_by_probe is not None and bool(derived_by_probe[0])

    if work.any_stream(happens(part), finds) is not None:
        return
    inside = _smallest(work, part) or part
    work.dead.add(id(part))
    work.collector.find(
        "unsatisfiable-part",
        inside.span,
        f"nothing fits `{pattern_text(inside)}`",
        rule=work.called(rule),
        reason=[why(inside)],
        hint="relax what excludes everything, or leave the part out",
        evidence={"part": pattern_text(part)},
    )


# --- Heads ------------------------------------------------------------------------------------------------------------


def check_heads(work: Work) -> None:
    """Report heads that divide by 0 on some stream."""
    with work.deciding("heads-have-values"):
        for number, rule in enumerate(work.program.rules):
            quotients = [
                node
                for term in rule.head.arguments
                for node in tree.within(term)
                if isinstance(node, tree.Calculation) and node.operator is tree.Arithmetic.OVER
            ]
            if not quotients or number not in work.streams:
                continue
            what = f"whether the head of `{rule.head.name}` divides by 0"
            with work.undecided("head-without-value", rule.head.span, what):
                _check_quotients(work, rule, quotients)


def _check_quotients(work: Work, rule: tree.Rule, quotients: Sequence[tree.Calculation]) -> None:
    def question(unfolding: Unfolding) -> Sequence[Formula]:
        unfolding.pattern(rule.body)
        divided: list[Formula] = []
        for quotient in quotients:
            dividend, divisor = unfolding.scope.term(quotient.left), unfolding.scope.term(quotient.right)
            numbers = terms.both(dividend.exists, divisor.exists, dividend.is_number, divisor.is_number)
            divided.append(terms.both(numbers, terms.equal(divisor.number, terms.rational(0))))
        return (terms.either(*divided),)

    def replayed(events: Sequence[Event]) -> bool:
        derived_by_probes = work.derive((probe(rule.body), rule), events)
        return derived_by_probes is not None and bool(derived_by_probes[0]) and not derived_by_probes[1]

    stream = work.any_stream(question, replayed)
    if stream is not None:
        work.collector.find(
            "head-without-value",
            rule.head.span,
            f"`{pattern_text(rule.head)}` may have no value: then the rule does not happen though its body does",
            rule=work.called(rule),
            reason=[f"on {stream_text(stream)} it divides by 0"],
            hint="say after WHERE that the divisor is not 0, if that is meant",
            evidence={"trace": trace(stream)},
        )
