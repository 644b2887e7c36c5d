"""A check that the events of one instant come to an end (specification: etalis-ends)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import floor

from parte.checker.solver import terms
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Status
from parte.checker.solver.terms import Formula
from parte.checker.solver.terms import Number as Real
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.patterns import Effort, TooManyFindings
from parte.languages.etalis.checker.positions import Step, endless, through_negations
from parte.languages.etalis.checker.replay import Event, instants_of, machine, stream_text, trace
from parte.languages.etalis.checker.unfolding import Scope, Unfolding, slice_of
from parte.languages.etalis.checker.values import Values, strings_in
from parte.languages.etalis.checker.work import Work, events_in
from parte.languages.etalis.semantics.machine import MOST, TooManyEvents
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text, rule_text
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge

PLAIN = (2, 3, Fraction(1, 2), -2, 0, 1, 10)
"""Values to start recursion with, besides those of the solver."""
FAR = 10**6
"""Values beyond this are usually far from the constants of a program."""


def check_ends(work: Work) -> None:
    """Report recursion that calculates new values without end at one instant."""
    with work.deciding("ends") as decision:
        cycles = endless(work.program)
        if not cycles:
            recursive = any(True for _ in _recursive(work.program))
            if recursive:
                decision.detail = "recursion makes no new values of those with the same interval"
            return
        bounds = []
        for cycle in cycles:
            rule = next(step.rule for step in cycle if step.calculates)
            with work.undecided(
                "endless-recursion", rule.head.span, f"whether the rules for `{rule.head.name}` come to an end"
            ):
                bound = _check(work, cycle)
                if bound:
                    bounds.append(bound)
        decision.detail = "; ".join(bounds)


def _recursive(program: tree.Program) -> Iterator[str]:
    for rule in program.rules:
        below = slice_of(program, (rule.body,))
        if any(needed.head.name == rule.head.name for needed in below.rules):
            yield rule.head.name


def _check(work: Work, cycle: Sequence[Step]) -> str:
    """Report a stream on which a cycle continues, or prove that it ends, and return the bound in words."""
    clock = Clock(2 * work.timeout)
    undecided = ""
    for far in (False, True):
        for identity in dict.fromkeys(id(step.rule) for step in cycle if step.calculates):
            calculating = next(step.rule for step in cycle if id(step.rule) == identity)
            for stream in _streams(work, cycle, calculating, far):
                clock.tick(1)
                try:
                    goes_on = runs_on(work, stream)
                except Undecided as problem:
                    undecided = str(problem)
                    continue
                if goes_on:
                    _endless(work, calculating, stream, far)
                    return ""
    steps = bounded_steps(work, cycle)
    if steps is None:
        raise Undecided(undecided or "no stream was found on which it goes on, and nothing that bounds it")
    names = ", ".join(f"`{name}`" for name in sorted({step.target[0] for step in cycle}))
    return f"values of {names} change at most {steps} times"


def _endless(work: Work, rule: tree.Rule, stream: Sequence[Event], far: bool) -> None:
    names = sorted({f"`{name}`" for name, _, _ in stream})
    work.collector.find(
        "long-recursion" if far else "endless-recursion",
        rule.head.span,
        f"`{rule_text(rule)}` may make more events at one instant than a run can have",
        rule=work.called(rule),
        reason=[
            f"on {stream_text(stream)[:200]} more than {MOST} events follow, or a number grows too large"
            + (f": for values of {', '.join(names)} that are far from what is compared" if far else "")
        ],
        hint="let what recurs come later, as in `s(X + Y) <- s(X) SEQ a(Y)`, or bound values from both sides",
        evidence={"trace": trace(stream)},
    )


# --- Streams ----------------------------------------------------------------------------------------------------------


def _streams(work: Work, cycle: Sequence[Step], rule: tree.Rule, far: bool) -> Iterator[tuple[Event, ...]]:
    """Yield streams on which a rule of a cycle happens, starting from several values. Raise Undecided if the solver
    does not decide."""
    variables = dict.fromkeys(step.variable for step in cycle if step.rule is rule and step.calculates)
    unfolding = Unfolding(work.closed)
    unfolding.pattern(rule.body)
    head = unfolding.head(rule)
    flat = terms.negated(unfolding.deep)
    with work.session.scope(*unfolding.definitions, head, flat):
        for variable in variables:
            value = unfolding.scope.term(tree.Variable(variable))
            for beginning in _beginnings(far, value.number):
                wanted = terms.both(value.is_number, beginning)
                answer = work.session.ask("where recursion begins", wanted)
                if answer.status is Status.UNKNOWN:
                    raise Undecided("the solver did not decide")
                events = None if answer.model is None else events_in(unfolding, answer.model)
                if events:
                    yield events


def _beginnings(far: bool, value: Real) -> Iterator[Formula]:
    """Yield the conditions on the value with which recursion starts."""
    if far:
        yield terms.at_most(terms.rational(FAR), value)
        yield terms.at_most(value, terms.rational(-FAR))
        return
    for plain in PLAIN:
        yield terms.equal(value, terms.rational(plain))
    yield terms.TRUE


def runs_on(work: Work, stream: Sequence[Event]) -> bool:
    """Return whether a run ends with too many events, or too large a number: a run of the machine, and steps of the
    definition."""
    running = machine(work.program, work.policy, work.readings, work.moment())
    try:
        for _ in running.run(instants_of(stream)):
            pass
    except (TooManyEvents, NumberTooLarge):
        return _defined(work, stream)
    return False


def _defined(work: Work, stream: Sequence[Event]) -> bool:
    """Return whether the definition derives as many events, step by step from the last ones: with more events there
    would be no fewer, except with negations."""
    negated = any(isinstance(node, tree.Negation) for rule in work.program.rules for node in tree.within(rule.body))
    if negated or work.policy != "unrestricted":
        return True
    in_stream = fixpoint.of_stream(instants_of(stream))
    first: set[IntervalEvent] = set(in_stream)
    effort = Effort()
    latest, everything = set(in_stream), set(in_stream)
    try:
        for turn in range(2 * MOST):
            events = fixpoint.interpretation(first | latest)
            latest = set(fixpoint.derived(work.program, events, work.readings, effort)) - everything
            if not latest:  # it takes two older events
                events = fixpoint.interpretation(everything)
                latest = set(fixpoint.derived(work.program, events, work.readings, effort)) - everything
            everything |= latest
            if turn < 3:
                first |= latest
            if not latest:
                raise CheckerBug("the machine goes on for ever where the definition does not")
            if len(everything) - len(in_stream) > MOST:
                return True
    except (NumberTooLarge, TooManyFindings):
        return True
    return True


# --- Bounds -----------------------------------------------------------------------------------------------------------


def bounded_steps(work: Work, cycle: Sequence[Step]) -> int | None:
    """Return how often values of a cycle change at most: each time by a least amount in one direction, between two
    bounds from conditions. None if that is unknown."""
    calculating = [step for step in cycle if step.calculates]
    constants = sorted({constant for step in calculating for constant in _constants(step.rule)})
    lows = [constant for constant in constants if _always(work, calculating, _above(constant))]
    highs = [constant for constant in constants if _always(work, calculating, _below(constant))]
    if not lows or not highs:
        return None
    changes = sorted(
        {Fraction(1), Fraction(1, 100), *(abs(constant) for constant in constants if constant)}, reverse=True
    )
    for change in changes:
        if _always(work, calculating, _rising(change)) or _always(work, calculating, _falling(change)):
            return floor((max(lows[-1], highs[0]) - lows[-1]) / change) + 1
    return None


Claim = Callable[[Real, Real], Formula]
"""A claim about a value, and the value that is calculated from it."""


def _above(bound: Fraction) -> Claim:
    return lambda value, _: terms.at_most(terms.rational(bound), value)


def _below(bound: Fraction) -> Claim:
    return lambda value, _: terms.at_most(value, terms.rational(bound))


def _rising(change: Fraction) -> Claim:
    return lambda value, result: terms.at_most(terms.plus(value, terms.rational(change)), result)


def _falling(change: Fraction) -> Claim:
    return lambda value, result: terms.at_most(result, terms.minus(value, terms.rational(change)))


def _always(work: Work, steps: Sequence[Step], claim: Claim) -> bool:
    """Return whether a claim is certainly true of steps, whenever the conditions of their rules are true."""
    for step in steps:
        scope = Scope(Values(strings_in(work.program)))
        value, result = scope.term(tree.Variable(step.variable)), scope.term(step.term)
        holding = [scope.term(condition).is_true for condition in conditions(step.rule.body)]
        assumed = [value.is_number, result.exists, result.is_number, *holding]
        fails = terms.negated(claim(value.number, result.number))
        with work.session.scope(*scope.values.definitions, *assumed, fails):
            if work.session.ask("a step of recursion").status is not Status.UNSATISFIABLE:
                return False
    return True


def _constants(rule: tree.Rule) -> Iterator[Fraction]:
    """Yield the numbers that a rule mentions."""
    for part in (rule.head, rule.body):
        for node in tree.within(part):
            if isinstance(node, tree.Constant) and isinstance(node.value, int | Fraction):
                yield Fraction(node.value)


def conditions(pattern: tree.Pattern) -> Iterator[tree.Term]:
    """Yield the conditions that are true whenever a pattern happens."""
    match pattern:
        case tree.Where(operand=operand, condition=condition):
            yield condition
            yield from conditions(operand)
        case tree.Lasting(operand=operand):
            yield from conditions(operand)
        case tree.Negation(first=first, last=last):
            yield from conditions(first)
            yield from conditions(last)
        case tree.Joined(operator=operator, left=left, right=right) if operator is not tree.Operator.OR:
            yield from conditions(left)
            yield from conditions(right)


# --- Negations --------------------------------------------------------------------------------------------------------


def check_negations(work: Work) -> None:
    """Report recursion through negations, which is allowed."""
    with work.deciding("plain-negations"):
        for rule, negation, name in through_negations(work.program):
            work.collector.find(
                "recursive-negation",
                negation.span,
                f"`{rule.head.name}` asks for the absence of `{name}`, which it has a part in",
                rule=work.called(rule),
                reason=[
                    f"that is allowed: what is absent between `{pattern_text(negation.first)}` and "
                    f"`{pattern_text(negation.last)}` is shorter than what the rule makes of them, and shorter events "
                    "are decided first"
                ],
            )
