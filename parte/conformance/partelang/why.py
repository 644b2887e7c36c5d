"""The reasons why a rule matched or did not: the algebra's verdict on bound events, and the steps at which a model lost
a match or found one too many.

    from parte.conformance.partelang.why import why

    print(why(scenario, "FraudPassThrough", {"incoming": "t1"}).render())
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.reasons import LIMIT, NEAREST, Explained, Level, Search, explained, search
from parte.conformance.partelang.comparison import Difference, difference_about
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.source.similar import advice

_DEMANDS_SHOWN = 3


class UnknownBinding(LookupError):
    """A rule, a variable or an event that does not exist."""


@dataclass(frozen=True, slots=True)
class Why:
    """The algebra's verdict on a rule and the events that some of its variables are bound to.

    `whole` explains a binding of all positive variables, `found` is the result of a search from fewer; one of them is
    None. `matches` is the number of the rule's matches with this binding. `model` is the machine that was compared, and
    `difference` explains how it lost the first match that it lacks, or found one too many; None if there is none.
    """

    rule: core.Rule
    given: tuple[tuple[str, str], ...]
    matches: int
    whole: Explained | None
    found: Search | None
    model: str | None = None
    difference: Difference | None = None

    def render(self) -> str:
        """Return the explanation as text."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.render()

    def to_json(self) -> str:
        """Return one line of JSON with everything that `render` reports."""
        record = {
            "rule": self.rule.name,
            "bindings": dict(self.given),
            "matches": self.matches,
            "explained": None if self.whole is None else _record(self.whole),
            "search": None if self.found is None else _search_record(self.found),
            "model": self.model,
            "difference": None if self.difference is None else self.difference.record(),
        }
        return json.dumps(record, ensure_ascii=False, allow_nan=False)

    def _lines(self) -> Iterator[str]:
        bindings = ", ".join(f"{variable}={event}" for variable, event in self.given)
        count = f"{self.matches} match{'' if self.matches == 1 else 'es'}" if self.matches else "no match"
        yield f"{self.rule.name}{f'({bindings})' if bindings else ''}: {count}"
        if self.whole is not None:
            yield from _explained(self.rule, self.whole)
        if self.found is not None:
            yield from _searched(self.rule, self.found)
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
    chosen = _rule(scenario.program, rule)
    ids = bindings or {}
    truth = run(scenario.program, scenario.events, scenario.predicates, "indexed").matches
    known = _stream(scenario, chosen, truth)
    bound = _bound(chosen, ids, known)
    matching = _of(chosen, ids, truth)
    stream = tuple(known.values())
    whole = len(bound) == len(chosen.positive)
    difference = None if model is None else _difference(scenario, model, chosen, ids, truth)
    return Why(
        chosen,
        tuple((pattern.variable, ids[pattern.variable]) for pattern in chosen.positive if pattern.variable in ids),
        len(matching),
        explained(chosen, bound, stream, scenario.predicates) if whole else None,
        None if whole else search(chosen, bound, stream, scenario.predicates, limit=limit, nearest=nearest),
        None if model is None else model.name,
        difference,
    )


def _rule(program: core.Program, name: str | None) -> core.Rule:
    names = [rule.name for rule in program.rules]
    if name is None and len(names) == 1:
        return program.rules[0]
    if name is None or name not in names:
        problem = "name one of the rules" if name is None else f"no rule is called {name!r}"
        raise UnknownBinding(f"{problem}; {advice(name or '', names)}")
    return program.rule(name)


def _stream(scenario: Scenario[core.Program], rule: core.Rule, truth: tuple[Match, ...]) -> dict[str, Event]:
    """Return the events that a rule reads, by id: those of the trace and those that rules of lower strata emit."""
    program = scenario.program
    own = program.stratum(rule)
    below = {lower.name for lower in program.rules if program.stratum(lower) < own}
    emitted = (event for match in truth if match.rule in below for event in match.emits)
    return {event.id: event for event in (*scenario.events, *emitted)}


def _bound(rule: core.Rule, ids: Mapping[str, str], known: Mapping[str, Event]) -> dict[str, Event]:
    variables = [pattern.variable for pattern in rule.positive]
    for variable, event in ids.items():
        if variable not in variables:
            negated = any(pattern.variable == variable for pattern in rule.patterns)
            problem = "is of a negated pattern, which binds nothing" if negated else f"is no variable of {rule.name}"
            known_variables = f"its variables are: {', '.join(variables)}"
            raise UnknownBinding(
                f"{variable} {problem}; {known_variables if negated else advice(variable, variables, known_variables)}"
            )
        if event not in known:
            hint = advice(event, known, "its events are those of the trace, and those that rules before it emit")
            raise UnknownBinding(f"no event that {rule.name} sees has the id {event!r}; {hint}")
    return {variable: known[event] for variable, event in ids.items()}


def _of(rule: core.Rule, ids: Mapping[str, str], matches: tuple[Match, ...]) -> list[Match]:
    return [match for match in matches if match.rule == rule.name and ids.items() <= dict(match.bindings).items()]


def _difference(
    scenario: Scenario[core.Program], model: Model, rule: core.Rule, ids: Mapping[str, str], truth: tuple[Match, ...]
) -> Difference | None:
    reported = _of(rule, ids, execute(scenario, model=model).matches)
    expected = _of(rule, ids, truth)
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
    places = {id(entry): f"{entry.line}:{entry.column}" for entry in explanation.reasons}
    text = max((len(entry.demand) for entry in explanation.reasons), default=0)
    place = max(map(len, places.values()), default=0)
    for position, pattern in enumerate(rule.patterns, start=1):
        reasons = [entry for entry in explanation.reasons if entry.pattern == position]
        if pattern.negated:
            heading = f"no {pattern.variable}"
        else:
            heading = f"{pattern.variable} = {bound.get(pattern.variable, '?')}"
        if reasons or (pattern.variable in bound and not pattern.negated):
            yield f"  {heading}"
        for reason in reasons:
            mark = "yes" if reason.holds else "NO "
            yield f"    {mark}  {reason.demand:{text}}  {places[id(reason)]:>{place}}  {reason.found}".rstrip()


def _searched(rule: core.Rule, result: Search) -> Iterator[str]:
    yield "  pattern by pattern:"
    for level in result.levels:
        yield from _level(level)
    if not result.complete:
        yield "  it ended at its limit: there may be more, and nearer ones"
    for heading, explanations in (("a match:", result.matches), ("nearest:", result.nearest)):
        for explanation in explanations:
            yield f"  {heading}"
            yield from (f"  {line}" for line in _explained(rule, explanation))


def _level(level: Level) -> Iterator[str]:
    name = f"no {level.variable}" if level.negated else level.variable
    yield f"    {name} : {level.template}: {level.left:,} of {level.tried:,} left"
    for demand, count in level.failed[:_DEMANDS_SHOWN]:
        yield f"      {count:,} fail  {demand}"


def _record(explanation: Explained) -> dict[str, object]:
    reasons = [{**asdict(reason), "kind": reason.kind.value} for reason in explanation.reasons]
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
