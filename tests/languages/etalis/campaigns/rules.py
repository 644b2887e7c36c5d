"""`parte check` on wild programs of ETALIS: each claim against the definition and the machine, on random streams."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from parte.checker.report.contents import Finding, Guarantee, Report
from parte.checker.report.json_form import report_to_json
from parte.checker.report.text import render
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.verdict import Verdict
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import Effort, TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.checker.check import check
from parte.languages.etalis.checker.replay import machine
from parte.languages.etalis.checker.unfolding import needed
from parte.languages.etalis.conformance.drawing import HEADS, Shape, drawn_items, drawn_options, drawn_program
from parte.languages.etalis.conformance.generation import GENERATION, Case
from parte.languages.etalis.semantics.machine import Machine, TooManyEvents
from parte.languages.etalis.semantics.nodes import Joined, Negated
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.printer import pattern_text
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream
from parte.languages.etalis.semantics.syntax.values import Number, NumberTooLarge, value_from_json
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken

TIMEOUT = 2.0
"""Seconds for one question."""

OVERRUN = 60.0
"""A check that takes longer hangs."""

EFFORT = 60_000
"""Of the definition on one stream."""

_SHAPES = (
    *[Shape(options=True, recursion=False)] * 3,
    *[Shape(), Shape(depth=1, rules=4, moments=False)] * 2,
    Shape(depth=3, rules=2, options=True, recursion=False),
    Shape(arguments=False, negations=False, options=True, recursion=False),
    Shape(arguments=False, operators=(tree.Operator.SEQ, tree.Operator.OR), moments=False),
)


class Rules:
    """The campaign."""

    name = "rules"

    def __init__(self, *, streams: int = 30) -> None:
        self._streams = streams

    def draw(self, source: random.Random) -> Case:
        """A program, with options, and a stream; one in six has recursion that calculates."""
        draw = Seeded(source)
        if source.random() < 1 / 6:
            program = drawn_recursion(source)
            return Case(program, drawn_items(draw, program, 4))
        shape = source.choice(_SHAPES)
        program = drawn_program(draw, shape)
        options = drawn_options(draw, program) if shape.options else ()
        return Case(program, drawn_items(draw, program, 8), options)

    def smaller(self, case: Case) -> Iterator[Case]:
        """The case as fuzzing makes it smaller."""
        yield from smaller(GENERATION, case)

    def show(self, case: Case) -> str:
        """The program, the options and the stream."""
        return f"{case.text}{dict(case.options)}\n" + "\n".join(case.lines) + "\n"

    def attack(self, case: Case, counts: Counter[str]) -> None:
        """Check the program, and hold what is said against streams."""
        readings = dict(case.options)
        policy = readings.pop("policy", "unrestricted")
        subject = Asked(parse(case.text), policy, Readings(**readings))
        started = time.perf_counter()
        report = check(case.text, TIMEOUT, subject.policy, subject.readings)
        if time.perf_counter() - started > OVERRUN:
            raise Broken("a check takes longer than it may", f"{time.perf_counter() - started:.1f} s")
        json.dumps(report_to_json(report))
        render(report, verbose=True)
        for guarantee in report.guarantees:
            counts[f"{guarantee.name}: {guarantee.verdict.value}"] += 1
        for finding in report.findings:
            counts[f"{finding.code}: {finding.verdict.value}"] += 1
            if finding.verdict is Verdict.NOT_PROVED:
                counts[f"open because {finding.reason[0]}"] += 1
        replayed(subject, report, counts)
        rng = random.Random(case.text)
        items = [
            case.items,
            *(drawn_items(Seeded(rng), subject.program, rng.choice((5, 9, 14))) for _ in range(self._streams)),
        ]
        ending = all(guarantee.verdict is Verdict.PROVED for guarantee in report.guarantees if guarantee.name == "ends")
        for trace_items in items if ending else items[:3]:
            instants = stream(subject.program, Case(subject.program, trace_items).lines)
            claims(subject, report, instants, counts)
            bounds(subject, report, instants, counts)


_MADE = ("X", "X + 1", "X - 1", "X * 2", "X / 2", "X * X", "Y", "X + Y", "X > 1")
_BODIES = (
    *("n(X)", "m(X)", "n(X) AND a(Y)", "n(X) AND m(X)", "n(X) MEETS a(Y)", "n(X) EQUALS m(Y)", "n(X) OR m(X)"),
    *("n(X) SEQ a(Y)", "a(Y) DURING n(X)", "n(X) STARTS m(Y)", "(n(X)).2", "NOT(n(Z)).[n(X), m(Y)]", "n(X) PAR m(Y)"),
)
_GUARDS = ("", "", " WHERE X < 3", " WHERE X > -2", " WHERE X != 1", " WHERE X < 3 WHERE X > -2", " WHERE X * 2 <= 7")


def drawn_recursion(source: random.Random) -> tree.Program:
    """Rules for two names that look for each other, with arithmetic."""
    while True:
        rules = ["n(X) <- a(X)."]
        for _ in range(source.randint(1, 3)):
            name, arguments, body = source.choice("nm"), source.choice(_MADE), source.choice(_BODIES)
            rules.append(f"{name}({arguments}) <- {body}{source.choice(_GUARDS)}.")
        try:
            return parse("\n".join(rules))
        except ProgramError:
            continue


class Asked:
    """A program as it is run."""

    def __init__(self, program: tree.Program, policy: str, readings: Readings) -> None:
        self.program, self.policy, self.readings = program, policy, readings

    def machine(self, seconds: float = 0.5) -> Machine:
        """The machine for it; Undecided when it takes longer."""
        return machine(self.program, self.policy, self.readings, Clock(seconds))

    def said(self, program: tree.Program, instants: Sequence[Instant], policy: str) -> list[IntervalEvent] | None:
        """What the definition says; None if it says nothing, for there is no end or it is too much."""
        try:
            return evaluate(program, instants, self.readings, policy, Effort(EFFORT))
        except (fixpoint.TooManyEvents, NumberTooLarge, TooManyFindings, Recursive):
            return None

    def derived_by(self, rule: tree.Rule, instants: Sequence[Instant], policy: str) -> list[IntervalEvent] | None:
        """What a rule makes on a stream, beside those of the program."""
        renamed = replace(rule, head=replace(rule.head, name="made"))
        events = self.said(replace(self.program, rules=(*self.program.rules, renamed)), instants, policy)
        return None if events is None else [event for event in events if event.name == "made"]

    def matches_of(self, pattern: tree.Pattern, instants: Sequence[Instant]) -> list[IntervalEvent] | None:
        """What a pattern finds, with the values of its variables."""
        head = tree.EventPattern("made", tuple(map(tree.Variable, sorted(tree.bound(pattern)))))
        return self.derived_by(tree.Rule(head, pattern), instants, "unrestricted")

    def rule_of(self, called: str | None) -> tree.Rule:
        """The rule that a report names so, where each has a line of its own."""
        line = int(str(called).rpartition(" ")[2])
        return next(rule for rule in self.program.rules if rule.span.start.line == line)


# --- Claims about all streams -----------------------------------------------------------------------------------------


def claims(subject: Asked, report: Report, instants: Sequence[Instant], counts: Counter[str]) -> None:
    """Nothing that the report says of all streams is contradicted by one."""
    counts["streams"] += 1
    derived = {rule.head.name for rule in subject.program.rules}
    plain = not any(name in derived for instant in instants for name, _ in instant.atoms)
    for finding in report.findings:
        if finding.verdict is Verdict.NOT_PROVED:
            continue
        match finding.code:
            case "unsatisfiable-rule":
                if subject.derived_by(subject.rule_of(finding.rule), instants, subject.policy):
                    raise Broken("a rule that never happens does", str(finding.rule))
            case "derived-events-needed":
                if plain and subject.derived_by(subject.rule_of(finding.rule), instants, subject.policy):
                    raise Broken("a rule happens without the events that it needs", str(finding.rule))
            case "unsatisfiable-part":
                part = next(
                    negation
                    for negation in _parts(subject, finding)
                    if pattern_text(negation) == finding.evidence["part"]
                )
                if subject.matches_of(part, instants):
                    raise Broken("nothing fits a part, but something does", str(finding.evidence["part"]))
            case "useless-condition" | "useless-length" | "useless-negation" | "useless-branch":
                _same_without(subject, finding, instants)
            case "useless-rule":
                number = cast(int, finding.evidence["rule"])
                rest = subject.program.rules[:number] + subject.program.rules[number + 1 :]
                whole = subject.said(subject.program, instants, "unrestricted")
                without = subject.said(replace(subject.program, rules=rest), instants, "unrestricted")
                if whole is not None and without is not None and whole != without:
                    raise Broken("a useless rule makes something", str(number))
    ends = next(guarantee for guarantee in report.guarantees if guarantee.name == "ends")
    if ends.verdict is Verdict.PROVED:
        try:
            list(subject.machine().run(instants))
        except (NumberTooLarge, Undecided) as error:
            counts[f"a run that ends with {type(error).__name__}"] += 1
        except TooManyEvents as error:
            if len(instants) < 4:
                raise Broken("what happens comes to an end, but it does not", str(error)) from error
            counts["too many events though they end"] += 1


def _parts(subject: Asked, finding: Finding) -> Iterator[tree.Pattern]:
    return (node for node in tree.within(subject.rule_of(finding.rule).body) if not isinstance(node, tree.Term))


def _same_without(subject: Asked, finding: Finding, instants: Sequence[Instant]) -> None:
    without = parse(str(finding.evidence["without"])).rules[0]
    rule = subject.rule_of(finding.rule)
    both = [subject.derived_by(rule, instants, "unrestricted") for rule in (rule, without)]
    if None not in both and both[0] != both[1]:
        raise Broken(f"{finding.code}, but it counts", str(finding.evidence["without"]))


# --- What is kept -----------------------------------------------------------------------------------------------------


def bounds(subject: Asked, report: Report, instants: Sequence[Instant], counts: Counter[str]) -> None:
    """What the machine keeps after each instant is within what is said."""
    guarantees = [
        guarantee
        for guarantee in report.guarantees
        if guarantee.name == "bounded-space" and guarantee.verdict is Verdict.PROVED
    ]
    running = subject.machine()
    try:
        for instant in instants:
            running.instant(instant)
            for guarantee in guarantees:
                within(guarantee, running, instant.time, counts)
    except (TooManyEvents, NumberTooLarge, Undecided):
        return


def within(guarantee: Guarantee, running: Machine, now: Number, counts: Counter[str]) -> None:
    """What a machine keeps of one operand is within the bound."""
    evidence: Any = guarantee.evidence
    groups = list(goals(running, evidence))
    most = None if evidence["lasting at most"] is None else _number(evidence["lasting at most"])
    if evidence.get("nothing") and groups:
        raise Broken("what is never kept is kept", guarantee.rule or "")
    age = evidence["forgotten after"]
    for starts, ends in groups:
        counts["goals looked at"] += len(ends)
        if most is not None and any(end - start > most for start, end in zip(starts, ends, strict=True)):
            raise Broken("a goal lasts longer than is said", guarantee.rule or "")
        if age is not None and any(now - end >= _number(age) for end in ends):
            raise Broken("a goal is kept longer than is said", guarantee.rule or "")
        if evidence["only the last"]:
            slack = evidence["and what ended before it by"]
            if len(ends) > 1 and (slack is None or sum(end < ends[-1] - _number(slack) for end in ends) > 1):
                raise Broken("more goals are kept than is said", guarantee.rule or "")
    if not evidence["for each"] and evidence["only the last"] and len(groups) > 1:
        raise Broken("goals are kept for more values than is said", guarantee.rule or "")


def goals(running: Machine, evidence: Any) -> Iterator[tuple[Sequence[Number], Sequence[Number]]]:
    """The goals of an operand, those together that agree on values: beginnings and ends."""
    node = running.nodes[evidence["node"]]
    groups: Iterable[Any] = ()
    if isinstance(node, Negated):
        groups = node.blocks.values() if evidence["absent"] else node.store.goals.values()
    elif isinstance(node, Joined):
        groups = node.stores[evidence["side"]].goals.values()
    yield from ((group.starts, group.ends) for group in groups)


def _number(encoded: object) -> Number:
    value = value_from_json(cast(str, encoded))
    assert isinstance(value, int | Fraction)
    return value


# --- Evidence ---------------------------------------------------------------------------------------------------------


def stream_in(subject: Asked, evidence: Any) -> list[Instant]:
    """The trace of evidence, read as any trace is."""
    return stream(subject.program, [json.dumps(line) for line in evidence["trace"]])


def replayed(subject: Asked, report: Report, counts: Counter[str]) -> None:
    """Evidence shows what it is evidence of."""
    for guarantee in report.guarantees:
        evidence: Any = guarantee.evidence
        if guarantee.name == "can-happen" and guarantee.verdict is Verdict.PROVED:
            counts["replayed"] += 1
            instants = stream_in(subject, evidence)
            derived = subject.derived_by(subject.rule_of(guarantee.rule), instants, subject.policy)
            if derived is not None and not derived:
                raise Broken("evidence on which a rule does not happen", str(guarantee.rule))
            if any(name in HEADS for instant in instants for name, _ in instant.atoms):
                counts["evidence with derived names"] += 1
        for part in evidence.get("counting", ()):
            counts["replayed"] += 1
            if "rule" in part:
                rest = tuple(rule for number, rule in enumerate(subject.program.rules) if number != part["rule"])
                both = [
                    subject.said(program, stream_in(subject, part), "unrestricted")
                    for program in (subject.program, replace(subject.program, rules=rest))
                ]
                if None not in both and both[0] == both[1]:
                    raise Broken("a rule that is said to count does not", part["part"])
    for finding in report.findings:
        if "trace" in finding.evidence:
            counts["replayed"] += 1
            _shows(subject, finding)


def _shows(subject: Asked, finding: Finding) -> None:
    evidence: Any = finding.evidence
    instants = stream_in(subject, evidence)
    match finding.code:
        case "derived-events-needed":
            derived = subject.derived_by(subject.rule_of(finding.rule), instants, subject.policy)
            if derived is not None and not derived:
                raise Broken("evidence on which a rule does not happen", str(finding.rule))
        case "head-without-value":
            rule = subject.rule_of(finding.rule)
            if subject.derived_by(rule, instants, "unrestricted") or subject.matches_of(rule.body, instants) == []:
                raise Broken("evidence on which a head has a value", str(finding.rule))
        case "endless-recursion" | "long-recursion":
            try:
                list(subject.machine(OVERRUN).run(instants))
            except (TooManyEvents, NumberTooLarge):
                return
            raise Broken("evidence of a run without end that ends", str(finding.rule))
        case "unbounded-goals":
            running = subject.machine(OVERRUN)
            for instant in instants:
                running.instant(instant)
            count = sum(len(ends) for _, ends in goals(running, evidence))
            first = evidence["replayed"][0]
            if count != first["found"] or count < first["n"]:
                raise Broken("evidence over which something else is kept", f"{count}")


# --- How near to the bounds -------------------------------------------------------------------------------------------


def climbed(text: str, policy: str, *, seed: int, streams: int, length: int = 60) -> tuple[Number, int]:
    """How old the oldest goal is that a machine keeps after an instant, of operands that are forgotten with age, and
    how many of one are kept at once, on streams as dense as tenths: each of them is within its bound."""
    subject = Asked(parse(text), policy, Readings())
    report = check(text, TIMEOUT, policy)
    bounded = [
        guarantee
        for guarantee in report.guarantees
        if guarantee.name == "bounded-space" and cast(Any, guarantee.evidence)["forgotten after"] not in (None, 0)
    ]
    source = random.Random(f"{text} {policy} {seed}")
    names = sorted({name for rule in subject.program.rules for name in needed(rule.body)})
    oldest: Number = 0
    most = 0
    for _ in range(streams):
        running, now, gap = subject.machine(), Fraction(0), source.choice((1, 2, 5, 20))
        for _ in range(length):
            now += Fraction(source.randint(1, gap), 10)
            running.instant(Instant(now, frozenset({(source.choice(names), ())})))
            for guarantee in bounded:
                within(guarantee, running, now, Counter())
                for _, ends in goals(running, guarantee.evidence):
                    oldest, most = max(oldest, *(now - end for end in ends)), max(most, len(ends))
    return oldest, most
