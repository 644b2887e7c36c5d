"""The machine that Rocq has proved, step by step beside the Python one: same steps, same states, same matches.

Wild programs are fed by several sources, with capacities and without; each step is drawn at random and taken by both.
After it both must agree on whether it was possible and on what the node keeps and sends; in the end on the matches, and
the proved meaning of the program with the algebra. What conditions and emissions give is asked of Python, for the proof
leaves it open (docs/theorem.md). Needs what `make rocq` builds.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeVar

from parte.algebra.partelang.programs import run as algebra
from parte.conformance.partelang.engines.rocq.replay import Replay
from parte.conformance.partelang.engines.rocq.words import Numbers
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import NEGATIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Action, ActionKind, Machine
from parte.semantics.partelang.network import AlphaNode, EntryNode, ProductionNode, TwoInputNode
from parte.semantics.partelang.rules.registry import Data, EntryData, TwoInputData
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate, parse
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.partelang.tokens import AlphaToken, Token
from parte.semantics.source.diagnostics import ProgramError, Severity
from tests.campaigns.lateness import Fed, Lateness
from tests.campaigns.rocq_networks import compare_networks, compare_strata, in_order_of_strata
from tests.campaigns.running import Broken

COMMANDS = {ActionKind.ARRIVE: "arrive", ActionKind.PROC: "process", ActionKind.PROP: "propagate"}


VARIED = 10
"""How often one constraint of a program is left out or measured from elsewhere."""

REFUSALS = {"unrelated-variables", "unbounded-negation", "reference-too-late", "self-constraint"}
"""What the checks then find."""


class Rocq(Lateness):
    """The campaign: the cases of another, attacked differently."""

    name = "rocq"

    def attack(self, case: Fed, counts: Counter[str]) -> None:
        """Take the same steps, and compare."""
        try:
            program = parse(case.program.text)
        except ProgramError:
            counts["no program"] += 1
            return
        empty: dict[str, object] = {predicate.name: {"true_for": []} for predicate in program.predicates}
        domain = bind_domain(program, read_domain({**empty, **case.program.tables}))
        source = random.Random(len(case.feed))
        sizes = NodeCapacities(*(source.choice((1, 2, 5)) for _ in range(4)))
        with closing(Replay()) as replay:
            for capacities in (UNBOUNDED, Capacities(sizes)):
                both = Both(Case(program, domain, case.whole), capacities, replay)
                both.run(source, counts)
                if capacities is UNBOUNDED:
                    both.compare_meanings()
            compare_networks(program, domain, replay, counts)
            compare_strata(program, source, replay, counts)
            for _ in range(VARIED):
                compare_checks(case.program.text, source, replay, counts)


def compare_checks(text: str, source: random.Random, replay: Replay, counts: Counter[str]) -> None:
    """A program with one constraint changed: what the theorem asks of its rules (`related`), and the checks in Python.

    Both say the same, but that the theorem asks nothing more of a rule whose constraints contradict each other.
    """
    tree, program = parse_source(text), parse(text)
    constrained = [number for number, rule in enumerate(program.rules) if rule.constraints]
    if not constrained:
        return
    number = source.choice(constrained)
    rule = program.rules[number]
    which, reference = source.randrange(len(rule.constraints)), source.choice(rule.positive).variable
    drop = source.random() < 0.5
    changed = replace(rule, constraints=_changed(rule.constraints, which, None if drop else reference))
    nodes = [item for item in tree.declarations if isinstance(item, ast.Rule)]
    node = replace(nodes[number], constraints=_changed(nodes[number].constraints, which, None if drop else reference))
    declarations = tuple(node if item is nodes[number] else item for item in tree.declarations)
    try:
        elaborate(replace(tree, declarations=declarations))
        accepted = True
    except ProgramError as error:
        accepted = False
        if (
            not {diagnostic.code for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR}
            <= REFUSALS
        ):
            raise
    rules = tuple(changed if original is rule else original for original in program.rules)
    numbers = Numbers(replace(program, rules=rules))
    replay.load(numbers.case(()))
    said = replay.ask(_no_answer, "passes").split()[numbers.rules.index((changed,))]
    counts[f"checks: {'accepted' if accepted else 'refused'}, {said}"] += 1
    passed, _, contradicts = said.partition("-")
    if (passed == "passes") != accepted and (accepted or not contradicts):
        raise Broken("a rule passes one and not the other", f"accepted {accepted}, {said}: {changed}")


Constrained = TypeVar("Constrained", core.Constraint, ast.Constraint)


def _changed(constraints: tuple[Constrained, ...], which: int, reference: str | None) -> tuple[Constrained, ...]:
    """Without one of the constraints, or with that one measured from elsewhere."""
    changed = list(constraints)
    if reference is None:
        del changed[which]
    else:
        changed[which] = replace(changed[which], reference=reference)
    return tuple(changed)


def _no_answer(question: Sequence[str]) -> str:
    raise AssertionError(f"nothing is to be asked: {question}")


@dataclass(frozen=True, slots=True)
class Case:
    """A program, what its predicates say, and what its sources say."""

    program: core.Program
    domain: Predicates
    arrivals: Sequence[Arrival]

    @property
    def in_order(self) -> core.Program:
        """The program with its rules in the order of their strata, in which they are compiled."""
        return in_order_of_strata(self.program)


class Both:
    """A machine of each kind for one program, and the questions of the proved one."""

    def __init__(self, case: Case, capacities: Capacities, replay: Replay) -> None:
        self.case, self.replay = case, replay
        self.numbers = Numbers(case.in_order)
        sources: dict[str, dict[str, None]] = {}
        for arrival in case.arrivals:
            sources.setdefault(arrival.template, {})[arrival.source] = None
        self.network = compile_program(
            case.in_order, case.domain, {template: tuple(names) for template, names in sources.items()}
        )
        self.nodes = {node.name: node for node in self.network.nodes}
        self.machine = Machine(self.network, capacities=capacities, recorder=lambda _: None)
        for arrival in case.arrivals:
            self.machine.feed(arrival)
        replay.load(self.numbers.case(tuple(self._queues()), tuple(self._limits(capacities))))

    def _queues(self) -> Iterator[tuple[str, Sequence[Arrival]]]:
        for queue in self.machine.queues:
            entry = self.network.nodes[queue.targets[0].node]
            assert isinstance(entry, EntryNode)
            yield entry.template, tuple(queue.arrivals)

    def _limits(self, capacities: Capacities) -> Iterator[tuple[NodeCapacities, bool]]:
        for state in self.machine.nodes:
            yield capacities.of(state.node.name), state.site.limited

    def run(self, source: random.Random, counts: Counter[str]) -> None:
        """Every step that is possible, in an order that is drawn."""
        while candidates := self.machine.candidates():
            source.shuffle(candidates)
            if not any(self._step(action, counts) for action in candidates):
                counts["blocked"] += 1
                return
        counts["matches"] += len(self.machine.matches)
        self._compare("matches", self.machine.matches, self.answer_to("reported"))

    def compare_meanings(self) -> None:
        """The proved meaning of the program, and the algebra."""
        events = [arrival.event for arrival in self.case.arrivals if arrival.event is not None]
        matches = algebra(self.case.program, events, self.case.domain).matches
        self._compare("meanings", matches, self.answer_to("meaning", *self.numbers.stream(events)))

    def _step(self, action: Action, counts: Counter[str]) -> bool:
        taken = self.machine.take(action)
        possible, _, theirs = self.answer_to("step", *self.words(action)).partition(" ")
        counts["steps"] += 1
        if (possible == "1") != taken:
            raise Broken("one takes a step that the other does not", f"{action}: Python {taken}, Rocq {possible}")
        if taken and action.kind is ActionKind.PROC:
            state = self.machine.nodes[action.place]
            ours = self.state_text(state.data, state.outbox)
            if theirs != ours:
                raise Broken("a step leads to another state", f"{action}\nPython {ours}\nRocq   {theirs}")
        return taken

    def _compare(self, what: str, matches: Iterable[Match], answer: str) -> None:
        theirs = Counter(
            (self.numbers.rules[rule][0].reported, tuple(event.id for event in events))
            for rule, events in self.numbers.matches(answer)
        )
        ours = Counter((match.rule, tuple(name for _, name in match.bindings)) for match in matches)
        if theirs != ours:
            raise Broken(f"{what} differ", f"Python {ours}\nRocq   {theirs}")

    # --- Questions ---------------------------------------------------------------------------------------------------

    def answer_to(self, *command: object) -> str:
        """What the proved machine answers."""
        return self.replay.ask(self._answer, *command)

    @staticmethod
    def words(action: Action) -> tuple[object, ...]:
        """A step."""
        slot = (action.slot,) if action.kind is ActionKind.PROC else ()
        return (COMMANDS[action.kind], action.place, *slot)

    def _answer(self, question: Sequence[str]) -> str:
        what, rule, part, *numbers = question
        events = tuple(self.numbers.events[int(number)] for number in numbers)
        named = self.numbers.rules[int(rule)][0]
        if what == "emit":
            bound = (pattern.variable for pattern in named.positive)
            case = self.numbers.case_of(int(rule), dict(zip(bound, events, strict=True)))
            production = self.nodes[f"production:{case.name}#{part}"]
            assert isinstance(production, ProductionNode)
            event = production.generate_event(events)
            return "none" if event is None else f"{self.numbers.number(event)} {event.timestamp:b}"
        pattern = named.patterns[int(part)]
        before = () if what == "own" else named.patterns[: int(part)]
        variables = (*(earlier.variable for earlier in before if earlier.positive), pattern.variable)
        named = self.numbers.case_of(int(rule), dict(zip(variables, events, strict=True)))
        pattern = named.patterns[int(part)]
        if what == "own":
            alpha = self.nodes[f"alpha:{named.name}.{pattern.variable}"]
            assert isinstance(alpha, AlphaNode)
            return str(int(alpha.condition(events)))
        node = self.nodes[f"{'not' if pattern.negated else 'join'}:{named.name}.{pattern.variable}"]
        assert isinstance(node, TwoInputNode)
        alike = node.left_key(events[:-1]) == node.right_key(events[-1:])
        return str(int(alike and node.condition(events)))

    # --- What is shown -----------------------------------------------------------------------------------------------

    def state_text(self, data: Data, outbox: Iterable[Token]) -> str:
        """What a node keeps, and what it has to send."""
        match data:
            case EntryData(bounds=bounds):
                stored = f"{binary(bounds)}|{NEGATIVE_INFINITY:b}||"
            case TwoInputData():
                left = ";".join(self._events(entry.events) for entry in data.left)
                right = ";".join(self._events(entry.events) for entry in data.right)
                stored = f"{binary(data.left_bounds)}|{data.right_bound:b}|{left}|{right}"
            case _:
                stored = f"|{NEGATIVE_INFINITY:b}||"
        return f"{stored}|{self.tokens(outbox)}"

    def tokens(self, tokens: Iterable[Token]) -> str:
        """Tokens in their order."""
        return " ".join(map(self._token, tokens))

    def _token(self, token: Token) -> str:
        if isinstance(token, AlphaToken):
            return f"{token.bound:b}:{'-' if token.payload is None else self.numbers.number(token.payload)}"
        return f"{binary(token.bounds)}:{'-' if token.payload is None else self._events(token.payload)}"

    def _events(self, events: Sequence[Event]) -> str:
        return ",".join(str(self.numbers.number(event)) for event in events)


def binary(numbers: Sequence[int]) -> str:
    """Return numbers as the proved machine shows them."""
    return ",".join(f"{number:b}" for number in numbers)
