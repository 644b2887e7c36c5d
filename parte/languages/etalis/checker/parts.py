"""Checks that parts of rules count: conditions, lengths, negations, sides of OR, whole rules (specification:
etalis-parts-count). A part that is reported as useless changes nothing on any stream, without a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parte.checker.report.collecting import Decision
from parte.checker.report.contents import Json
from parte.checker.solver import terms
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.terms import Formula
from parte.languages.etalis.algebra.fixpoint import of_stream
from parte.languages.etalis.checker.containment import contained, covered, failing
from parte.languages.etalis.checker.replay import Event, certain, derived, instants_of, probe, trace
from parte.languages.etalis.checker.satisfiability import making
from parte.languages.etalis.checker.unfolding import Unfolding, slice_of
from parte.languages.etalis.checker.work import Confirmation, Question, Work
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text, rule_text, term_text
from parte.languages.etalis.semantics.syntax.values import text_of
from parte.semantics.source.spans import Span

MOST_PARTS = 100
"""The greatest number of parts of a program to examine."""
PARTS = 5
"""The time for all parts together, as a multiple of the timeout of one question."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that may change nothing: the code, its name and place; the question whether it counts, and whether a
    stream confirms this; the text of the rule without it."""

    code: str
    name: str
    span: Span
    rule: tree.Rule
    question: Question
    confirms: Confirmation
    without: str


def check_parts_count(work: Work) -> None:
    """Report the parts that can be left out, each by itself, and show that the others count."""
    counting: list[Json] = []
    clock = Clock(PARTS * max(work.timeout, 0.001))
    with work.deciding("every-part-counts") as decision:
        number = 0
        for rule in work.program.rules:
            for part in _parts(work, rule):
                with work.undecided(part.code, part.span, f"whether {part.name} counts"):
                    number += 1
                    if number > MOST_PARTS:
                        raise Undecided(f"no more than {MOST_PARTS} parts are asked about")
                    clock.tick(1)
                    _check(work, part, counting)
        _check_whole_rules(work, counting)
        _counted(decision, counting)


def _check(work: Work, part: Part, counting: list[Json]) -> None:
    stream = work.any_stream(part.question, part.confirms)
    if stream is not None:
        counting.append({"part": part.name, "without": part.without, "trace": trace(stream)})
        return
    _useless(work, part.code, part.span, part.rule, part.name, part.without)


def _useless(work: Work, code: str, span: Span, rule: tree.Rule, name: str, without: str) -> None:
    work.collector.find(
        code,
        span,
        f"{name} changes nothing: on every stream the rule makes the same without it",
        rule=work.called(rule),
        hint="leave it out",
        evidence={"without": without},
    )


def _counted(decision: Decision, counting: list[Json]) -> None:
    if counting:
        decision.detail = f"{len(counting)} shown to count by a stream each"
        decision.evidence["counting"] = counting


# --- Parts of patterns ------------------------------------------------------------------------------------------------


def _parts(work: Work, rule: tree.Rule) -> Iterator[Part]:
    """Yield the parts of a rule that could be left out, outer ones first, except those that nothing ever fits."""
    if id(rule) in work.dead:
        return
    for node in tree.within(rule.body):
        match node:
            case tree.Where(operand=operand, condition=condition):
                name = f"`WHERE {term_text(condition)}`"
                confirms = work.differ(probe(node), probe(operand))
                without = _without(rule, node, operand)
                yield Part("useless-condition", name, condition.span, rule, failing(operand, node), confirms, without)
            case tree.Lasting(operand=operand, length=length):
                confirms = work.differ(probe(node), probe(operand))
                without = _without(rule, node, operand)
                question = failing(operand, node)
                yield Part(
                    "useless-length", f"the length `.{text_of(length)}`", node.span, rule, question, confirms, without
                )
            case tree.Negation(absent=absent, first=first, last=last):
                if id(absent) in work.dead:
                    continue
                plain = tree.Joined(first, tree.Operator.SEQ, last)
                name = f"`NOT({pattern_text(absent)})`"
                confirms = work.differ(probe(node), probe(plain))
                without = _without(rule, node, plain)
                yield Part("useless-negation", name, node.span, rule, _between(node), confirms, without)
                yield from _sides(work, rule, node, absent)
    yield from _sides(work, rule, None, rule.body)


def _without(rule: tree.Rule, node: tree.Pattern, replacement: tree.Pattern) -> str:
    return rule_text(replace(rule, body=tree.TREE.exchanged(rule.body, node, replacement)))


def _between(node: tree.Negation) -> Question:
    """Return the question whether an absent event can be between the ends of a negation."""

    def question(unfolding: Unfolding) -> Sequence[Formula]:
        _, after = unfolding.pattern(node.first)
        before, _ = unfolding.pattern(node.last)
        start, end = unfolding.pattern(node.absent)
        return terms.below(after, start), terms.below(end, before)

    return question


def _sides(work: Work, rule: tree.Rule, within: tree.Negation | None, pattern: tree.Pattern) -> Iterator[Part]:
    """Yield the sides of OR in the body of a rule, or in an absent part of it; not those in absent parts of that
    part."""
    for node in _plain(pattern):
        if isinstance(node, tree.Joined) and node.operator is tree.Operator.OR:
            for side, opposite in ((node.right, node.left), (node.left, node.right)):
                if id(side) in work.dead or (side is node.left and contained(work, node.right, node.left)):
                    continue
                yield _side(work, rule, within, node, side, opposite)


def _plain(pattern: tree.Pattern) -> Iterator[tree.Pattern]:
    """Yield a pattern and its parts, without absent parts."""
    yield pattern
    for part in (pattern.first, pattern.last) if isinstance(pattern, tree.Negation) else tree.PATTERNS.parts(pattern):
        yield from _plain(part)


def _side(
    work: Work,
    rule: tree.Rule,
    within: tree.Negation | None,
    node: tree.Joined,
    side: tree.Pattern,
    opposite: tree.Pattern,
) -> Part:
    base = making(rule) if within is None else _between(within)
    itself = node is rule.body and side == rule.head
    hopeless = itself or contained(work, side, opposite)

    def question(unfolding: Unfolding) -> Sequence[Formula]:
        return [*base(unfolding), terms.FALSE if hopeless else unfolding.sides[id(side)]]

    if within is None:
        original, variant = rule, replace(rule, body=tree.TREE.exchanged(rule.body, node, opposite))
    else:
        original = probe(within)
        variant = replace(original, body=replace(within, absent=tree.TREE.exchanged(within.absent, node, opposite)))
    name = f"the side `{pattern_text(side)}` of OR"
    confirms = work.differ(original, variant)
    if within is None and rule.head.name in {needed.head.name for needed in slice_of(work.program, (rule.body,)).rules}:
        place = next(place for place, candidate in enumerate(work.program.rules) if candidate is rule)

        def confirms(events: Sequence[Event]) -> bool:
            return _changed(work, place, (variant,), events)

    return Part("useless-branch", name, side.span, rule, question, confirms, _without(rule, node, opposite))


# --- Whole rules ------------------------------------------------------------------------------------------------------


def _check_whole_rules(work: Work, counting: list[Json]) -> None:
    """Report rules that derive nothing that another rule for the same name does not derive."""
    useless: set[int] = set()
    for number, rule in enumerate(work.program.rules):
        rivals = [
            candidate
            for place, candidate in enumerate(work.program.rules)
            if place != number and place not in useless and candidate.head.name == rule.head.name
        ]
        if not rivals or number not in work.streams:
            continue
        name = f"the rule for `{rule.head.name}`"
        with work.undecided("useless-rule", rule.head.span, f"whether {name} makes anything that no other makes"):
            above = next((rival for rival in rivals if covered(work, rule, rival)), None)
            if above is not None:
                useless.add(number)
                work.collector.find(
                    "useless-rule",
                    rule.head.span,
                    f"all that {name} makes, the one in line {above.span.start.line} makes too",
                    rule=work.called(rule),
                    hint="leave it out",
                    places=[(above.head.span, "this one")],
                    evidence={"rule": number},
                )
            elif not _changed(work, number, (), work.streams[number]):
                raise Undecided("on the streams that were tried other rules make the same")
            else:
                counting.append({"part": name, "rule": number, "trace": trace(work.streams[number])})


def _changed(work: Work, number: int, others: Sequence[tree.Rule], stream: Sequence[Event]) -> bool:
    """Return whether, on a stream, the program derives other events with other rules in place of one."""
    rules = work.program.rules
    instants = instants_of(stream)
    rest = derived(
        replace(work.program, rules=(*rules[:number], *others, *rules[number + 1 :])),
        instants,
        "unrestricted",
        work.readings,
        work.moment(),
    )
    whole = derived(work.program, instants, "unrestricted", work.readings, work.moment())
    if rest is None:
        return False
    if whole is None:
        return not certain(work.program, instants, work.readings) <= {*rest, *of_stream(instants)}
    return whole != rest
