"""The reasons why a rule matched or did not: the algebra's verdict on bound events, and the steps at which a model lost
a match or found one too many.

    from parte.conformance.partelang.why import why

    print(why(scenario, "FraudPassThrough", {"incoming": "t1"}).render())
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TypeVar

from parte.algebra.partelang.demands import Kind
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.reasons import LIMIT, NEAREST, Explained, Level, Search, explained, search
from parte.conformance.partelang.comparison import Difference, difference_about
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import SuppressedEmission
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.source.similar import advice

_DEMANDS_SHOWN = 3
_SUPPRESSED_SHOWN = 10
_MARKS = {Kind.SET: "set", Kind.AGGREGATE: "is "}
"""The beginnings of lines that report a value; those of demands are "yes" and "NO "."""


class UnknownBinding(LookupError):
    """A rule, a variable or an event that does not exist."""


@dataclass(frozen=True, slots=True)
class Why:
    """The algebra's verdict on a rule and the events that some of its variables are bound to.

    `whole` explains a binding of all positive variables, `search` is the result of a search from fewer; one of them is
    None. `matches` is the number of the rule's matches with this binding. `model` is the machine that was compared, and
    `difference` explains how it lost the first match that it lacks, or found one too many; None if there is none.
    `suppressed` are the emissions of these matches that were suppressed.
    """

    rule: core.Rule
    bindings: tuple[tuple[str, str], ...]
    matches: int
    whole: Explained | None
    search: Search | None
    model: str | None = None
    difference: Difference | None = None
    suppressed: tuple[SuppressedEmission, ...] = ()

    def render(self) -> str:
        """Return the explanation as text."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.render()

    def to_json(self) -> str:
        """Return one line of JSON with everything that `render` reports."""
        record: dict[str, object] = {
            "rule": self.rule.reported,
            "bindings": dict(self.bindings),
            "matches": self.matches,
            "explained": None if self.whole is None else _record(self.whole),
            "search": None if self.search is None else _search_record(self.search),
            "model": self.model,
            "difference": None if self.difference is None else self.difference.record(),
        }
        if self.suppressed:
            record["suppressed"] = [{**lost.record(), "event": lost.event} for lost in self.suppressed]
        return json.dumps(record, ensure_ascii=False, allow_nan=False)

    def _lines(self) -> Iterator[str]:
        bindings = ", ".join(f"{variable}={event}" for variable, event in self.bindings)
        count = f"{self.matches} match{'' if self.matches == 1 else 'es'}" if self.matches else "no match"
        yield f"{self.rule.name}{f'({bindings})' if bindings else ''}: {count}"
        for lost in self.suppressed[:_SUPPRESSED_SHOWN]:
            yield f"  {lost}"
        if len(self.suppressed) > _SUPPRESSED_SHOWN:
            yield f"  and {len(self.suppressed) - _SUPPRESSED_SHOWN:,} more suppressed emissions"
        if self.whole is not None:
            yield from _explained(self.rule, self.whole)
        if self.search is not None:
            yield from _searched(self.rule, self.search)
        if self.model is not None:
            yield f"{self.model} has the same" if self.difference is None else f"{self.model} differs:"
            yield from (f"  {line}" for line in (self.difference.lines() if self.difference else ()))


def why(
    scenario: Scenario[core.Program],
    rule: str | None = None,
    bindings: Mapping[str, str] | None = None,
    *,
    model: Model | None = None,
    nearest: int = NEAREST,
    limit: int = LIMIT,
) -> Why:
    """Return why a rule matches the events with these ids, or does not; for unbound variables, with the nearest misses.

    `rule` may be omitted if the program has only one. A search tries at most `limit` combinations of events. With a
    model, the result also explains how it differs from the algebra. UnknownBinding for a rule, variable or event that
    does not exist.
    """
    ids = bindings or {}
    chosen = _rule(scenario, rule, ids)
    outcome = run(scenario.program, scenario.events, scenario.predicates, "indexed")
    truth = outcome.matches
    known = _stream(scenario, chosen, truth)
    bound = _bound(chosen, ids, known, {lost.event: str(lost) for lost in outcome.suppressed})
    matching = _of(chosen, ids, truth, known)
    stream = tuple(known.values())
    whole = len(bound) == len(chosen.positive)
    difference = None if model is None else _difference(scenario, model, chosen, ids, truth, known)
    return Why(
        chosen,
        tuple((pattern.variable, ids[pattern.variable]) for pattern in chosen.positive if pattern.variable in ids),
        len(matching),
        explained(chosen, bound, stream, scenario.predicates) if whole else None,
        None if whole else search(chosen, bound, stream, scenario.predicates, limit=limit, nearest=nearest),
        None if model is None else model.name,
        difference,
        tuple(_of(chosen, ids, outcome.suppressed, known)),
    )


def _rule(scenario: Scenario[core.Program], name: str | None, ids: Mapping[str, str]) -> core.Rule:
    """Return the rule with this name; of a rule with cases the named one, or the first that reads the bound events."""
    program = scenario.program
    names = list(dict.fromkeys(rule.reported for rule in program.rules))
    if name is None and len(names) == 1:
        name = names[0]
    if name is None or name not in (*names, *(rule.name for rule in program.rules)):
        problem = "name one of the rules" if name is None else f"no rule is called {name!r}"
        raise UnknownBinding(f"{problem}; {advice(name or '', names)}")
    cases = [rule for rule in program.rules if name in (rule.name, rule.reported)]
    if len(cases) == 1:
        return cases[0]
    truth = run(program, scenario.events, scenario.predicates, "indexed").matches
    known = _stream(scenario, cases[0], truth)

    def reads(rule: core.Rule) -> bool:
        bound = {pattern.variable: pattern.template for pattern in rule.positive}
        return all(id_ in known and known[id_].template == bound.get(variable) for variable, id_ in ids.items())

    reading = [rule for rule in cases if reads(rule)] or cases
    return next((rule for rule in reading if _of(rule, ids, truth, known)), reading[0])


def _stream(scenario: Scenario[core.Program], rule: core.Rule, truth: tuple[Match, ...]) -> dict[str, Event]:
    """Return the events that a rule reads, by id: those of the trace and those that rules of lower strata emit."""
    program = scenario.program
    own = program.stratum(rule)
    below = {lower.reported for lower in program.rules if program.stratum(lower) < own}
    emitted = (event for match in truth if match.rule in below for event in match.emits)
    return {event.id: event for event in (*scenario.events, *emitted)}


def _bound(
    rule: core.Rule, ids: Mapping[str, str], known: Mapping[str, Event], suppressed: Mapping[str, str]
) -> dict[str, Event]:
    """Return the bound events. `suppressed` explains, by id, why an event is not among the known ones."""
    variables = [pattern.variable for pattern in rule.positive]
    for variable, event in ids.items():
        if variable not in variables:
            patterns = [pattern for pattern in rule.written.patterns if pattern.variable == variable]
            problem = f"is no variable of {rule.reported}"
            if patterns:
                collected = patterns[0].collected
                problem = (
                    "is a set, which is not bound" if collected else "is of a negated pattern, which binds nothing"
                )
            known_variables = f"its variables are: {', '.join(variables)}"
            raise UnknownBinding(
                f"{variable} {problem}; {known_variables if patterns else advice(variable, variables, known_variables)}"
            )
        if event not in known:
            if event in suppressed:
                raise UnknownBinding(f"{rule.name} does not see {event}: {suppressed[event]}")
            hint = advice(event, known, "its events are those of the trace, and those that rules before it emit")
            raise UnknownBinding(f"no event that {rule.name} sees has the id {event!r}; {hint}")
    return {variable: known[event] for variable, event in ids.items()}


_Result = TypeVar("_Result", Match, SuppressedEmission)


def _of(
    rule: core.Rule, ids: Mapping[str, str], results: Iterable[_Result], known: Mapping[str, Event]
) -> list[_Result]:
    """Return the results of a rule, or of a case, in which variables are bound to these ids."""
    own = {pattern.variable: pattern.template for pattern in rule.positive}
    return [
        result
        for result in results
        if result.rule == rule.reported
        and ids.items() <= dict(result.bindings).items()
        and all(id_ in known and known[id_].template == own[variable] for variable, id_ in result.bindings)
    ]


def _difference(
    scenario: Scenario[core.Program],
    model: Model,
    rule: core.Rule,
    ids: Mapping[str, str],
    truth: tuple[Match, ...],
    known: Mapping[str, Event],
) -> Difference | None:
    reported = _of(rule, ids, execute(scenario, model=model).matches, known)
    expected = _of(rule, ids, truth, known)
    missing = [match for match in expected if match not in reported]
    spurious = [match for match in reported if match not in expected or reported.count(match) > 1]
    for match in (*missing, *spurious):
        if (difference := difference_about(scenario, match, model)) is not None:
            return difference
    return None


# --- Reports ----------------------------------------------------------------------------------------------------------


def _explained(rule: core.Rule, explanation: Explained) -> Iterator[str]:
    """Yield a line for each demand under the pattern that it belongs to, in columns."""
    bound = dict(explanation.bindings)
    places = {
        id(entry): f"{entry.file}{':' if entry.file else ''}{entry.line}:{entry.column}"
        for entry in explanation.reasons
    }
    text = max((len(entry.demand) for entry in explanation.reasons), default=0)
    place = max(map(len, places.values()), default=0)
    for position, pattern in [*enumerate(rule.patterns, start=1), (0, None)]:
        reasons = [entry for entry in explanation.reasons if entry.pattern == position]
        if pattern is None:
            heading = "having"
        elif pattern.selects:
            heading = pattern.variable
        elif pattern.positive:
            heading = f"{pattern.variable} = {bound.get(pattern.variable, '?')}"
        else:
            heading = f"{'all' if pattern.collected else 'no'} {pattern.variable}"
        if reasons or (pattern is not None and pattern.positive and pattern.variable in bound):
            yield f"  {heading}"
        for reason in reasons:
            mark = _MARKS.get(reason.kind) or ("yes" if reason.holds else "NO ")
            yield f"    {mark}  {reason.demand:{text}}  {places[id(reason)]:>{place}}  {reason.value}".rstrip()


def _searched(rule: core.Rule, result: Search) -> Iterator[str]:
    yield "  pattern by pattern:"
    for level in result.levels:
        yield from _level(level)
    if not result.complete:
        yield "  it ended at its limit: there may be more, and nearer ones"
        yield "  hint: --limit N tries more combinations, and --bindings VARIABLE=EVENT fixes an event of them"
    for heading, explanations in (("a match:", result.matches), ("nearest:", result.nearest)):
        for explanation in explanations:
            yield f"  {heading}"
            yield from (f"  {line}" for line in _explained(rule, explanation))


def _level(level: Level) -> Iterator[str]:
    name = f"no {level.variable}" if level.negated else level.variable
    yield f"    {f'{name} : {level.template}' if name else 'having'}: {level.left:,} of {level.tried:,} left"
    for demand, count in level.failed[:_DEMANDS_SHOWN]:
        yield f"      {count:,} fail  {demand}"


def _record(explanation: Explained) -> dict[str, object]:
    reasons = [{**asdict(reason), "kind": reason.kind.value} for reason in explanation.reasons]
    for reason in reasons:
        if not reason["file"]:
            del reason["file"]
    return {"bindings": dict(explanation.bindings), "holds": explanation.holds, "reasons": reasons}


def _search_record(result: Search) -> dict[str, object]:
    return {
        "complete": result.complete,
        "levels": [
            {**asdict(level), "failed": [{"demand": demand, "count": count} for demand, count in level.failed]}
            for level in result.levels
        ],
        "matches": [_record(explanation) for explanation in result.matches],
        "nearest": [_record(explanation) for explanation in result.nearest],
    }
