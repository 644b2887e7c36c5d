"""Running programs of ETALIS: the machine as a trace arrives, the definition and the clauses of E on a whole trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate as define
from parte.languages.etalis.algebra.patterns import TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.semantics.machine import Machine, TooManyEvents, UnsupportedPolicy
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.published import repairs
from parte.languages.etalis.semantics.published.machine import NoClauses, Published
from parte.languages.etalis.semantics.published.terms import PrologError
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import Source
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, Stream, stream
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge, value_to_json
from parte.semantics.events.rejection import LineCheck
from parte.semantics.events.strictjson import quoted
from parte.semantics.rulebook.models import ALGEBRA, DEFINITION, PUBLISHED, SOUND
from parte.semantics.rulebook.running import Option, Request, Runner, Running, UnsupportedRun

Json = Any
POLICY = "policy"
CHOSEN: Mapping[str, tuple[str, ...]] = MappingProxyType({POLICY: tuple(POLICIES), **CHOICES})
"""The options of a run, each with what it may be, the default first."""


@dataclass(slots=True)
class Feeding(Running[Json]):
    """A machine that is fed line by line, and the stream as it comes. Events up to instants that are over are
    certain."""

    machine: Machine
    stream: Stream
    lines: int = 0

    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[Json]]:
        """Yield the derived events up to each of the instants that are over after some more lines."""
        for line in lines:
            instants = self.stream.more((line,))
            self.lines += 1
            yield from self._at(instants)

    def end(self) -> Iterator[Sequence[Json]]:
        """Yield the derived events of the last instant, and those that no event is needed for."""
        yield from self._at(self.stream.end())
        yield [*map(event_to_json, self.machine.end())]

    def _at(self, instants: Iterable[Instant]) -> Iterator[Sequence[Json]]:
        for instant in instants:
            yield [*map(event_to_json, self.machine.instant(instant))]

    def stored(self) -> Mapping[str, int]:
        """Return the number of goals and absent events by binary rule."""
        return {f"binary rule {number}": count for number, count in enumerate(self.machine.kept_by_rule, 1)}


def begin(source: Source, request: Request) -> Feeding:
    """Start the machine for a program."""
    return Feeding(machine_of(source.program, _options(request)), Stream(source.program, request.filename))


def evaluate(source: Source, lines: Iterable[str], request: Request) -> Sequence[Json]:
    """Return the derived events of a whole trace."""
    options = _options(request)
    instants = stream(source.program, lines, request.filename)
    if request.called == PUBLISHED:
        derived: Iterable[IntervalEvent] = clauses(source, options).run(instants)
    elif request.called == SOUND:
        derived = machine_of(source.program, options).run(instants)
    else:
        readings = Readings(**{name: options[name] for name in CHOICES})
        try:
            derived = define(source.program, instants, readings, options[POLICY])
        except Recursive as error:
            raise UnsupportedRun(
                f"the equation of policies is for programs without recursion: {error}; "
                "the model sound runs such a program"
            ) from None
    return [*map(event_to_json, derived)]


def supports(source: Source, request: Request) -> None:
    """Raise an exception of RUNNER.unsupported if the model does not run a program."""
    options = _options(request)
    if request.called == PUBLISHED:
        clauses(source, options)
    else:
        machine_of(source.program, options)


def check(source: Source) -> LineCheck:
    """Return the check of single lines against a program; events of ETALIS have no ids."""
    stream = Stream(source.program)
    return lambda line, _: stream.reason(line)


def clauses(source: Source, options: Mapping[str, str]) -> Published:
    """The clauses that E prints, with the repairs without which they do not run."""
    if any(options[name] != choices[0] for name, choices in CHOICES.items()):
        raise NoClauses("the clauses of E have one reading")
    return Published(source.program, repairs.PUBLISHED, options[POLICY])


def machine_of(program: tree.Program, options: Mapping[str, str]) -> Machine:
    """The machine for a program and options. UnsupportedPolicy."""
    chosen = {name: choices[0] for name, choices in CHOSEN.items()} | dict(options)
    policy, lasting, negation, during = (chosen[name] for name in (POLICY, "lasting", "negation", "during"))
    return Machine(program, POLICIES[policy], lasting, negation, during)


def _options(request: Request) -> dict[str, str]:
    """Return the value of every option. UnsupportedRun if one is unknown, or its value is."""
    for name, value in request.options.items():
        if name not in CHOSEN:
            raise UnsupportedRun(f"there is no option {quoted(name)}; there are {', '.join(CHOSEN)}")
        if value not in CHOSEN[name]:
            raise UnsupportedRun(f"{name}: expected {', '.join(CHOSEN[name])}, found {quoted(value)}")
    return {name: choices[0] for name, choices in CHOSEN.items()} | dict(request.options)


def event_to_json(event: IntervalEvent) -> dict[str, Json]:
    """A derived event as results hold it."""
    return {
        "event": event.name,
        "arguments": [*map(value_to_json, event.arguments)],
        "start": value_to_json(event.start),
        "end": value_to_json(event.end),
    }


RUNNER: Runner[Source] = Runner(
    models=(DEFINITION, ALGEBRA, SOUND, PUBLISHED),
    whole=frozenset((DEFINITION, ALGEBRA, PUBLISHED)),
    evaluate=evaluate,
    begin=begin,
    supports=supports,
    check=check,
    unsupported=(UnsupportedPolicy, NoClauses),
    failures=(TooManyFindings, PrologError),
    rejections={
        NumberTooLarge: "number-too-large",
        fixpoint.TooManyEvents: "too-many-events",
        TooManyEvents: "too-many-events",
    },
    options={POLICY: Option(f"Which goals are taken: {', '.join(CHOSEN[POLICY])}.", CHOSEN[POLICY])},
    readings=CHOICES,
    stored="goals",
)
