"""Measures of cases of ETALIS: the rules that fire, the constructs that an engine needs, and what an error
contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, assert_never

from parte.conformance.firing import rules_fired
from parte.conformance.fixtures import Fixture
from parte.conformance.kit import Measures
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.conformance.drawing import is_recursive
from parte.languages.etalis.conformance.engine import EtalisEngine
from parte.languages.etalis.running import POLICY, event_to_json
from parte.languages.etalis.semantics.listing import RULES
from parte.languages.etalis.semantics.machine import TooManyEvents
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, stream
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge
from parte.languages.etalis.semantics.text import parsed

Json = Any


def read_input(case: Fixture) -> tuple[tree.Program, list[Instant]]:
    """Return the program and the stream of a case. Raise ProgramError or TraceError if it is to be rejected."""
    program = parsed(case.text).program
    return program, stream(program, case.trace_text.splitlines())


_INTERVALS = frozenset({"PAR", "EQUALS", "MEETS", "DURING", "STARTS", "FINISHES"})


def constructs(case: Fixture) -> Iterator[str]:
    """Yield the profiles that the constructs of a case belong to, except `core`."""
    program = parsed(case.text).program
    nodes = [node for rule in program.rules for part in (rule.head, rule.body) for node in tree.within(part)]
    by_profile = {
        "readings": any(name in CHOICES for name in case.options),
        "policies": POLICY in case.options,
        "recursion": is_recursive(program),
        "negation": any(isinstance(node, tree.Negation) for node in nodes),
        "moments": any(isinstance(node, tree.Moment) for node in nodes),
        "lasting": any(isinstance(node, tree.Lasting) for node in nodes),
        "intervals": any(isinstance(node, tree.Joined) and node.operator.value in _INTERVALS for node in nodes),
        "data": any(isinstance(node, tree.Term) for node in nodes),
    }
    yield from (name for name, has in by_profile.items() if has)


# --- What an error contradicts ----------------------------------------------------------------------------------------


def contradicted(case: Fixture, missing: Sequence[Json], spurious: Sequence[Json]) -> tuple[str, str] | None:
    """Return the rule whose effect an engine contradicts, and a sentence about the effect.

    A spurious event is attributed to the first operator without which it would be derived; a missing one, to the
    operator of the pattern that derives it. None if neither gives a rule.
    """
    program, instants = read_input(case)
    for result in spurious:
        for identity, effect, without in _relaxed(program):
            if result in _answers(without, instants, case):
                return identity, f"{effect} excludes {_name(result)}"
    for result in missing:
        for number, rule in enumerate(program.rules):
            if rule.head.name == result.get("event"):
                left = tree.Program((*program.rules[:number], *program.rules[number + 1 :]))
                if result not in _answers(left, instants, case):
                    return _making(rule.body), f"{rule.head.name} <- … makes {_name(result)}"
    return ("ETALIS/TRIGGER", f"no rule makes {_name(spurious[0])}") if spurious else None


def _answers(program: tree.Program, instants: Sequence[Instant], case: Fixture) -> list[Json]:
    readings = Readings(**{name: case.options[name] for name in CHOICES if name in case.options})
    try:
        derived = evaluate(program, instants, readings, case.options.get(POLICY, "unrestricted"))
    except (Recursive, TooManyFindings, TooManyEvents, NumberTooLarge):
        return []
    return [event_to_json(event) for event in derived]


def _name(result: Json) -> str:
    arguments = ", ".join(map(str, result.get("arguments", ())))
    return f"{result.get('event')}({arguments}) [{result.get('start')}, {result.get('end')}]"


def _making(body: tree.Pattern) -> str:
    """Return the rule that derives a head from a body."""
    match body:
        case tree.Where():
            return "ETALIS/WHERE"
        case tree.Lasting():
            return "ETALIS/LASTING"
        case tree.Negation():
            return "ETALIS/NOT-CHECK"
        case tree.Joined(operator=tree.Operator.OR):
            return "ETALIS/OR-LEFT"
        case tree.Joined(operator=operator):
            one_sided = operator in (tree.Operator.SEQ, tree.Operator.DURING, tree.Operator.STARTS)
            return f"ETALIS/{operator.value}-CHECK{'' if one_sided else '-RIGHT'}"
        case tree.EventPattern() | tree.Moment():
            return "ETALIS/COPY"
        case _:
            assert_never(body)


def _relaxed(program: tree.Program) -> Iterator[tuple[str, str, tree.Program]]:
    """Yield the program without one of its operators, with the rule and the name of that operator."""
    for number, rule in enumerate(program.rules):
        for node in tree.within(rule.body):
            match node:
                case tree.Where(operand=operand):
                    identity, effect, plainer = "ETALIS/WHERE", "the condition", operand
                case tree.Lasting(operand=operand):
                    identity, effect, plainer = "ETALIS/LASTING", "the length", operand
                case tree.Negation(first=first, last=last):
                    identity, effect = "ETALIS/NOT-BLOCK", "what is to be absent"
                    plainer = tree.Joined(first, tree.Operator.SEQ, last)
                case tree.Joined(left=left, operator=operator, right=right) if operator.value not in ("OR", "AND"):
                    identity, effect = _making(node), operator.value
                    plainer = tree.Joined(left, tree.Operator.AND, right)
                case _:
                    continue
            body = tree.TREE.exchanged(rule.body, node, plainer)
            rules = (*program.rules[:number], replace(rule, body=body), *program.rules[number + 1 :])
            yield identity, effect, tree.Program(rules)


MEASURES = Measures(rules_fired(RULES, EtalisEngine), constructs, contradicted)
