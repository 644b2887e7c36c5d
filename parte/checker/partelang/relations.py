"""Relations between rules: is every match of one a match of the other, on every trace?

Variables correspond by name if the rules have the same positive variables, else by position. Emissions do not count. A
trace that separates two rules needs the events of one match and at most one more, which fills a negated pattern; and
elements of sets, of which any may be there. So the question is decided over that many events, and the machine runs both
rules on the trace that is found. Sets of both rules that the same events fill are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Annotated, Any, Literal, cast

from parte.checker.partelang.claims import Claim, Every, Not, renamed
from parte.checker.partelang.prover import Claims, Prover
from parte.checker.partelang.replay import finds, own_events
from parte.checker.partelang.rule_claims import claims_of, filling, scene_of
from parte.checker.partelang.scenes import Filler, Scene
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
    ours, theirs = _cases(program, narrow), _cases(program, wide)
    whole = replace(program, rules=(*program.rules, *ours, *theirs))
    prover = Prover(whole, {} if domain is None else bind_domain(program, domain), timeout, Journal())
    verdict, witness = Verdict.PROVED, None
    for first, (second, names) in zip(ours, _corresponding(ours, theirs), strict=True):
        decided, witness = _decide(prover, first, second, names)
        verdict = verdict if decided is Verdict.PROVED else decided
        if decided is Verdict.REFUTED:
            break
    bound = tuple(pattern.variable for pattern in ours[0].positive)
    name, wide_name = (rules[0].name if len(rules) == 1 else rules[0].reported for rules in (ours, theirs))
    return Subsumption(name, wide_name, verdict, witness, perf_counter() - started, bound)


def _cases(program: core.Program, rule: core.Rule | str) -> list[core.Rule]:
    """Return the cases of a rule that is given by its name, or the rule itself. Raise KeyError if there is none."""
    if not isinstance(rule, str):
        return [rule]
    return [case for case in program.rules if rule in (case.name, case.reported)] or [program.rule(rule)]


def _corresponding(ours: Sequence[core.Rule], theirs: Sequence[core.Rule]) -> list[tuple[core.Rule, dict[str, str]]]:
    """Return for each case of a rule the case of another that binds events of the same templates, and how their
    variables correspond: in all cases by name, or in all by position. Raise NotComparable."""
    for by_name in (True, False):
        pairs = [
            next(((case, names) for case in theirs if (names := _names(case, to, by_name)) is not None), None)
            for to in ours
        ]
        if all(pairs):
            return [pair for pair in pairs if pair is not None]
    to = ours[pairs.index(None)]
    descriptions = (", ".join(pattern.template for pattern in case.positive) for case in (to, theirs[-1]))
    raise NotComparable(
        "`{}` and `{}` bind different events: {}; and {}".format(to.name, theirs[-1].name, *descriptions)
    )


def _names(from_: core.Rule, to: core.Rule, by_name: bool) -> dict[str, str] | None:
    """Return the positive variables of `to` by those of `from_`; None if their templates differ."""
    theirs = {pattern.variable: pattern.template for pattern in from_.positive}
    ours = {pattern.variable: pattern.template for pattern in to.positive}
    if by_name:
        return {variable: variable for variable in theirs} if theirs == ours else None
    return dict(zip(theirs, ours, strict=True)) if list(theirs.values()) == list(ours.values()) else None


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
    """Decide whether a rule keeps its matches if its `when` is replaced by other constraints: for all cases, or for
    the first that loses or gains some or is not decided."""
    cases = _cases(program, rule)
    for before in cases:
        after = replace(before, constraints=constraints)
        decided = equivalent(program, before, after, domain=domain, timeout=timeout)
        if decided.verdict is not Verdict.PROVED:
            break
    return decided


# --- Separating traces -----------------------------------------------------------------------------------------------


def _decide(
    prover: Prover, narrow: core.Rule, wide: core.Rule, names: Mapping[str, str]
) -> tuple[Verdict, Witness | None]:
    undecided = False
    names, scene = _common_scene(narrow, wide, names)
    for what, variables, claims in _separations(narrow, wide, names):
        decision = prover.decide(f"{narrow.name} without {wide.name}: {what}", variables, claims, scene=scene)
        if decision.witness is not None:
            _confirm(prover.program, narrow, wide, names, decision.witness)
            return Verdict.REFUTED, decision.witness
        undecided = undecided or not decision.impossible
    return Verdict.NOT_PROVED if undecided else Verdict.PROVED, None


def _common_scene(narrow: core.Rule, wide: core.Rule, names: Mapping[str, str]) -> tuple[dict[str, str], Scene]:
    """Return the variables of `narrow` by those of `wide`, with the sets; and the sets of both rules.

    A set of `wide` that no set of `narrow` equals has a name that no variable has.
    """
    ours = scene_of(narrow)
    sets, every = list(ours.sets), dict(names)
    for theirs in scene_of(wide).sets:
        template = theirs.pattern.template
        for own in ours.sets:
            as_own = renamed(theirs.claim, {**names, theirs.variable: own.variable})
            if own.pattern.template == template and own.claim == as_own:
                every[theirs.variable] = own.variable
                break
        else:
            every[theirs.variable] = f"{theirs.variable} of {wide.name}"
            pattern = replace(theirs.pattern, variable=every[theirs.variable])
            sets.append(Filler(pattern, renamed(theirs.claim, {**names, theirs.variable: pattern.variable})))
    return every, replace(ours, sets=tuple(sets))


def _separations(
    narrow: core.Rule, wide: core.Rule, names: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, str], Claims]]:
    """Yield all ways in which a trace may give a match of `narrow` that `wide` lacks."""
    ours, theirs = claims_of(narrow), claims_of(wide)
    alone = Every(tuple(renamed(claim, names) for claim in theirs.unblocked.values()))
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
    if not finds(program, narrow, witness.trace, match, witness.predicates):
        raise CheckerBug(f"{narrow.name} does not match the trace that is to separate it from {wide.name}")
    theirs = {pattern.variable: match[names[pattern.variable]] for pattern in wide.positive}
    if finds(program, wide, witness.trace, theirs, witness.predicates):
        raise CheckerBug(f"{wide.name} matches the trace that is to separate it from {narrow.name}")
