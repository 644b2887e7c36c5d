"""Running a test of a rule: what it expects, what a model answers, and the verdict."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from parte.conformance.casefiles.cases import Answers
from parte.conformance.casefiles.rule_tests import Count, Miss, RuleTest
from parte.conformance.engines.answers import lines_of
from parte.conformance.engines.registry import engine_called
from parte.conformance.kit import KIT
from parte.conformance.protocol import (
    INVALID_DOMAIN,
    Accepted,
    Engine,
    Failed,
    Found,
    Load,
    Rejected,
    Unsupported,
)
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import sources_in
from parte.languages.language import Language
from parte.rule_tests.discovery import Flaw, Program
from parte.rule_tests.support import SUPPORT, Reasons
from parte.semantics.events.differences import Key, differences
from parte.semantics.events.files import UnusableFile, read_text
from parte.semantics.events.problems import TraceError, further
from parte.semantics.events.promises import LATE, least_disorder
from parte.semantics.events.strictjson import MalformedJson, decode, dumped
from parte.semantics.events.timestamps import to_timestamp
from parte.semantics.events.trace import read_records, read_trace
from parte.semantics.events.values import Unfit
from parte.semantics.rulebook.running import RUN
from parte.semantics.source.similar import advice

Json = Any

MOST_REASONS = 6
"""Missing matches of a test whose reasons are looked for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a test. `message` names what differs; `expected` and `got` are lines in the notation of tests.

    `reasons` explain matches that are missing. `flaws` are the reasons why the test cannot be run.
    """

    file: str
    test: RuleTest
    program: Program
    verdict: CaseVerdict
    seconds: float = 0.0
    message: str = ""
    missing: tuple[Json, ...] = ()
    spurious: tuple[Json, ...] = ()
    expected: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    flaws: tuple[Flaw, ...] = ()

    @property
    def place(self) -> str:
        """The file and the line of the test."""
        return f"{self.file}:{self.test.line}"

    @property
    def rule_place(self) -> str:
        """The place of the rule that the test is mostly about, or of the program."""
        test, support = self.test, self.program.language
        stated = [miss.rule for miss in test.misses]
        if isinstance(test.expected, Answers):
            stated += [rule_of(match) for match in (*self.missing, *self.spurious, *test.expected.matches)]
        elif test.expected is not None:
            stated += [count.rule for count in test.expected]
        rules = list(dict.fromkeys(filter(None, stated)))[:MOST_REASONS]
        if not rules or not support.has(SUPPORT):
            return self.program.path
        place = support[SUPPORT].place
        return ", ".join(place(self.program, rule) for rule in rules)

    @property
    def unusable(self) -> bool:
        """True if the test could not be run."""
        return self.verdict in (CaseVerdict.ERROR, CaseVerdict.UNSUPPORTED)


class Unusable(Exception):
    """A test that cannot be run, because of flaws in its files."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        super().__init__()
        self.flaws = tuple(flaws)


@dataclass(frozen=True, slots=True)
class Input:
    """The input of an engine by a test: the items of the trace, the place of each, and the tables of the domain."""

    trace: tuple[Json, ...]
    places: tuple[tuple[str, int], ...]
    domain: Mapping[str, Json]


@dataclass(slots=True)
class Engines:
    """The engines of one model, one for each language, made on first use."""

    model: str
    _made: dict[str, Engine] = field(default_factory=dict)

    def of(self, language: Language) -> Engine:
        """Return the engine of a language. KeyError if the language has no such model."""
        if language.name not in self._made:
            self._made[language.name] = engine_called(language[KIT].engines(), self.model)
        return self._made[language.name]


def input_of(file: str, test: RuleTest) -> Input:
    """Return the trace and the domain of a test. Unusable if a file of these cannot be used."""
    folder = os.path.dirname(file)
    domain = test.domain
    if test.domain_file:
        path = os.path.join(folder, test.domain_file)
        domain = _domain(path, Flaw(file, test.line_of("domain"), 0, ""))
    if not test.log:
        return Input(test.trace, tuple((file, line) for line in test.places), domain)
    path = os.path.join(folder, test.log)
    text = _read(path, Flaw(file, test.line_of("log"), 0, ""))
    try:
        records = read_records(text, filename=path)
    except TraceError as error:
        raise Unusable(
            Flaw(path, problem.line, 0, problem.message, problem.hint) for problem in error.problems
        ) from None
    items = tuple(record for _, record in records)
    return Input(items, tuple((path, number) for number, _ in records), domain)


def _domain(path: str, where: Flaw) -> Mapping[str, Json]:
    try:
        tables = decode(_read(path, where), finite=True)
    except MalformedJson as error:
        raise Unusable([Flaw(path, error.line, 0, str(error), "a domain file is JSON")]) from None
    if not isinstance(tables, dict):
        raise Unusable([Flaw(path, 1, 0, "expected an object with the predicates")])
    return tables


def _read(path: str, where: Flaw) -> str:
    try:
        return read_text(path)
    except UnusableFile as error:
        raise Unusable([Flaw(path, error.line, error.column, error.reason, error.hint)]) from None
    except OSError as error:
        raise Unusable([replace(where, message=f"cannot read {path}: {error.strerror or error}")]) from None


def run_test(file: str, test: RuleTest, program: Program, engines: Engines, *, explain: bool = True) -> Outcome:
    """Return the outcome of a test. With `explain` a failure has its reasons, if the language gives some."""
    started = time.perf_counter()
    outcome = Outcome(file, test, program, CaseVerdict.PASS)
    try:
        test_input = input_of(file, test)
        results = answered(file, test, program, test_input, engines.of(program.language))
        outcome = _Judge(outcome, test_input, explain).judged(results)
    except Unusable as error:
        message = error.flaws[0].message if error.flaws else ""
        outcome = replace(outcome, verdict=CaseVerdict.ERROR, message=message, flaws=error.flaws)
    except MemoryError as error:  # the definition would look at more values than it may
        message = f"the model {engines.model} gave up: {error}"
        flaws = (Flaw(file, test.line, 0, message),)
        outcome = replace(outcome, verdict=CaseVerdict.ERROR, message=message, flaws=flaws)
    except UnsupportedTest as error:
        outcome = replace(outcome, verdict=CaseVerdict.UNSUPPORTED, message=f"{engines.model}: {error}")
    return replace(outcome, seconds=time.perf_counter() - started)


class UnsupportedTest(Exception):
    """A program that a model does not run."""


def answered(file: str, test: RuleTest, program: Program, test_input: Input, engine: Engine) -> Found:
    """Return the answer of an engine. Raises Unusable if it rejects the program, the trace or the domain."""
    runner = program.language[RUN] if program.language.has(RUN) else None
    known = () if runner is None else (*runner.options, *runner.readings)
    if unknown := [name for name in test.options if name not in known]:
        message = f"{program.language.name} has no option {unknown[0]}; {advice(unknown[0], known)}"
        raise Unusable([Flaw(file, test.line_of("options"), 0, message)])
    deployment = {"disorder": test.disorder, "sources": sources_in(test_input.trace)}
    load = Load(program.text, program.tree, test_input.domain, deployment, program.language.name, test.options)
    reply = engine.load(load)
    if isinstance(reply, Accepted):
        reply = engine.run(test_input.trace)
    match reply:
        case Found():
            return reply
        case Rejected():
            raise Unusable(_with_late_events_as_one(_rejections(file, test, program, test_input, reply), test_input))
        case Unsupported(reason):
            raise UnsupportedTest(reason)
        case Failed(message):
            raise Unusable([Flaw(file, test.line, 0, f"the model gave up: {message}")])
        case _:
            raise AssertionError(f"no answer to a run: {reply}")


def _rejections(file: str, test: RuleTest, program: Program, test_input: Input, reply: Rejected) -> Iterator[Flaw]:
    for diagnostic in reply.diagnostics:
        line = diagnostic.get("line", 0)
        message = diagnostic.get("message", diagnostic["code"])
        if diagnostic["code"] == INVALID_DOMAIN:
            yield Flaw(file, test.line_of("domain"), 0, message)
        elif "column" in diagnostic:
            yield Flaw(program.path, line, diagnostic["column"], message)
        elif 0 < line <= len(test_input.places):
            yield Flaw(*test_input.places[line - 1], 0, _with_places(message, test_input))
        else:
            yield Flaw(file, test.line_of("log" if test.log else "trace"), 0, message)


def _with_late_events_as_one(flaws: Iterable[Flaw], test_input: Input) -> Iterator[Flaw]:
    """Yield flaws with one in place of those of late events: the first, with the disorder that allows for all."""
    flaws = tuple(flaws)
    late = [flaw for flaw in flaws if LATE in flaw.message]
    for flaw in flaws:
        if flaw not in late:
            yield flaw
        elif flaw is late[0]:
            lag = least_disorder(read_trace(lines_of(test_input.trace), nulls=True))
            more = len(late) - 1
            message = (
                f"{flaw.message}; {further([repeated.line for repeated in late[1:]], more)}" if more else flaw.message
            )
            yield replace(flaw, message=message, hint=f"write the events in order, or `disorder {lag}`")


def _with_places(message: str, test_input: Input) -> str:
    """Return a message about a trace with the lines of the file, where it names the numbers of items."""

    def line(number: re.Match[str]) -> str:
        index = int(number[1]) - 1
        return f"on line {test_input.places[index][1]}" if 0 <= index < len(test_input.places) else number[0]

    return re.sub(r"\bon line (\d{1,9})\b", line, message)


# --- Judging ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Judge:
    """Compares what a test expects with an answer."""

    outcome: Outcome
    test_input: Input
    explain: bool

    def judged(self, results: Found) -> Outcome:
        """Return the outcome. Raises Unusable for a rule that does not exist."""
        expected = self.outcome.test.expected
        if isinstance(expected, Answers):
            outcome = self._exact(expected, results)
        else:
            outcome = self._counted(expected or (), results)
        complaints = [complaint for miss in self.outcome.test.misses for complaint in self._complaints(miss)]
        if not complaints:
            return outcome
        message = "; ".join(filter(None, (outcome.message, *complaints)))
        return replace(outcome, verdict=CaseVerdict.FAIL, message=message)

    def _exact(self, expected: Answers, results: Found) -> Outcome:
        named = bool(self.outcome.program.rules)  # else matches have a name that no program gives
        for answer in (*expected.matches, *expected.failures, *expected.suppressed):
            if named and isinstance(answer, dict) and isinstance(answer.get("rule"), str):
                self._check_rule(answer["rule"], "expect")
        wanted = Answers(tuple(map(_timed, expected.matches)), expected.failures, expected.suppressed)
        stated = any(match.get("emits") for match in wanted.matches if isinstance(match, dict))
        got = Answers(
            results.matches if stated else tuple(map(without_emits, results.matches)),
            (results.failures or ()) if wanted.failures else (),
            (results.suppressed or ()) if wanted.suppressed else (),
        )
        key = self.outcome.program.key
        missing, spurious = differences(wanted.matches, got.matches, key)
        unemitted = [
            differences(*pair, key) for pair in ((wanted.failures, got.failures), (wanted.suppressed, got.suppressed))
        ]
        missing += tuple(item for lacking, _ in unemitted for item in lacking)
        spurious += tuple(item for _, further in unemitted for item in further)
        if not missing and not spurious:
            return self.outcome
        pairs = _other_emissions(missing, spurious, key)
        absent = tuple(match for match in missing if not any(match is pair[0] for pair in pairs))
        further = len(spurious) - len(pairs)
        parts = [_emitting(pairs)] * bool(pairs)
        parts += [f"{_some(len(absent))} missing"] * bool(absent)
        parts += [f"{_some(further)} not expected"] * bool(further)
        return replace(
            self.outcome,
            verdict=CaseVerdict.FAIL,
            message=", ".join(parts),
            missing=missing,
            spurious=spurious,
            expected=self._lines(wanted),
            got=self._lines(got),
            reasons=tuple(self._why_missing(absent)),
        )

    def _counted(self, expected: Sequence[Count], results: Found) -> Outcome:
        complaints: list[str] = []
        reasons: list[str] = []
        for count in expected:
            self._check_rule(count.rule, "expect")
            matches = [match for match in results.matches if not count.rule or rule_of(match) == count.rule]
            number = len(matches)
            if number == count.number or (count.number is None and number):
                continue
            complaints.append(f"expected {count}, got {number or 'none'}")
            if self.explain and (count.number is None or number < count.number):
                for rule in [count.rule] if count.rule else self.outcome.program.rules[:MOST_REASONS]:
                    reasons += self._reasons(rule, {})
        if not complaints:
            return self.outcome
        got = self._lines(Answers(tuple(map(without_emits, results.matches))))
        return replace(
            self.outcome,
            verdict=CaseVerdict.FAIL,
            message="; ".join(complaints),
            expected=tuple(map(str, expected)),
            got=got,
            reasons=tuple(reasons),
        )

    def _lines(self, answers: Answers) -> tuple[str, ...]:
        notation = self.outcome.program.language[KIT].notation
        return tuple(notation.write(answers)) or ("nothing",)

    def _check_rule(self, rule: str, field_: str) -> None:
        """Raise Unusable if a rule does not exist."""
        rules, program = self.outcome.program.rules, self.outcome.program
        if rule and rule not in rules:
            several = f"no rule of {program.path} is called {rule}; {advice(rule, rules)}"
            alone = f"a program of {program.language.name} is one rule; leave the name {rule} out"
            where = self.outcome.test.line_of(field_)
            raise Unusable([Flaw(self.outcome.file, where, 0, several if rules else alone)])

    def _why_missing(self, missing: Sequence[Json]) -> Iterator[str]:
        """Yield reasons for missing matches of rules."""
        for match in missing[:MOST_REASONS] if self.explain else ():
            rule, bindings = rule_of(match), match.get("bindings") if isinstance(match, dict) else None
            if rule and isinstance(bindings, dict):
                yield from self._reasons(rule, bindings)

    def _reasons(self, rule: str, bindings: Mapping[str, str]) -> list[str]:
        try:
            reasons = self._why(rule, bindings)
        except LookupError as error:
            return [str(error)]
        return [] if reasons is None else reasons.report.split("\n")

    def _why(self, rule: str, bindings: Mapping[str, str]) -> Reasons | None:
        program = self.outcome.program
        if not program.language.has(SUPPORT):
            return None
        why = program.language[SUPPORT].why
        return why(program, self.outcome.test, self.test_input.trace, self.test_input.domain, rule, bindings)

    def _complaints(self, miss: Miss) -> Iterator[str]:
        """Yield what is wrong with a near miss. Raises Unusable if it names something that does not exist."""
        where = Flaw(self.outcome.file, miss.line, 0, "")
        self._check_rule(miss.rule, "why")
        try:
            reasons = self._why(miss.rule, miss.bindings)
        except LookupError as error:
            raise Unusable([replace(where, message=str(error))]) from None
        if reasons is None:
            message = f"{self.outcome.program.language.name} gives no reasons; leave `why` out"
            raise Unusable([replace(where, message=message)])
        if reasons.matches:
            yield f"{miss} is a match, not a near miss"
            return
        texts = [missed.text for missed in self.outcome.test.misses if str(missed) == str(miss)]
        against = [" ".join(reason.split()) for reason in reasons.against]
        if not any(miss.text in reason for reason in against):
            yield f"the reason why {miss} is no match is not `{miss.text}`, but: {'; '.join(against) or 'none'}"
        elif miss.text == texts[0]:
            further = [reason for reason in against if not any(text in reason for text in texts)]
            if further:
                yield f"{miss} fails for more than is stated: {'; '.join(further)}"


def rule_of(match: Json) -> str:
    """Return the name of the rule of a match, or of the event that stands for it; empty if the language has none."""
    return str(match.get("rule") or match.get("event") or "") if isinstance(match, dict) else ""


def without_emits(match: Json) -> Json:
    """Return a match without the events that it emits."""
    return {**match, "emits": []} if isinstance(match, dict) and "emits" in match else match


def _timed(match: Json) -> Json:
    """Return an expected match with the timestamps of emitted events in milliseconds, however they are written."""
    if not isinstance(match, dict) or not isinstance(match.get("emits"), list):
        return match
    return {**match, "emits": [_timed_event(event) for event in match["emits"]]}


def _timed_event(event: Json) -> Json:
    if not isinstance(event, dict) or not isinstance(event.get("timestamp"), str):
        return event
    try:
        return {**event, "timestamp": to_timestamp(event["timestamp"])}
    except Unfit:
        return event


def _other_emissions(missing: Sequence[Json], spurious: Sequence[Json], key: Key) -> list[tuple[Json, Json]]:
    """Return the missing matches that are there, each with what is there: only the emitted events differ."""
    rest = list(filter(_emits_events, spurious))
    pairs = []
    for match in filter(_emits_events, missing):
        alike = [actual for actual in rest if key(without_emits(actual)) == key(without_emits(match))]
        if alike:
            rest = [actual for actual in rest if actual is not alike[0]]
            pairs.append((match, alike[0]))
    return pairs


def _emits_events(match: Json) -> bool:
    events = match.get("emits") if isinstance(match, dict) else None
    return isinstance(events, list) and all(isinstance(event, dict) for event in events)


def _emitting(pairs: Sequence[tuple[Json, Json]]) -> str:
    parts: dict[str, None] = {}
    for wanted, got in pairs:
        if len(wanted["emits"]) != len(got["emits"]):
            parts["the number of events"] = None
        for events in zip(wanted["emits"], got["emits"], strict=False):
            parts |= dict.fromkeys(name for name in events[0] | events[1] if len({*map(_field(name), events)}) > 1)
    there = "the match is there" if len(pairs) == 1 else f"{_some(len(pairs))} are there"
    return f"{there}, but what {'it emits' if len(pairs) == 1 else 'they emit'} differs: {', '.join(parts)}"


def _field(name: str) -> Callable[[Json], str]:
    return lambda event: dumped(event.get(name))


def _some(number: int) -> str:
    return f"{number} match{'' if number == 1 else 'es'}"
