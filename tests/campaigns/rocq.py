"""The machine that Rocq has proved, step by step beside the Python one: same steps, same states, same matches.

Wild programs are fed by several sources, with capacities and without; each step is drawn at random and taken by both.
After it both must agree on whether it was possible and on what the node keeps and sends; in the end on the matches, and
the proved meaning of the program with the algebra. What conditions and emissions give is asked of Python, for the proof
leaves it open (docs/theorem.md). Needs what `make rocq` builds.
"""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from parte.algebra.parte.programs import run as algebra
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.events.match import Match
from parte.semantics.parte.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.parte.compilation import compile_program
from parte.semantics.parte.machine import Action, ActionKind, Machine, Step
from parte.semantics.parte.network import AlphaNode, EntryNode, ProductionNode, TwoInputNode
from parte.semantics.parte.rules.registry import EntryData, TwoInputData
from parte.semantics.parte.state import NodeState
from parte.semantics.parte.syntax import core
from parte.semantics.parte.syntax.elaborate import parse
from parte.semantics.parte.tokens import AlphaToken, Token
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.lateness import Fed, Lateness
from tests.campaigns.running import Broken

REPLAY = Path(__file__).parents[2] / "proofs" / "rocq" / "replay"
COMMANDS = {ActionKind.ARRIVE: "arrive", ActionKind.PROC: "process", ActionKind.PROP: "propagate"}


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
        program = replace(program, rules=tuple(rule for rules in program.rules_by_stratum() for rule in rules))
        empty: dict[str, object] = {predicate.name: {"true_for": []} for predicate in program.predicates}
        domain = bind_domain(program, read_domain({**empty, **case.program.tables}))
        source = random.Random(len(case.feed))
        sizes = NodeCapacities(*(source.choice((1, 2, 5)) for _ in range(4)))
        for capacities in (UNBOUNDED, Capacities(sizes)):
            with _replaying() as pipes:
                _Both(program, domain, case, capacities, pipes).run(source, counts)


@contextmanager
def _replaying() -> Iterator[tuple[IO[str], IO[str]]]:
    process = subprocess.Popen([REPLAY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdin, process.stdout
    finally:
        process.kill()
        process.communicate()


@dataclass(slots=True)
class _Known:
    """Events by number: what the other side knows of them."""

    events: list[Event] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, event: Event) -> int:
        if event.id not in self.numbers:
            self.numbers[event.id] = len(self.events)
            self.events.append(event)
        return self.numbers[event.id]


class _Both:
    """A machine of each kind for one program, and the questions of the proved one."""

    def __init__(
        self,
        program: core.Program,
        domain: Predicates,
        case: Fed,
        capacities: Capacities,
        pipes: tuple[IO[str], IO[str]],
    ) -> None:
        self.program, self.domain, self.case, self.capacities = program, domain, case, capacities
        self.requests, self.replies = pipes
        self.known = _Known()
        self.steps: list[Step] = []
        sources: dict[str, list[str]] = {}
        for name, template in case.pairs:
            sources.setdefault(template, []).append(name)
        self.network = compile_program(program, domain, sources)
        self.nodes = {node.name: node for node in self.network.nodes}
        self.machine = Machine(self.network, capacities=capacities, recorder=self.steps.append)
        for arrival in case.whole:
            self.machine.feed(arrival)
        self.templates = {template.name: number for number, template in enumerate(program.templates)}

    def run(self, source: random.Random, counts: Counter[str]) -> None:
        """Every step that is possible, in an order that is drawn."""
        self.requests.write(_words(self._described()) + "\n")
        while candidates := self.machine.candidates():
            source.shuffle(candidates)
            if not any(self._step(action, counts) for action in candidates):
                counts["blocked"] += 1
                break
        else:
            counts["matches"] += len(self.machine.matches)
            self._compare("matches", self.machine.matches, self._asked("reported"))
        if self.capacities is UNBOUNDED:
            events = [_words(self._said(event)) for event in self.case.events]
            found = algebra(self.program, self.case.events, self.domain).matches
            self._compare("meanings", found, self._asked(f"meaning {len(events)} {' '.join(events)}"))

    def _step(self, action: Action, counts: Counter[str]) -> bool:
        taken = self.machine.take(action)
        place = f"{action.place} {action.slot}" if action.kind is ActionKind.PROC else f"{action.place}"
        possible, _, shown = self._asked(f"{COMMANDS[action.kind]} {place}").partition(" ")
        counts["steps"] += 1
        if (possible == "1") != taken:
            raise Broken("one takes a step that the other does not", f"{action}: Python {taken}, Rocq {possible}")
        if taken and action.kind is ActionKind.PROC:
            ours = self._state(self.machine.nodes[action.place])
            if shown != ours:
                raise Broken("a step leads to another state", f"{action}\nPython {ours}\nRocq   {shown}")
        return taken

    def _compare(self, what: str, found: Iterable[Match], shown: str) -> None:
        theirs = Counter(
            (rule.name, tuple(self.known.events[int(number)].id for number in match.split(",")))
            for rule, matches in zip(self.program.rules, shown.split("|"), strict=True)
            for match in filter(None, matches.split(";"))
        )
        ours = Counter((match.rule, tuple(name for _, name in match.bindings)) for match in found)
        if theirs != ours:
            raise Broken(f"{what} differ", f"Python {ours}\nRocq   {theirs}")

    # --- Questions ---------------------------------------------------------------------------------------------------

    def _asked(self, command: str) -> str:
        self.requests.write(command + "\n")
        self.requests.flush()
        while (reply := self.replies.readline()).startswith("? "):
            self.requests.write(self._answer(reply.split()[1:]) + "\n")
            self.requests.flush()
        if not reply:
            raise Broken("the proved machine ended", command)
        return reply.rstrip("\n").rstrip(" ") if reply.startswith("0") else reply.rstrip("\n")

    def _answer(self, question: Sequence[str]) -> str:
        what, rule, part, *numbers = question
        named = self.program.rules[int(rule)]
        events = tuple(self.known.events[int(number)] for number in numbers)
        if what == "emit":
            production = self.nodes[f"production:{named.name}#{part}"]
            assert isinstance(production, ProductionNode)
            event = production.generate_event(events)
            return "0" if event is None else f"{self.known.number(event)} {event.timestamp:b}"
        pattern = named.patterns[int(part)]
        if what == "own":
            alpha = self.nodes[f"alpha:{named.name}.{pattern.variable}"]
            assert isinstance(alpha, AlphaNode)
            return str(int(alpha.condition(events)))
        node = self.nodes[f"{'not' if pattern.negated else 'join'}:{named.name}.{pattern.variable}"]
        assert isinstance(node, TwoInputNode)
        alike = node.left_key(events[:-1]) == node.right_key(events[-1:])
        return str(int(alike and node.condition(events)))

    # --- What is said and shown --------------------------------------------------------------------------------------

    def _said(self, event: Event) -> tuple[object, ...]:
        return self.known.number(event), self.templates[event.template], f"{event.timestamp:b}"

    def _described(self) -> Iterator[object]:
        strata = dict(self.program.strata)
        highest = max(strata.values())
        yield highest + 1
        for stratum in range(highest + 1):
            names = [template.name for template in self.program.templates if strata[template.name] == stratum]
            rules = [rule for rule in self.program.rules if self.program.stratum(rule) == stratum]
            yield from (len(names), *map(self.templates.__getitem__, names), len(rules))
            for rule in rules:
                yield from self._rule(rule)
        queues_of: list[list[int]] = [[] for _ in self.templates]
        for number, queue in enumerate(self.machine.queues):
            entry = self.network.nodes[queue.targets[0].node]
            assert isinstance(entry, EntryNode)
            queues_of[self.templates[entry.template]].append(number)
        yield len(queues_of)
        for queues in queues_of:
            yield from (len(queues), *queues)
        yield len(self.machine.queues)
        for queue in self.machine.queues:
            yield len(queue.arrivals)
            for arrival in queue.arrivals:
                event = arrival.event
                yield from (f"{arrival.bound:b}", *((-1,) if event is None else self._said(event)))
        yield len(self.machine.nodes)
        for state in self.machine.nodes:
            given = self.capacities.of(state.node.name)
            rooms = (given.left, given.right, given.inbox, given.outbox)
            yield from (-1 if room is None else room for room in rooms)
            yield int(state.site.limited)

    def _rule(self, rule: core.Rule) -> Iterator[object]:
        positions = {pattern.variable: number for number, pattern in enumerate(rule.positive)}
        first, *others = rule.patterns
        yield from (self.templates[first.template], len(others))
        for pattern in others:
            against = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
            yield from (int(pattern.negated), self.templates[pattern.template], len(against))
            for one in against:
                yield from (positions[one.reference], f"{one.lower:b}", f"{one.upper:b}")
        constraints = [c for c in rule.constraints if not c.negated]
        yield len(constraints)
        for one in constraints:
            yield from (positions[one.subject], positions[one.reference], f"{one.lower:b}", f"{one.upper:b}")
        yield len(rule.emissions)
        for emission in rule.emissions:
            yield self.templates[emission.template]
            yield from _timestamp(emission.at, positions)

    def _state(self, state: NodeState) -> str:
        match state.data:
            case EntryData(bounds=bounds):
                kept = f"{_binary(bounds)}|{NEGATIVE_INFINITY:b}||"
            case TwoInputData() as data:
                left = ";".join(self._events(entry.events) for entry in data.left)
                right = ";".join(self._events(entry.events) for entry in data.right)
                kept = f"{_binary(data.left_bounds)}|{data.right_bound:b}|{left}|{right}"
            case _:
                kept = f"|{NEGATIVE_INFINITY:b}||"
        return f"{kept}|{' '.join(map(self._token, state.outbox))}"

    def _token(self, token: Token) -> str:
        if isinstance(token, AlphaToken):
            return f"{token.bound:b}:{'-' if token.payload is None else self.known.number(token.payload)}"
        return f"{_binary(token.bounds)}:{'-' if token.payload is None else self._events(token.payload)}"

    def _events(self, events: Sequence[Event]) -> str:
        return _joined([self.known.number(event) for event in events])


def _words(parts: Iterable[object]) -> str:
    return " ".join(map(str, parts))


def _binary(numbers: Sequence[int]) -> str:
    return ",".join(f"{number:b}" for number in numbers)


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _timestamp(at: core.TimestampExpression, positions: dict[str, int]) -> Iterator[object]:
    match at:
        case core.TimestampOf(variable=variable):
            yield from ("v", positions[variable])
        case core.Shift(operand=operand, milliseconds=milliseconds):
            yield from ("s", f"{milliseconds:b}")
            yield from _timestamp(operand, positions)
        case core.Combination(function=function, operands=operands):
            yield from (function, len(operands))
            for operand in operands:
                yield from _timestamp(operand, positions)
