"""The machine that Rocq has proved beside the Python one, at rest after each arrival: for programs with sets.

Where a rule has sets, the proved machine has a node more, and stores and decides otherwise; so single steps differ. At
rest the two agree again: after each arrival both take all their steps, in orders of their own. Then each rule that is
`exact` has reported the same in both, and its nodes have the same bounds and partial matches, and the same right events
if those of Python that nothing needs any more are left out (`collectable` in `Nodes.v`). A rule that is not exact may
report earlier in Python, and never later.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from parte.conformance.partelang.engines.rocq.adapter import Answers
from parte.conformance.partelang.engines.rocq.replay import Replay
from parte.semantics.partelang import kernel
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.histories import History
from parte.semantics.partelang.machine import Action, ActionKind
from parte.semantics.partelang.network import EntryNode, TerminalNode, TwoInputNode
from parte.semantics.partelang.rules.collection import elements_of
from parte.semantics.partelang.rules.registry import EntryData, TwoInputData
from parte.semantics.partelang.summaries import instants_in, is_upward
from parte.semantics.partelang.syntax import core
from tests.campaigns.rocq import Both, Case, binary
from tests.campaigns.running import Broken


def exact_rules(program: core.Program) -> tuple[set[str], set[str]]:
    """Return the names of the cases that report at the same moment in both machines, and of the templates whose events
    come at the same moment.

    Python reports a match with an upward set as soon as it is decided, drops a match at the first of several sets that
    excludes it, and has a tighter bound for the timestamps of a set; all later events may then be earlier too.
    """
    exact, templates = set[str](), {template.name for template in program.templates}
    for rules in program.rules_by_stratum():
        for cases in core.cases_of(rules):
            for rule in cases:
                if {pattern.template for pattern in rule.patterns} <= templates and _is_exact(rule):
                    exact.add(rule.name)
                else:
                    templates -= {emission.template for emission in rule.emissions}
    return exact, templates


def _is_exact(rule: core.Rule) -> bool:
    return (
        not any(is_upward(rule, pattern.variable) for pattern in rule.collected)
        and (len(rule.collected) < 2 or not rule.having)
        and not any(instants_in(emission.at) for emission in rule.emissions)
    )


class AtRest(Both):
    """A machine of each kind for one program, which are compared at rest."""

    def __init__(self, case: Case, replay: Replay) -> None:
        super().__init__(case, UNBOUNDED, replay)
        self.answers = Answers(self.numbers, case.domain)
        self.cases = {rule.name: rule for rule in case.program.rules}
        self.exact, self.templates = exact_rules(case.program)
        self.counterparts = tuple(self._counterparts())

    def run(self, source: random.Random, counts: Counter[str]) -> None:
        """Let all arrive, in an order that is drawn; compare at rest after each. Broken if the two differ."""
        while waiting := [index for index, queue in enumerate(self.machine.queues) if queue.arrivals]:
            queue = source.choice(waiting)
            self.machine.take(Action(ActionKind.ARRIVE, queue))
            self.answer_to("step", "arrive", queue)
            while steps := [step for step in self.machine.candidates() if step.kind is not ActionKind.ARRIVE]:
                self.machine.take(source.choice(steps))
            self.answer_to("settle", source.randrange(1000))
            self._compare_matches(counts)
            self._compare_data(counts)
            counts["rests"] += 1
        counts["matches"] += len(self.machine.matches)
        self._compare("matches", self.machine.matches, self.answer_to("reported"))

    def _limits(self, _: Capacities) -> Iterator[tuple[NodeCapacities, bool]]:
        yield from ()  # the nodes have other numbers, and no capacities

    def _answer(self, question: Sequence[str]) -> str:
        return self.answers(question)

    def _compare_matches(self, counts: Counter[str]) -> None:
        theirs: dict[str, Counter[tuple[str, ...]]] = {}
        for rule, events in self.numbers.matches(self.answer_to("reported")):
            matches = theirs.setdefault(self.numbers.rules[rule][0].reported, Counter())
            matches[tuple(event.id for event in events)] += 1
        ours: dict[str, Counter[tuple[str, ...]]] = {}
        for match in self.machine.matches:
            ours.setdefault(match.rule, Counter())[tuple(event for _, event in match.bindings)] += 1
        for cases in self.numbers.rules:
            name = cases[0].reported
            early, late = ours.get(name, Counter()), theirs.get(name, Counter())
            exact = all(case.name in self.exact for case in cases)
            if (early != late) if exact else not late <= early:
                raise Broken(f"rule {name} has reported other matches", f"Python {early}\nRocq   {late}")
            counts["rules with a match that Python has reported earlier"] += early != late

    def _compare_data(self, counts: Counter[str]) -> None:
        nodes = self.answer_to("nodes").split("/")
        for index, counterpart in enumerate(self.counterparts):
            node, data = self.network.nodes[index], self.machine.nodes[index].data
            bounds, right_bound, left, right, _ = nodes[counterpart].split("|")
            theirs: tuple[object, ...]
            ours: tuple[object, ...]
            if isinstance(node, EntryNode):
                if node.template not in self.templates:
                    continue
                assert isinstance(data, EntryData)
                theirs, ours = (bounds,), (binary(data.bounds),)
            elif isinstance(node, TwoInputNode):
                assert isinstance(data, TwoInputData)
                if not self._is_compared(node):
                    continue
                width = len(node.minima)
                theirs = (bounds, right_bound, sorted(filter(None, left.split(";"))))
                stored = sorted(self._events(entry.events[:width]) for entry in data.left)
                ours = (binary(data.left_bounds[:width]), f"{data.right_bound:b}", stored)
                counts["set-nodes" if node.collects else "nodes"] += 1
                if node.past is None:  # else a summary for each key stands for the past
                    theirs = (*theirs, sorted(filter(None, right.split(";"))))
                    ours = (*ours, sorted(self._needed(node, data)))
                    counts["right events"] += len(data.right)
            else:
                continue
            if theirs != ours:
                raise Broken("at rest nodes differ", f"{node.name}\nPython {ours}\nRocq   {theirs}")

    def _is_compared(self, node: TwoInputNode) -> bool:
        """Return whether a node has the same data in both: in front of the sets if all that comes to it is the same."""
        if node.collects:
            return node.rule in self.exact
        return {pattern.template for pattern in self.cases[node.rule].patterns} <= self.templates

    def _needed(self, node: TwoInputNode, data: TwoInputData) -> Iterator[str]:
        """Yield the right events that a left partial match, stored or to come, may have in its window."""
        right: History = data.right
        collected = {event for entry in data.left for event in elements_of(node, right, entry)} if node.collects else ()
        expired = kernel.expiration_time(data.left_bounds, node.minima)
        for entry in right:
            (event,) = entry.events
            if not node.collects or not kernel.is_stale(event.timestamp, expired) or event in collected:
                yield self._events((event,))

    def _counterparts(self) -> Iterator[int]:
        """Yield the number that each node has in Rocq, where a node for `having` stands before the terminal node."""
        more = 0
        for index, node in enumerate(self.network.nodes):
            more += isinstance(node, TerminalNode) and bool(self.cases[node.rule].having)
            yield index + more
