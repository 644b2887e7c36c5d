"""Programs of ETALIS: the machine under every policy and reading against definition and equation, and what E says of
all programs: what ends at an instant depends on the stream up to it, a policy finds nothing more where nothing is
absent, and another unit of time changes nothing else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product

from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import Effort, TooManyFindings
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.conformance.drawing import VALUES, Shape, drawn_items, drawn_program, is_recursive
from parte.languages.etalis.conformance.generation import GENERATION, Case
from parte.languages.etalis.running import CHOSEN, POLICY, machine_of
from parte.languages.etalis.semantics.machine import TooManyEvents
from parte.languages.etalis.semantics.published.machine import POLICIES as PRINTED
from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.terms import PrologError
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.json_form import CODEC, program_to_json
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream
from parte.languages.etalis.semantics.syntax.values import Number, NumberTooLarge, Truth, Value, number
from tests.campaigns.running import Broken

EFFORT = 20_000
"""Of the definition for one answer: what is endless, or nearly so, is left out."""

WILD_VALUES: tuple[Value, ...] = (
    *(10**40, -(10**40), Fraction(1, 10**30 + 57), Fraction(-7, 3), 2**63, 0, 1),
    *("", 'ü\n"\\', "true", "1/2x", "a", Truth.FALSE, Truth.TRUE),
)
UNITS: tuple[Number, ...] = (Fraction(1, 3), Fraction(10**9 + 7, 10**12 + 39), 10**15, Fraction(1, 10**20))
SHAPES = (
    *(Shape(rules=6, depth=1, events=14), Shape(rules=2, depth=3, events=14)),
    Shape(rules=5, depth=1, moments=False, arguments=False, operators=(tree.Operator.SEQ, tree.Operator.OR), events=12),
    Shape(rules=5, recursion=False, events=12),
)
Answer = list[IntervalEvent] | str


@dataclass(frozen=True, slots=True)
class Asked:
    """A case, after which instant the stream is cut and under which policy, and another unit of time."""

    case: Case
    cut: int
    policy: str
    unit: Number


class Etalis:
    """The campaign."""

    name = "etalis"

    def draw(self, source: random.Random) -> Asked:
        """A case of a menu of the kit or of a wilder shape, some with wilder values, names and times."""
        draw = Seeded(source)
        if source.random() < 0.6:
            case = GENERATION.drawn(draw)
        else:
            shape = source.choice(SHAPES)
            program = drawn_program(draw, shape)
            case = Case(program, drawn_items(draw, program, shape.events))
        for change, share in _CHANGES:
            if source.random() < share:
                case = change(case, source)
        cut, policy, unit = source.randint(1, 1 + len(case.items)), source.choice(CHOSEN[POLICY]), source.choice(UNITS)
        return Asked(replace(case, settings=()), cut, policy, unit)

    def smaller(self, case: Asked) -> Iterator[Asked]:
        """The case as fuzzing makes it smaller."""
        yield from (replace(case, case=reduced) for reduced in smaller(GENERATION, case.case))

    def show(self, case: Asked) -> str:
        """The program and the stream, and what else was asked."""
        return f"% cut after instant {case.cut} under {case.policy}; unit {case.unit}\n{case.case.text}" + "".join(
            f"{line}\n" for line in case.case.lines
        )

    def attack(self, case: Asked, counts: Counter[str]) -> None:
        """Print and read; then every answer against the other that there is."""
        program = case.case.program
        if parse(print_program(program)) != program:
            raise Broken("what is printed is another program")
        if CODEC.decode(program_to_json(program)).rules != program.rules:
            raise Broken("what is written as JSON is another program")
        instants = stream(program, case.case.lines)
        counts["recursive"] += is_recursive(program)
        counts["recursive with NOT"] += is_recursive(program) and "NOT" in case.case.text
        nodes = [node for rule in program.rules for node in tree.within(rule.body)]
        everything = _all_readings(program, nodes, instants, counts)
        if everything is None or isinstance(everything, str):
            return
        counts["with results"] += bool(everything)
        counts["results"] += len(everything)
        self._policies(program, instants, nodes, everything, counts)
        self._printed(program, instants, everything, counts)
        self._cut(case, instants, counts)
        self._unit(case, instants, counts)

    def _policies(
        self,
        program: tree.Program,
        instants: Sequence[Instant],
        nodes: Sequence[tree.Node],
        everything: list[IntervalEvent],
        counts: Counter[str],
    ) -> None:
        """A policy is its equation, and without negation finds nothing more than without a policy."""
        negation = any(isinstance(node, tree.Negation) for node in nodes)
        for policy in CHOSEN[POLICY][1:]:
            answer = _found(program, instants, {POLICY: policy})
            if not is_recursive(program):
                counts["compared: policies"] += 1
                _same(f"policy {policy}", answer, _meant(program, instants, {POLICY: policy}))
            if not negation and not isinstance(answer, str):
                counts["compared: policies with everything"] += 1
                if not set(answer) <= set(everything):
                    raise Broken("a policy finds more", f"{policy}: {sorted(set(answer) - set(everything), key=str)}")

    def _printed(
        self, program: tree.Program, instants: Sequence[Instant], everything: list[IntervalEvent], counts: Counter[str]
    ) -> None:
        """The printed clauses with all repairs, where there are some."""
        if len(instants) > 4 or len(program.rules) > 3:
            return
        try:
            answer: Answer = list(Published(program, policy=PRINTED["unrestricted"]).run(instants))
        except (PrologError, NumberTooLarge) as error:
            counts[f"printed: {type(error).__name__}"] += 1
            return
        counts["compared: printed clauses"] += 1
        _same("printed clauses, repaired", answer, everything)

    def _cut(self, case: Asked, instants: Sequence[Instant], counts: Counter[str]) -> None:
        """What ends up to an instant is the same if the stream ends there (E, footnote 7)."""
        part = instants[: case.cut]
        for policy in {CHOSEN[POLICY][0], case.policy} if part else ():
            whole, begun = (_found(case.case.program, some, {POLICY: policy}) for some in (instants, part))
            if isinstance(whole, str) or isinstance(begun, str):
                continue
            counts["compared: a stream and its beginning"] += 1
            last = part[-1].time
            _same("a stream that is cut", _up_to(last, begun), _up_to(last, whole))

    def _unit(self, case: Asked, instants: Sequence[Instant], counts: Counter[str]) -> None:
        """In another unit of time the same happens."""
        scaled = partial(_times, unit=case.unit)
        program = tree.Program(
            tuple(
                replace(rule, body=tree.PATTERNS.mapped(rule.body, partial(_rescaled, unit=case.unit)))
                for rule in case.case.program.rules
            )
        )
        later = [replace(instant, time=scaled(instant.time)) for instant in instants]
        answer = _found(program, later, {})
        before = _found(case.case.program, instants, {})
        counts["compared: another unit of time"] += 1
        if isinstance(before, list):
            before = [event._replace(start=scaled(event.start), end=scaled(event.end)) for event in before]
        _same("another unit of time", answer, before)


def _all_readings(
    program: tree.Program, nodes: Sequence[tree.Node], instants: Sequence[Instant], counts: Counter[str]
) -> Answer | None:
    """Machine and definition agree under every reading that makes a difference; what the usual one finds, None if that
    is too much for the definition."""
    kinds = {
        "lasting": any(isinstance(node, tree.Lasting) for node in nodes),
        "negation": any(isinstance(node, tree.Negation) for node in nodes),
        "during": any(isinstance(node, tree.Joined) and node.operator is tree.Operator.DURING for node in nodes),
    }
    usual: Answer | None = None
    alternatives = [choices if kinds[name] else choices[:1] for name, choices in CHOICES.items()]
    for place, chosen in enumerate(product(*alternatives)):
        readings = dict(zip(CHOICES, chosen, strict=True))
        meant = _meant(program, instants, readings)
        if meant is None:
            counts["too much for the definition"] += 1
            continue
        answer = _found(program, instants, readings)
        named = ", ".join(f"{name}={value}" for name, value in readings.items() if value != CHOICES[name][0])
        counts[f"compared: sound{f', {named}' if named else ''}"] += 1
        if isinstance(meant, str):
            counts[f"no answer: {meant}"] += 1
        _same(f"sound {named}", answer, meant)
        usual = answer if place == 0 else usual
    return usual


def _found(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Answer:
    """What the machine finds."""
    try:
        return list(machine_of(program, options).run(instants))
    except (TooManyEvents, NumberTooLarge) as error:
        return type(error).__name__


def _meant(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Answer | None:
    """What the definition says; None if it is too much for it."""
    readings = Readings(**{name: value for name, value in options.items() if name != POLICY})
    try:
        return evaluate(program, instants, readings, options.get(POLICY, "unrestricted"), Effort(EFFORT))
    except TooManyFindings:
        return None
    except (fixpoint.TooManyEvents, NumberTooLarge) as error:
        return type(error).__name__


def _same(who: str, answer: Answer | None, meant: Answer | None) -> None:
    if answer != meant:
        raise Broken(who, f"found {answer}, expected {meant}")


def _up_to(time: Number, events: list[IntervalEvent]) -> list[IntervalEvent]:
    return [event for event in events if event.end <= time]


# --- Wilder cases -----------------------------------------------------------------------------------------------------


def _in_other_values(case: Case, source: random.Random) -> Case:
    """With other values in place of each, the same wherever it stands: large numbers, odd strings, Booleans."""
    chosen = {value: source.choice(WILD_VALUES) for value in VALUES}

    def exchanged(node: tree.Node) -> tree.Node:
        return tree.Constant(chosen[node.value]) if isinstance(node, tree.Constant) and node.value in chosen else node

    rules = tuple(
        replace(rule, head=tree.TREE.mapped(rule.head, exchanged), body=tree.TREE.mapped(rule.body, exchanged))
        for rule in case.program.rules
    )
    items = tuple(replace(item, arguments=tuple(chosen.get(v, v) for v in item.arguments)) for item in case.items)
    return replace(case, program=parse(print_program(tree.Program(rules))), items=items)


def _joined_with_itself(case: Case, source: random.Random) -> Case:
    """With one name in place of another that has as many arguments."""
    arities = {
        node.name: len(node.arguments)
        for rule in case.program.rules
        for node in tree.within(rule.body)
        if isinstance(node, tree.EventPattern)
    }
    chosen_name = source.choice(sorted(arities) or ["a"])
    alike = {name for name, arity in arities.items() if arity == arities[chosen_name]}

    def renamed(node: tree.Node) -> tree.Node:
        return replace(node, name=chosen_name) if isinstance(node, tree.EventPattern) and node.name in alike else node

    rules = tuple(replace(rule, body=tree.TREE.mapped(rule.body, renamed)) for rule in case.program.rules)
    items = tuple(replace(item, template=chosen_name) if item.template in alike else item for item in case.items)
    return replace(case, program=tree.Program(rules), items=items)


def _alike(case: Case, source: random.Random) -> Case:
    """With one or two values in all events of the stream, so that more of them fit."""
    few = source.sample(VALUES, source.randint(1, 2))
    items = tuple(replace(item, arguments=tuple(source.choice(few) for _ in item.arguments)) for item in case.items)
    return replace(case, items=items)


def _tied(case: Case, source: random.Random) -> Case:
    """With fewer different times."""
    coarse = source.choice((2, 3, 100))
    items = tuple(replace(item, timestamp=item.timestamp // coarse) for item in case.items)
    return replace(case, items=items)


def _without_events(case: Case, _: random.Random) -> Case:
    return replace(case, items=())


_CHANGES: tuple[tuple[Callable[[Case, random.Random], Case], float], ...] = (
    (_alike, 0.4),
    (_joined_with_itself, 0.2),
    (lambda case, source: GENERATION.varied(case, Seeded(source)), 0.1),
    (_in_other_values, 0.15),
    (_tied, 0.15),
    (_without_events, 0.02),
)
"""What is done to cases, and to which share of them."""


def _times(time: Number, unit: Number) -> Number:
    return number(time * unit)


def _rescaled(node: tree.Pattern, unit: Number) -> tree.Pattern:
    match node:
        case tree.Moment(time=time):
            return replace(node, time=_times(time, unit))
        case tree.Lasting(length=length):
            return replace(node, length=_times(length, unit))
        case _:
            return node
