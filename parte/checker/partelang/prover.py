"""The decision whether events can meet claims: by relaxed arithmetic where that is enough, else by the exact one.

1. Small values that survive rounding are tried first: they make readable evidence.
2. In the relaxed arithmetic, no solution means that there is none at all.
3. Else large values are tried, the relaxed arithmetic is refined near zero, and then the exact arithmetic is used, all
   within the time of one question. A question that is still open after that is not decided.

At every stage, a solution is turned into events, and the machine's own evaluator checks the claims on them; it is a
solution only if they hold.
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
"""The part of the remaining time of a question that a stage may take."""

Claims = Mapping[str, Claim]
"""Claims by their labels; a core consists of labels."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer whether events can meet the claims; without `witness` and `core`, it was not decided.

    `witness` are such events. `core` are labels of claims that contradict each other; with `minimal`, none of them can
    be left out. `opaque` describes the parts of the claims that the solver cannot read, if the question was not
    decided; more time may not help then.
    """

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
    """Decides claims about events of one program; it reuses solver contexts from one question to the next.

    `domain` contains the predicates of the run; those that it lacks may be any relations.
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
        """Decide whether events of the templates, by variable, can meet all claims. With `why`, cores are minimal."""
        started = perf_counter()
        decision = self._decide(name, variables, claims, started, why)
        return replace(decision, seconds=perf_counter() - started)

    def follows(self, name: str, variables: Mapping[str, str], premises: Claims, conclusion: Claim) -> Decision:
        """Decide whether the premises can hold without the conclusion. If they cannot, the conclusion follows."""
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
                # Without labels first: they cost time, and are only useful if there is no solution.
                answer = session.ask(question, *formulas.values(), timeout=limit)
                if answer.status is Status.UNSATISFIABLE and stage not in (_SMALL, _LARGE):
                    core_ = Core(tuple(formulas))
                    if why and stage != _EXACT:
                        labelled_answer = session.ask(f"{question}: core", labelled=formulas, timeout=limit)
                        core_ = minimal_core(session, question, formulas, labelled_answer.core or core_.labels)
                    return Decision(Status.UNSATISFIABLE, core_.labels, core_.minimal)
                witness = _confirmed(encoding, answer, claims)
            if witness is not None:
                return Decision(Status.SATISFIABLE, witness=witness)
            if answer.status is Status.SATISFIABLE and stage == _EXACT and not guessed:
                raise CheckerBug(f"{name}: the solver's events do not meet the claims that they are to meet")
        return Decision(Status.UNKNOWN, opaque=guessed)

    def _session(self, stage: str) -> Session:
        if stage == _EXACT:
            # Bit-blasting profits from the preprocessing that the solver skips in a context in use.
            return Session(self.timeout, self._journal, fresh=True)
        if stage not in self._sessions:
            self._sessions[stage] = Session(self.timeout, self._journal)
        return self._sessions[stage]


def _stages(parts: list[core.Expression]) -> tuple[str, ...]:
    """Return the stages in order. Without Floats the relaxed arithmetic is exact, but it may fail on products."""
    types = {core.type_of(part) for part in parts}
    if Scalar.FLOAT in types:
        return _SMALL, _RELAXED, _LARGE, _GRID, _EXACT
    return (_SMALL, _RELAXED, _EXACT) if Scalar.INTEGER in types else (_RELAXED,)


def _arithmetic(stage: str) -> Arithmetic:
    if stage == _EXACT:
        return Exact()
    return Relaxed(grid=stage == _GRID, sample={_SMALL: SMALL, _LARGE: LARGE}.get(stage))


def _guessed(part: core.Expression, domain: Predicates) -> str:
    """Return the reason that even an exact solution is a suggestion: code that the solver cannot read, or a long table.

    Empty if there is no such reason.
    """
    if isinstance(part, core.FunctionCall | core.PatternTest):
        return "" if part.function in FUNCTIONS else f"the function `{part.function}`"
    if not isinstance(part, core.PredicateCall):
        return ""
    # Two zeros are one to a table, but two to the solver.
    table = domain.get(part.predicate)
    if not isinstance(table, DomainTable):
        return f"the predicate `{part.predicate}` without a table"
    return f"`{part.predicate}`, a table of more than {LARGEST_TABLE} rows" if len(table.rows) > LARGEST_TABLE else ""


def _confirmed(encoding: Encoding, answer: Answer, claims: Claims) -> Witness | None:
    """Return the events of a model, if the claims hold for them."""
    if answer.model is None:
        return None
    witness = encoding.witness(answer.model)
    return witness if all(holds(claim, witness) for claim in claims.values()) else None


def _strings(program: core.Program, domain: Predicates) -> set[str]:
    strings = strings_in(
        [condition for rule in program.rules for pattern in rule.patterns for condition in pattern.conditions]
    )
    for relation in domain.values():
        if isinstance(relation, DomainTable):
            strings.update(value for row in relation.rows for value in row if isinstance(value, str))
    return strings
