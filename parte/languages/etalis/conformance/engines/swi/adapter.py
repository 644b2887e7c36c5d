"""ETALIS, the authors' own engine, under SWI-Prolog, behind the protocol.

It is not part of this project (LGPL-3): the user sets PARTE_ETALIS to its folder, and has `swipl` on the path. The
adapter writes a program as ETALIS rules, and an event as a call of `event/2` with a `datime`; it reads back the events
that ETALIS notes as fired. `(P).q` becomes a separate rule with the property `event_rule_window`. The adapter rejects
what ETALIS expresses otherwise, or not at all: numbers as events, heads with calculations, quotients.

Its differences from the specification are in docs/engines.md.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from parte.conformance.engines.answers import lines_of
from parte.conformance.engines.foreign import EngineFailure, ForeignEngine, Inexpressible, Reading
from parte.conformance.protocol import OPTIONS, Engine, Greeting, Load
from parte.languages.etalis.conformance.engine import NAME
from parte.languages.etalis.running import CHOSEN, event_to_json
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent, in_order, stream
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value, rank
from parte.languages.etalis.semantics.text import parsed
from parte.semantics.source.packages import Unavailable

Json = Any
Program = tuple[tree.Program, Mapping[str, str]]

VARIABLE = "PARTE_ETALIS"
POLICIES = {"unrestricted": "unrestricted", "recent-consuming": "recent", "chronological": "chronological"}
"""The names of its consumption policies here."""
_SECONDS = 20
_PLAIN = re.compile(r"[a-z]\w*", re.ASCII)
_HARNESS = """\
parte_tell :- forall((fired_event(E, [S, T]), E =.. [N|L], sub_atom(N, 0, 3, _, ev_)),
    (S = datime(_,_,_,_,_,A,_), T = datime(_,_,_,_,_,B,_),
     format("parte\\t~w\\t~w\\t~w~@~n", [N, A, B, parte_list(L)]))).
parte_list(L) :- forall(member(X, L), format("\\t~q", [X])).
parte_order(R, _, A, B) :- number(A), number(B), !, call(R, A, B).
parte_order(_, R, A, B) :- sub_atom(A, 0, 2, _, s_), sub_atom(B, 0, 2, _, s_), call(R, A, B).
parte_feed :- forall(parte_given(E, T),
    ignore(event(E, [datime(2010,1,1,0,0,T,1), datime(2010,1,1,0,0,T,1)]))).
parte_main :- parte_compile,
    statistics(process_cputime, Before), parte_feed, statistics(process_cputime, After),
    Seconds is After - Before, format("seconds\t~w~n", [Seconds]), parte_tell.
"""


def installation() -> Path:
    """Return the folder of its sources. Raise Unavailable, which says what to do."""
    folder = os.environ.get(VARIABLE, "")
    if not folder or not (Path(folder) / "etalis.P").is_file():
        raise Unavailable(
            "the engine etalis-swi needs ETALIS, which is not part of this project",
            f"get its sources (github.com/sspider/etalis) and set {VARIABLE} to the folder that has etalis.P",
        )
    if shutil.which("swipl") is None:
        raise Unavailable("the engine etalis-swi needs SWI-Prolog", "install it, so that swipl is on the path")
    return Path(folder)


def engine() -> Engine:
    """Return the engine behind the protocol. Raise Unavailable if it is not installed."""
    folder = installation()
    version = subprocess.run(["swipl", "--version"], capture_output=True, text=True, check=True).stdout.split()
    greeting = Greeting("ETALIS", f"of 2013, SWI-Prolog {version[2]}", features=("text", OPTIONS), languages=(NAME,))
    reading: Reading[Program, Sequence[Instant]] = Reading(
        lambda load: (parsed(load.text).program, options_of(load)),
        lambda program, trace: stream(program[0], lines_of(trace)),
    )
    return ForeignEngine(greeting, reading, lambda program: compiled(folder, *program))


def options_of(load: Load) -> Mapping[str, str]:
    """Return the options of a run, with the defaults."""
    return {name: choices[0] for name, choices in CHOSEN.items()} | dict(load.options)


def compiled(
    folder: Path, program: tree.Program, options: Mapping[str, str]
) -> Callable[[Sequence[Instant]], list[Json]]:
    """Return a program as ETALIS rules, ready for traces. Raise Inexpressible if that is impossible."""
    policy = POLICIES.get(options["policy"])
    if policy is None:
        raise Inexpressible(f"ETALIS has no policy {options['policy']}")
    if options["negation"] != "pairs":
        raise Inexpressible("negation by intervals")
    if options["lasting"] != "within" and any(isinstance(part, tree.Lasting) for part in _parts(program)):
        raise Inexpressible("(P).q of just that length")
    rules_of(program, 1)  # raises Inexpressible

    def find(instants: Sequence[Instant]) -> list[Json]:
        derived = fired(folder, program, policy, instants, _SECONDS).events
        in_stream = {
            IntervalEvent(name, values, instant.time, instant.time)
            for instant in instants
            for name, values in instant.atoms
        }
        return [event_to_json(event) for event in in_order(derived - in_stream)]

    return find


@dataclass(frozen=True, slots=True)
class Fired:
    """The derived events, with those of the stream that rules derive too, and the processor time from the first event
    of the stream to the last, without start and compilation."""

    events: frozenset[IntervalEvent]
    seconds: float


def fired(folder: Path, program: tree.Program, policy: str, instants: Sequence[Instant], limit: float) -> Fired:
    """Run a program under one of its policies, by the policy's name there. Raise EngineFailure after `limit`
    seconds."""
    scale = math.lcm(*(Fraction(instant.time).denominator for instant in instants))
    heads = {f"ev_{rule.head.name}" for rule in program.rules}
    facts = [
        f"parte_given({_atom(name, arguments)}, {instant.time * scale})."
        for instant in instants
        for name, arguments in sorted(instant.atoms, key=lambda atom: (atom[0], tuple(map(rank, atom[1]))))
    ]
    lines = _run(folder, policy, rules_of(program, scale), facts, limit)
    seconds = next(float(line[1]) for line in lines if line[0] == "seconds")
    fired_events = (line[1:] for line in lines if line[0] == "parte" and line[1] in heads)
    return Fired(frozenset(_event(line, scale) for line in fired_events), seconds)


def _run(folder: Path, policy: str, rules: str, facts: Sequence[str], limit: float) -> list[list[str]]:
    """Return the output of the harness, split into lines and fields."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place)
        (path / "rules.event").write_text(rules, encoding="utf-8")
        main = (
            f"parte_compile :- set_etalis_flag(event_consumption_policy, {policy}),\n"
            f"    compile_event_file('{path / 'rules.event'}').\n:- dynamic(parte_given/2).\n"
        )
        (path / "harness.pl").write_text("\n".join([_HARNESS + main, *facts, ""]), encoding="utf-8")
        goal = (
            "style_check(-singleton), style_check(-discontiguous), ['etalis.P'], tr_operators, "
            f"['{path / 'harness.pl'}'], (parte_main -> writeln(done) ; writeln(failed)), halt"
        )
        try:
            done = subprocess.run(
                ["swipl", "-q", "-f", "none", "-g", goal, "-t", "halt"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise EngineFailure(f"ETALIS did not end in {limit:g} s") from None
    lines = done.stdout.splitlines()
    if "done" not in lines:
        raise EngineFailure(f"ETALIS stopped: {' '.join(done.stderr.split())[-500:]}")
    return [line.split("\t") for line in lines]


def _event(fields: Sequence[str], scale: int) -> IntervalEvent:
    name, start, end, *arguments = fields
    return IntervalEvent(
        name.removeprefix("ev_"), tuple(map(_value, arguments)), _time(start, scale), _time(end, scale)
    )


def _time(text: str, scale: int) -> Number:
    time = Fraction(int(text), scale)
    return time.numerator if time.denominator == 1 else time


def _value(text: str) -> Value:
    match text:
        case "true" | "false":
            return Truth.TRUE if text == "true" else Truth.FALSE
        case _ if text.lstrip("-").isdigit():
            return int(text)
        case _:
            return text.removeprefix("s_")


# --- Rules ------------------------------------------------------------------------------------------------------------


def _parts(program: tree.Program) -> list[tree.Node]:
    return [part for rule in program.rules for part in tree.within(rule.body)]


def rules_of(program: tree.Program, scale: int) -> str:
    """Return a program as its rules, for times in parts of a unit. Raise Inexpressible if that is impossible."""
    writing = _Writing(scale)
    for rule in program.rules:
        if any(isinstance(term, tree.Calculation | tree.Comparison) for term in rule.head.arguments):
            raise Inexpressible("a head that calculates")
        writing.rules.append(f"{_event_pattern(rule.head)} <- {writing.pattern(rule.body)}")
    return "".join(f"{rule}.\n" for rule in writing.rules)


@dataclass(slots=True)
class _Writing:
    """The rules so far: a part with a length has two rules, the second with the property."""

    scale: int
    rules: list[str] = field(default_factory=list)
    lengths: int = 0

    def pattern(self, pattern: tree.Pattern) -> str:
        """Return a pattern in the body of a rule."""
        match pattern:
            case tree.EventPattern():
                return _event_pattern(pattern)
            case tree.Moment():
                raise Inexpressible("a number as an event")
            case tree.Lasting():
                return self.lasting(pattern)
            case tree.Where(operand=operand, condition=condition):
                return f"(({self.pattern(operand)}) where (catch({_condition(condition)}, _, fail)))"
            case tree.Negation(absent=absent, first=first, last=last):
                return f"((({self.pattern(first)}) seq ({self.pattern(last)})) cnot ({self.pattern(absent)}))"
            case tree.Joined(left=left, operator=operator, right=right):
                return f"(({self.pattern(left)}) {operator.value.lower()} ({self.pattern(right)}))"

    def lasting(self, pattern: tree.Lasting) -> str:
        """Return the event for a pattern with a greatest length, and add its rules."""
        body = self.pattern(pattern.operand)
        self.lengths += 1
        number = self.lengths
        variables = tuple(map(tree.Variable, sorted(tree.bound(pattern))))
        whole, short = (_event_pattern(tree.EventPattern(f"_{part}{number}", variables)) for part in ("p", "q"))
        self.rules += [
            f"{whole} <- {body}",
            f"w{number} 'rule:' {short} <- {whole}",
            f"event_rule_property(w{number}, event_rule_window, {math.floor(pattern.length * self.scale)})",
        ]
        return short


def _event_pattern(pattern: tree.EventPattern) -> str:
    arguments = ",".join(map(_argument, pattern.arguments))
    return f"ev_{pattern.name}({arguments})" if arguments else f"ev_{pattern.name}"


def _argument(term: tree.Term) -> str:
    match term:
        case tree.Variable(name=name):
            return f"V_{name}"
        case tree.Constant(value=value):
            return _constant(value)
        case tree.Calculation() | tree.Comparison():
            raise Inexpressible("a pattern that calculates")
        case _:
            assert_never(term)


def _atom(name: str, arguments: Arguments) -> str:
    return f"ev_{name}({','.join(map(_constant, arguments))})" if arguments else f"ev_{name}"


def _constant(value: Value) -> str:
    match value:
        case Truth():
            return "true" if value is Truth.TRUE else "false"
        case int():
            return str(value)
        case str() if _PLAIN.fullmatch(value):
            return f"s_{value}"
        case str():
            raise Inexpressible("a string that is no plain name")
        case Fraction():
            raise Inexpressible("a number that is not whole as data")
        case _:
            assert_never(value)


_RELATIONS = {
    tree.Relation.LESS: ("<", "@<"),
    tree.Relation.LESS_OR_EQUAL: ("=<", "@=<"),
    tree.Relation.GREATER: (">", "@>"),
    tree.Relation.GREATER_OR_EQUAL: (">=", "@>="),
}
"""The comparison operators of numbers and of strings."""


def _condition(term: tree.Term) -> str:
    if not isinstance(term, tree.Comparison):
        raise Inexpressible("a condition that is no comparison")
    left, right = _number(term.left), _number(term.right)
    match term.relation:
        case tree.Relation.EQUAL:
            return f"({_evaluated('A', left, term.left)}, {_evaluated('B', right, term.right)}, A == B)"
        case tree.Relation.NOT_EQUAL:
            return f"({_evaluated('A', left, term.left)}, {_evaluated('B', right, term.right)}, A \\== B)"
        case relation if isinstance(term.left, tree.Calculation) or isinstance(term.right, tree.Calculation):
            return f"({left} {_RELATIONS[relation][0]} {right})"
        case relation:
            numbers, strings = _RELATIONS[relation]
            return f"parte_order(({numbers}), ({strings}), {left}, {right})"


def _evaluated(name: str, text: str, term: tree.Term) -> str:
    return f"{name} is {text}" if isinstance(term, tree.Calculation) else f"{name} = {text}"


def _number(term: tree.Term) -> str:
    match term:
        case tree.Calculation(operator=tree.Arithmetic.OVER):
            raise Inexpressible("a quotient")
        case tree.Calculation(left=left, operator=operator, right=right):
            return f"({_number(left)} {operator.value} ({_number(right)}))"
        case tree.Variable() | tree.Constant() | tree.Comparison():
            return _argument(term)
        case _:
            assert_never(term)
