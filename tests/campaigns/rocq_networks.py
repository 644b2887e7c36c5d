"""The compiler and the checks that Coq has, beside those of Python, for one program after the other.

Networks: every node with its windows, the numbers of its conditions, the bounds of its emissions, and its edges. Where
a rule has `having`, Coq has a node more, in front of the terminal node; in Python the set-nodes have these conditions.
The times of a set are not known to Coq's bounds.

Strata: what `checked` asks of templates and strata (`strata_stand_right` in `Checks.v`), and what the front end says of
the program, of the program with another emission, with a template twice or not at all, and of other strata.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from random import Random

from parte.conformance.partelang.engines.rocq.replay import Replay
from parte.conformance.partelang.engines.rocq.words import Numbers, Queue
from parte.proofs.partelang.evaluator.words import Words, joint, own
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.network import AlphaNode, EntryNode, Network, ProductionNode, TerminalNode, TwoInputNode
from parte.semantics.partelang.summaries import instants_in
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.source.diagnostics import ProgramError, Severity
from tests.campaigns.running import Broken

TIMES = tuple(1000 * 3**place for place in range(12))
"""The times of the events of a match at which the bounds of emissions are compared."""
EVER = re.compile("-1[01]{63,}")
"""The beginning in Coq of a window that has none: -2^64, and some milliseconds if other windows are in between."""
ANY = "*"
"""In place of a word that is not compared."""
ASSIGNMENTS = 12
"""How many other strata are tried for a program."""


def in_order_of_strata(program: core.Program) -> core.Program:
    """Return a program with its rules in the order of their strata, in which they are compiled."""
    return replace(program, rules=tuple(rule for rules in program.rules_by_stratum() for rule in rules))


def without_suppression(program: core.Program) -> core.Program:
    """Return a program without `once`, which the proof does not cover: its network is without the nodes for it."""
    return replace(
        program,
        rules=tuple(
            replace(rule, emissions=tuple(replace(emission, once=None) for emission in rule.emissions))
            for rule in program.rules
        ),
    )


def _no_answer(question: Sequence[str]) -> str:
    raise AssertionError(f"nothing is to be asked: {question}")


# --- Networks ---------------------------------------------------------------------------------------------------------


def compare_networks(program: core.Program, domain: Predicates, replay: Replay, counts: Counter[str]) -> None:
    """Compare the networks of a program without `once`, with two sources for every second template. Broken if they
    differ."""
    program = in_order_of_strata(without_suppression(program))
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    sources = {
        template.name: ("one", "two")[: 1 + number % 2] if number % 3 or template.name not in emitted else ()
        for number, template in enumerate(program.templates)
    }
    network = compile_program(program, domain, sources)
    nodes = _Nodes(program, network, Numbers(program))
    replay.load(nodes.numbers.case([(template, ()) for template, _ in nodes.queues]))
    theirs = replay.ask(_no_answer, "network", len(TIMES), *(f"{time:b}" for time in TIMES)).split("/")
    theirs = [line for line in theirs if line]  # an empty network is an empty line
    ours = list(nodes.lines())
    counts["networks compared"] += 1
    counts["nodes compared"] += len(theirs)
    if len(ours) != len(theirs):
        raise Broken("networks have other sizes", f"Python {ours}\nRocq   {theirs}")
    for number, (line, expected) in enumerate(zip(theirs, ours, strict=True)):
        if not _alike(line.split(), expected.split()):
            raise Broken("networks differ", f"node {number}\nPython {expected}\nRocq   {line}")


def _alike(line: Sequence[str], expected: Sequence[str]) -> bool:
    return len(line) == len(expected) and all(map(_same, line, expected))


def _same(theirs: str, ours: str) -> bool:
    """Return whether a word of Coq is the one that is expected, which may have windows without a beginning."""
    if "ever" not in ours:
        return ours in (theirs, ANY)
    pairs = zip_longest(theirs.split(","), ours.split(","), fillvalue="")
    return all(EVER.fullmatch(number) if begins == "ever" else number == begins for number, begins in pairs)


@dataclass(slots=True)
class _Nodes:
    """The nodes of a Python network as Coq shows its own."""

    program: core.Program
    network: Network
    numbers: Numbers
    queues: list[tuple[str, str]] = field(default_factory=list)
    _rules: dict[str, int] = field(default_factory=dict)
    _cases: Mapping[str, core.Rule] = field(default_factory=dict)
    _places: list[int] = field(default_factory=list)
    _before: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = {case.name: number for number, cases in enumerate(self.numbers.rules) for case in cases}
        self._cases = {rule.name: rule for rule in self.program.rules}
        more = 0
        for node in self.network.nodes:
            more += isinstance(node, TerminalNode) and bool(self._cases[node.rule].having)
            self._places.append(len(self._places) + more)
            if isinstance(node, EntryNode):
                self.queues += [(node.template, node.sources[slot]) for slot in node.external]
        for index, successor in self.network.edges():
            self._before[successor.node, successor.slot] = index

    def lines(self) -> Iterator[str]:
        """Yield a line for each node of Coq."""
        for index, node in enumerate(self.network.nodes):
            match node:
                case EntryNode():
                    yield f"entry {self.numbers.templates[node.template]} {len(node.sources)} = {self._entering(index)}"
                case AlphaNode():
                    yield f"alpha {self._asked('own', node.rule, node.variable)} = {self._slot(index, 0)}"
                case TwoInputNode():
                    kind = "set" if node.collects else "not" if node.negated else "join"
                    windows = f"{_binary(node.minima)} {_binary(node.maxima)}"
                    question = self._asked("joint", node.rule, node.right)
                    yield f"{kind} {windows} {question} = {self._slot(index, 0)} {self._slot(index, 1)}"
                case TerminalNode():
                    if self._cases[node.rule].having:
                        width = len(self._cases[node.rule].positive)
                        yield f"filter {width} having.{self._rules[node.rule]}.0 = {self._slot(index, 0)}"
                    yield f"terminal = {self._end(index)}"
                case ProductionNode():
                    yield f"production {self._emission(node)} = {self._end(index)}"

    def _entering(self, index: int) -> str:
        node = self.network.nodes[index]
        assert isinstance(node, EntryNode)
        return " ".join(
            f"q{self.queues.index((node.template, source))}" if slot in node.external else self._slot(index, slot)
            for slot, source in enumerate(node.sources)
        )

    def _slot(self, index: int, slot: int) -> str:
        return str(self._places[self._before[index, slot]])

    def _end(self, index: int) -> str:
        """Return where a terminal or production node reads: behind the node for `having`, if there is one."""
        node = self.network.nodes[index]
        assert isinstance(node, TerminalNode | ProductionNode)
        if not self._cases[node.rule].having:
            return self._slot(index, 0)
        return str(self._places[self.network.index(f"terminal:{node.rule}")] - 1)

    def _asked(self, kind: str, case: str, variable: str) -> str:
        """Return the number of the condition of a pattern; `-` without one."""
        number = self._rules[case]
        rule = self._cases[case]
        place = [pattern.variable for pattern in rule.patterns].index(variable)
        template, conditions = rule.patterns[place].template, own if kind == "own" else joint
        alike = [case_of_rule.patterns[place] for case_of_rule in self.numbers.rules[number]]
        some = any(conditions(pattern) for pattern in alike if pattern.template == template)
        return f"{kind}.{number}.{place}" if some else "-"

    def _emission(self, node: ProductionNode) -> str:
        rule = self._cases[node.rule]
        question = f"emit.{self._rules[node.rule]}.{node.position}"
        at = rule.emissions[node.position - 1].at
        if any(True for _ in instants_in(at)):
            return f"{question} {ANY}"  # Python has a tighter bound
        width = len(rule.positive)
        return f"{question} {node.generate_bound((*TIMES[:width], *(0 for _ in rule.collected))):b}"


def _binary(numbers: Sequence[int]) -> str:
    return ",".join("ever" if number == NEGATIVE_INFINITY else f"{number:b}" for number in numbers)


# --- Templates and strata ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Placed(Numbers):
    """The words of a program whose templates are in these strata, in none or in several."""

    strata: Sequence[Sequence[str]] = ()

    def _strata(self) -> Words:
        yield len(self.strata)
        levels = {name: level for level, names in enumerate(self.strata) for name in names}
        for level, names in enumerate(self.strata):
            rules = [cases for cases in self.rules if self._level(cases, levels) == level]
            yield from (len(names), *(self.templates[name] for name in names), len(rules))
            for cases in rules:
                yield from self._rule(cases)

    @staticmethod
    def _level(cases: Sequence[core.Rule], levels: Mapping[str, int]) -> int:
        """Return the stratum of a rule: the highest of those that its patterns have; the lowest if none has any."""
        return max(levels.get(pattern.template, 0) for case in cases for pattern in case.patterns)


def compare_strata(program: core.Program, source: Random, replay: Replay, counts: Counter[str]) -> None:
    """Compare what both say of templates and strata, of a program and of changes of it. Broken if they differ."""
    tree, names = program.source, [template.name for template in program.templates]
    _expect(program, _levels(dict(program.strata)), True, "as it is", replay, counts)
    for _ in range(ASSIGNMENTS):
        strata = {name: source.randrange(len(names)) for name in names}
        _expect(program, _levels(strata), _above(program, strata), "other strata", replay, counts)
    if not names:
        return
    # A template that is declared twice, or not at all.
    name = source.choice(names)
    levels = _levels(dict(program.strata))
    twice = [list(level) for level in levels]
    source.choice(twice).append(name)
    declarations = [item for item in tree.declarations if isinstance(item, ast.Template) and item.name == name]
    said = _said(replace(tree, declarations=(*tree.declarations, *declarations)))
    if said:
        _expect(program, twice, False, "a template twice", replay, counts)
    without = replace(tree, declarations=tuple(item for item in tree.declarations if item not in declarations))
    read = any(pattern.template == name for rule in program.rules for pattern in rule.patterns)
    emitted = any(emission.template == name for rule in program.rules for emission in rule.emissions)
    if bool(_said(without)) != (read or emitted):
        raise Broken("a template that is not declared", f"{name}: {_said(without)}")
    # Coq asks nothing of a template that is emitted and not read.
    left_out = [[declared for declared in level if declared != name] for level in levels]
    _expect(program, left_out, not read, "a template left out", replay, counts)
    _compare_emission(program, source, replay, counts)


def _compare_emission(program: core.Program, source: Random, replay: Replay, counts: Counter[str]) -> None:
    """Compare what both say if an emission is of another template, which may be one that its rule reads."""
    tree = program.source
    emitting = [item for item in tree.declarations if isinstance(item, ast.Rule) and item.emissions]
    if not emitting:
        return
    rule, template = source.choice(emitting), source.choice([template.name for template in program.templates])
    place = source.randrange(len(rule.emissions))
    emissions = list(rule.emissions)
    emissions[place] = replace(emissions[place], template=template)
    declarations = tuple(
        replace(rule, emissions=tuple(emissions)) if item is rule else item for item in tree.declarations
    )
    changed = replace(tree, declarations=declarations)
    said = _said(changed)
    if said - {"recursive-rules"}:
        counts["strata: not compared, for the changed emission has other errors"] += 1
        return
    if not said:
        accepted = elaborate(changed)
        _expect(accepted, _levels(dict(accepted.strata)), True, "another emission, accepted", replay, counts)
        return
    rules = []
    for case in program.rules:
        of_case = list(case.emissions)
        if case.reported == rule.name:
            of_case[place] = replace(of_case[place], template=template)
        rules.append(replace(case, emissions=tuple(of_case)))
    recursive = replace(program, rules=tuple(rules))
    names = [template.name for template in program.templates]
    for number in range(ASSIGNMENTS):
        strata = {name: source.randrange(len(names)) for name in names} if number else dict(program.strata)
        _expect(recursive, _levels(strata), False, "another emission, rejected", replay, counts)


def _levels(strata: Mapping[str, int]) -> list[list[str]]:
    levels: list[list[str]] = [[] for _ in range(1 + max(strata.values(), default=0))]
    for name, level in strata.items():
        levels[level].append(name)
    return levels


def _above(program: core.Program, strata: Mapping[str, int]) -> bool:
    """Return whether every rule emits above all that it reads."""
    read = {
        cases[0].reported: max(strata[pattern.template] for case in cases for pattern in case.patterns)
        for cases in core.cases_of(program.rules)
    }
    return all(strata[emission.template] > read[rule.reported] for rule in program.rules for emission in rule.emissions)


def _said(tree: ast.SourceProgram) -> set[str]:
    """Return the codes of the errors that the front end reports."""
    try:
        elaborate(tree)
    except ProgramError as error:
        return {diagnostic.code for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR}
    return set()


def _expect(
    program: core.Program,
    levels: Sequence[Sequence[str]],
    expected: bool,
    what: str,
    replay: Replay,
    counts: Counter[str],
) -> None:
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    numbers = _Placed(program, strata=levels)
    queues: list[Queue] = [(template.name, ()) for template in program.templates if template.name not in emitted]
    replay.load(numbers.case(queues))
    said = replay.ask(_no_answer, "strata") == "1"
    counts[f"strata: {what}, {'right' if expected else 'wrong'}"] += 1
    if said != expected:
        raise Broken("strata differ", f"{what}: Python {expected}, Rocq {said}: {levels}")
