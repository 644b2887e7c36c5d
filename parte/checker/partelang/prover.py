"""Deciding whether events can meet claims: by relaxed arithmetic where that is enough, else by the exact one.

1. Small values that survive rounding are looked for first: they make the evidence that people like to read.
2. In the relaxed arithmetic no solution means none at all.
3. Else large values are tried, the relaxed arithmetic is refined near zero, and then the exact arithmetic is asked,
   all within the time of one question. What is still open after that is not decided.

A solution is turned into events and held against the claims by the machine's own evaluator at every stage; only if
they hold is it one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter

from parte.checker.partelang.claims import Claim, Not, expressions_in
from parte.checker.partelang.encoding import FUNCTIONS, LARGEST_TABLE, Encoding, strings_in
from parte.checker.partelang.witness import Witness, holds
from parte.checker.solver.arithmetic import LARGE, SMALL, Arithmetic, Exact, Relaxed
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Answer, Core, Journal, Session, Status, minimal_core
from parte.checker.solver.strings import StringOrder
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

_SMALL, _RELAXED, _LARGE, _GRID, _EXACT = "small values", "relaxed", "large values", "near zero", "exact"
_SHARES = {_SMALL: 0.1, _RELAXED: 0.3, _LARGE: 0.1, _GRID: 0.3, _EXACT: 1.0}
"""The part of a question's time that a stage may take, of what is left when it begins."""

Claims = Mapping[str, Claim]
"""Claims by their labels; a core names labels."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether events can meet the claims: `witness` if they can, `core` (labels of claims that contradict each other,
    `minimal` if none of them can be left out) if they cannot, neither if that was not decided. `opaque`: what
    the solver cannot read of the claims if they were not decided, in words; more time may not help."""

    status: Status
    core: tuple[str, ...] = ()
    minimal: bool = False
    witness: Witness | None = None
    seconds: float = 0.0
    opaque: tuple[str, ...] = ()

    @property
    def possible(self) -> bool:
        return self.status is Status.SATISFIABLE

    @property
    def impossible(self) -> bool:
        return self.status is Status.UNSATISFIABLE


class Prover:
    """Decides claims about events of one program; solver contexts are kept from one question to the next.

    `domain` holds the predicates that the run will be given; those that it lacks may be any relations.
    """

    def __init__(self, program: core.Program, domain: Predicates, timeout: float, journal: Journal) -> None:
        self.program = program
        self.templates = {template.name: template for template in program.templates}
        self.timeout = timeout
        self._domain = domain
        self._journal = journal
        self._sessions: dict[str, Session] = {}
        self._strings = StringOrder(_strings(program, domain))

    def decide(self, name: str, variables: Mapping[str, str], claims: Claims, *, why: bool = False) -> Decision:
        """Can events, one of the given template for each variable, meet all claims? With `why` cores are minimal."""
        started = perf_counter()
        decision = self._decide(name, variables, claims, started, why)
        return replace(decision, seconds=perf_counter() - started)

    def follows(self, name: str, variables: Mapping[str, str], premises: Claims, conclusion: Claim) -> Decision:
        """Can the premises hold and the conclusion not? It follows if that is impossible."""
        return self.decide(name, variables, {**premises, "conclusion": Not(conclusion)})

    def _decide(self, name: str, variables: Mapping[str, str], claims: Claims, started: float, why: bool) -> Decision:
        parts = [
            part
            for claim in claims.values()
            for expression in expressions_in(claim)
            for part in core.EXPRESSIONS.within(expression)
        ]
        guessed = tuple(dict.fromkeys(filter(None, (_guessed(part, self._domain) for part in parts))))
        for stage in _stages(parts):
            left = self.timeout - (perf_counter() - started)
            limit = left * _SHARES[stage]
            encoding = Encoding(
                {variable: self.templates[template] for variable, template in variables.items()},
                _arithmetic(stage),
                self._strings,
                self._domain,
            )
            formulas = {label: encoding.formula(claim) for label, claim in claims.items()}
            session = self._session(stage)
            question = f"{name} ({stage})"
            with session.scope(*encoding.definitions()):
                # Without labels first: they cost time, and are of use only where there is no solution.
                answer = session.ask(question, *formulas.values(), timeout=limit)
                if answer.status is Status.UNSATISFIABLE and stage not in (_SMALL, _LARGE):
                    core_ = Core(tuple(formulas))
                    if why and stage != _EXACT:
                        found = session.ask(f"{question}: core", labelled=formulas, timeout=limit)
                        core_ = minimal_core(session, question, formulas, found.core or core_.labels)
                    return Decision(Status.UNSATISFIABLE, core_.labels, core_.minimal)
                witness = _confirmed(encoding, answer, claims)
            if witness is not None:
                return Decision(Status.SATISFIABLE, witness=witness)
            if answer.status is Status.SATISFIABLE and stage == _EXACT and not guessed:
                raise CheckerBug(f"{name}: the solver's events do not meet the claims that they are to meet")
        return Decision(Status.UNKNOWN, opaque=guessed)

    def _session(self, stage: str) -> Session:
        if stage == _EXACT:
            # Bit-blasting profits from the preprocessing that a context in use goes without.
            return Session(self.timeout, self._journal, fresh=True)
        if stage not in self._sessions:
            self._sessions[stage] = Session(self.timeout, self._journal)
        return self._sessions[stage]


def _stages(parts: list[core.Expression]) -> tuple[str, ...]:
    """What to try, in this order: without Floats the relaxed arithmetic is the exact one, unless products defeat it."""
    types = {core.type_of(part) for part in parts}
    if Scalar.FLOAT in types:
        return _SMALL, _RELAXED, _LARGE, _GRID, _EXACT
    return (_SMALL, _RELAXED, _EXACT) if Scalar.INTEGER in types else (_RELAXED,)


def _arithmetic(stage: str) -> Arithmetic:
    if stage == _EXACT:
        return Exact()
    return Relaxed(grid=stage == _GRID, sample={_SMALL: SMALL, _LARGE: LARGE}.get(stage))


def _guessed(part: core.Expression, domain: Predicates) -> str:
    """What makes even an exact solution a suggestion, in words: code that the solver cannot read, or a long table.
    Empty if there is nothing of the kind."""
    if isinstance(part, core.FunctionCall):
        return "" if part.function in FUNCTIONS else f"the function `{part.function}`"
    if not isinstance(part, core.PredicateCall):
        return ""
    # Two zeros are one to a table, though two to the solver.
    table = domain.get(part.predicate)
    if not isinstance(table, DomainTable):
        return f"the predicate `{part.predicate}` without a table"
    return f"`{part.predicate}`, a table of more than {LARGEST_TABLE} rows" if len(table.rows) > LARGEST_TABLE else ""


def _confirmed(encoding: Encoding, answer: Answer, claims: Claims) -> Witness | None:
    """The events of a model, if the claims hold of them."""
    if answer.model is None:
        return None
    witness = encoding.witness(answer.model)
    return witness if all(holds(claim, witness) for claim in claims.values()) else None


def _strings(program: core.Program, domain: Predicates) -> set[str]:
    found = strings_in(
        [condition for rule in program.rules for pattern in rule.patterns for condition in pattern.conditions]
    )
    for relation in domain.values():
        if isinstance(relation, DomainTable):
            found.update(value for row in relation.rows for value in row if isinstance(value, str))
    return found
