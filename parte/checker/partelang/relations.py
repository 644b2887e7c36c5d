"""Relations between rules: is every match of one a match of the other, on every trace?

Variables correspond by name if the rules have the same positive variables, else by position. Emissions do not count. A
trace that separates two rules needs the events of one match and at most one more, which fills a negated pattern. So the
question is decided over that many events, and the machine runs both rules on the trace that is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Annotated, Any, Literal, cast

from parte.checker.partelang.claims import Claim, Every, Not, renamed
from parte.checker.partelang.prover import Claims, Prover
from parte.checker.partelang.replay import finds, own_events
from parte.checker.partelang.rule_claims import claims_of, filling
from parte.checker.partelang.witness import Witness
from parte.checker.report.contents import Json
from parte.checker.solver.backend import alone
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import DEFAULT_TIMEOUT, Journal
from parte.checker.solver.verdict import DECIDED, Verdict
from parte.semantics.events.bounds import Bounds, Seconds
from parte.semantics.events.codec import Codec
from parte.semantics.events.domain import Domain, bind_domain
from parte.semantics.partelang.syntax import core

FORMAT: Literal["parte-relation"] = "parte-relation"
VERSION: Literal[1] = 1

EXTRA = "extra"
"""The variable, and the id, of the event beyond those of the match; made longer if a rule has such a variable."""


class NotComparable(ValueError):
    """The positive patterns of two rules do not correspond: they differ in the templates or the number of events."""


@dataclass(frozen=True, slots=True)
class Subsumption:
    """The verdict on: every match of the rule `narrow` is one of the rule `wide`; `witness` are events that refute it.

    `variables` are those that a match of `narrow` binds: the witness may have one event more.
    """

    narrow: str
    wide: str
    verdict: Verdict
    witness: Witness | None
    seconds: float
    variables: tuple[str, ...]

    def evidence(self) -> dict[str, Json] | None:
        """Return the trace that separates the rules, the match of `narrow` in it, and the domain; else None."""
        if self.witness is None:
            return None
        bindings: dict[str, Json] = {variable: self.witness.events[variable].id for variable in self.variables}
        return {**self.witness.record(), "bindings": bindings}


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The verdict on: two rules have the same matches, that is, each is subsumed by the other."""

    forth: Subsumption
    back: Subsumption

    def record(self, program: str | None = None) -> dict[str, Json]:
        """Return the form for `--json` (`relation.schema.json`); `program` is the name of the program."""
        both = (_form(self.forth), _form(self.back))
        return cast(dict[str, Json], CODEC.encode(_Relation(FORMAT, VERSION, program, self.verdict, both)))

    @property
    def verdict(self) -> Verdict:
        verdicts = {self.forth.verdict, self.back.verdict}
        if Verdict.REFUTED in verdicts:
            return Verdict.REFUTED
        return Verdict.PROVED if verdicts == {Verdict.PROVED} else Verdict.NOT_PROVED


# --- As JSON ---------------------------------------------------------------------------------------------------------

_VERDICTS = tuple(verdict.value for verdict in DECIDED)


@dataclass(frozen=True, slots=True)
class _Event:
    id: str
    template: str
    timestamp: int
    attributes: dict[str, Json]


@dataclass(frozen=True, slots=True)
class _Evidence:
    trace: Annotated[tuple[_Event, ...], Bounds(shortest=1)]
    bindings: Annotated[Mapping[str, str], Bounds(meaning="the match of narrow that wide lacks")]
    domain: Annotated[dict[str, Json], Bounds(meaning="tables for the predicates, as --domain reads them")]


@dataclass(frozen=True, slots=True)
class _Subsumption:
    """The verdict on: every match of narrow is one of wide; the evidence is null unless that is refuted."""

    narrow: str
    wide: str
    verdict: Annotated[Verdict, Bounds(choices=_VERDICTS)]
    evidence: _Evidence | None
    seconds: Seconds


@dataclass(frozen=True, slots=True)
class _Relation:
    """The verdict on: the rules are equivalent, that is, P is subsumed by Q, and Q by P."""

    format: Literal["parte-relation"]
    version: Literal[1]
    program: Annotated[str | None, Bounds(meaning="what the program is called")]
    verdict: Annotated[Verdict, Bounds(choices=_VERDICTS)]
    subsumptions: Annotated[tuple[_Subsumption, ...], Bounds(shortest=2, longest=2)]


CODEC: Codec[_Relation] = Codec(_Relation)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of `Equivalence.record`."""
    return CODEC.schema("https://parte.example/schemas/relation-1.json", "What parte relate found")


def _form(subsumption: Subsumption) -> _Subsumption:
    record: Any = subsumption.evidence()
    evidence = record and _Evidence(
        tuple(_Event(**event) for event in record["trace"]), record["bindings"], record["domain"]
    )
    return _Subsumption(subsumption.narrow, subsumption.wide, subsumption.verdict, evidence, subsumption.seconds)


# --- Deciding --------------------------------------------------------------------------------------------------------


@alone
def subsumed(
    program: core.Program,
    narrow: core.Rule | str,
    wide: core.Rule | str,
    *,
    domain: Domain | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Subsumption:
    """Decide whether every match of `narrow` is a match of `wide`. Rules are given by name, or as they are.

    Raise NotComparable if their positive patterns do not correspond, KeyError if a rule does not exist.
    """
    started = perf_counter()
    first = program.rule(narrow) if isinstance(narrow, str) else narrow
    second = program.rule(wide) if isinstance(wide, str) else wide
    known = (*program.rules, first, second)
    whole = replace(program, rules=known)
    prover = Prover(whole, {} if domain is None else bind_domain(program, domain), timeout, Journal())
    names = correspondence(second, first)
    verdict, witness = _decide(prover, first, second, names)
    bound = tuple(pattern.variable for pattern in first.positive)
    return Subsumption(first.name, second.name, verdict, witness, perf_counter() - started, bound)


@alone
def equivalent(
    program: core.Program,
    left: core.Rule | str,
    right: core.Rule | str,
    *,
    domain: Domain | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Equivalence:
    """Decide whether two rules have the same matches on every trace."""
    return Equivalence(
        subsumed(program, left, right, domain=domain, timeout=timeout),
        subsumed(program, right, left, domain=domain, timeout=timeout),
    )


@alone
def rewrite_preserves(
    program: core.Program,
    rule: core.Rule | str,
    constraints: tuple[core.Constraint, ...],
    *,
    domain: Domain | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Equivalence:
    """Decide whether a rule keeps its matches if its `when` is replaced by other constraints."""
    before = program.rule(rule) if isinstance(rule, str) else rule
    after = replace(before, constraints=constraints)
    return equivalent(program, before, after, domain=domain, timeout=timeout)


def correspondence(from_: core.Rule, to: core.Rule) -> dict[str, str]:
    """Return the positive variables of `to` by those of `from_`: by name if they are the same, else by position.

    Raise NotComparable if they do not correspond.
    """
    theirs = {pattern.variable: pattern.template for pattern in from_.positive}
    ours = {pattern.variable: pattern.template for pattern in to.positive}
    if theirs == ours:
        return {variable: variable for variable in theirs}
    if list(theirs.values()) != list(ours.values()):
        descriptions = (", ".join(templates.values()) for templates in (ours, theirs))
        raise NotComparable(
            "`{}` and `{}` bind different events: {}; and {}".format(to.name, from_.name, *descriptions)
        )
    return dict(zip(theirs, ours, strict=True))


# --- Separating traces -----------------------------------------------------------------------------------------------


def _decide(
    prover: Prover, narrow: core.Rule, wide: core.Rule, names: Mapping[str, str]
) -> tuple[Verdict, Witness | None]:
    undecided = False
    for what, variables, claims in _separations(narrow, wide, names):
        decision = prover.decide(f"{narrow.name} without {wide.name}: {what}", variables, claims)
        if decision.witness is not None:
            _confirm(prover.program, narrow, wide, names, decision.witness)
            return Verdict.REFUTED, decision.witness
        undecided = undecided or not decision.impossible
    return Verdict.NOT_PROVED if undecided else Verdict.PROVED, None


def _separations(
    narrow: core.Rule, wide: core.Rule, names: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, str], Claims]]:
    """Yield all ways in which a trace may give a match of `narrow` that `wide` lacks."""
    ours, theirs = claims_of(narrow), claims_of(wide)
    alone = Every(tuple(renamed(claim, names) for claim in theirs.positive.values()))
    yield "conditions", ours.variables, {**ours.match, "not": Not(alone)}
    for block in theirs.blocks:
        claim = renamed(block.claim, names)
        yield block.label, ours.variables, {**ours.match, "filled": claim}
    taken = {pattern.variable for pattern in (*narrow.patterns, *wide.patterns)}
    extra = EXTRA
    while extra in taken:
        extra += "_"
    for absent in wide.patterns:
        if not absent.negated:
            continue
        filled = _filled(wide, absent, {**names, absent.variable: extra})
        free: dict[str, Claim] = {
            f"free {own.variable}": Not(_filled(narrow, own, {own.variable: extra}))
            for own in narrow.patterns
            if own.negated and own.template == absent.template
        }
        variables = {**ours.variables, extra: absent.template}
        yield f"fills {absent.variable}", variables, {**ours.match, **free, "filled": filled}


def _filled(rule: core.Rule, negated: core.Pattern, names: Mapping[str, str]) -> Claim:
    """Return the claim that the event that stands for the negated variable fills its pattern."""
    return renamed(Every(tuple(filling(rule, negated).values())), names)


def _confirm(
    program: core.Program, narrow: core.Rule, wide: core.Rule, names: Mapping[str, str], witness: Witness
) -> None:
    """Raise CheckerBug unless the machine finds the match with `narrow` and not with `wide`."""
    match = own_events(narrow, witness)
    if not finds(program, narrow, witness.events, match, witness.predicates):
        raise CheckerBug(f"{narrow.name} does not match the trace that is to separate it from {wide.name}")
    theirs = {pattern.variable: match[names[pattern.variable]] for pattern in wide.positive}
    if finds(program, wide, witness.events, theirs, witness.predicates):
        raise CheckerBug(f"{wide.name} matches the trace that is to separate it from {narrow.name}")
