"""The decision whether events can meet claims: by relaxed arithmetic where that is enough, else by the exact one.

1. Small values that survive rounding are tried first: they make readable evidence.
2. In the relaxed arithmetic, no solution means that there is none at all.
3. Else large values are tried, the relaxed arithmetic is refined near zero, and then the exact arithmetic is used, all
   within the time of one question. A question that is still open after that is not decided.

A claim with functions on Strings is asked first with any functions in their place; then Strings are sequences of
characters, of which the solver knows more but decides less: once with parts of texts, and once with languages
(`parte.checker.solver.sequences`).

A claim that mentions aggregates of sets is refuted over any sets, and tried on sets with a few elements
(`parte.checker.partelang.scenes`).

At every stage, a solution is turned into events, and the machine's own evaluator checks the claims on them; it is a
solution only if they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from time import perf_counter

from parte.checker.partelang.aggregates import assumptions
from parte.checker.partelang.claims import Claim, Not, expressions_in
from parte.checker.partelang.contents import Contents, contents, numbers_of_copies
from parte.checker.partelang.encoding import (
    FUNCTIONS,
    LARGEST_TABLE,
    Encoding,
    reads_exactly,
    reads_text,
    strings_in,
)
from parte.checker.partelang.scenes import NO_SETS, Scene, aggregates_in
from parte.checker.partelang.texts import CASES
from parte.checker.partelang.witness import Witness, holds
from parte.checker.solver.arithmetic import LARGE, SMALL, Arithmetic, Exact, Relaxed
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Answer, Core, Journal, Session, Status, minimal_core
from parte.checker.solver.sequences import Sequences, readable
from parte.checker.solver.strings import Places, StringOrder, Strings
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event
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
    decided; more time may not help then. `texts` describes those that it can read, but of which it decides little.
    """

    status: Status
    core: tuple[str, ...] = ()
    minimal: bool = False
    witness: Witness | None = None
    seconds: float = 0.0
    opaque: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

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
        self._order = StringOrder(_strings(program, domain))

    def decide(
        self, name: str, variables: Mapping[str, str], claims: Claims, *, why: bool = False, scene: Scene = NO_SETS
    ) -> Decision:
        """Decide whether events of the templates, by variable, can meet all claims. With `why`, cores are minimal.

        The claims may mention aggregates of the sets of the scene.
        """
        started = perf_counter()
        decision = self._decide(name, variables, claims, started, why, scene)
        return replace(decision, seconds=perf_counter() - started)

    def follows(self, name: str, variables: Mapping[str, str], premises: Claims, conclusion: Claim) -> Decision:
        """Decide whether the premises can hold without the conclusion. If they cannot, the conclusion follows."""
        return self.decide(name, variables, {**premises, "conclusion": Not(conclusion)})

    def _decide(
        self, name: str, variables: Mapping[str, str], claims: Claims, started: float, why: bool, scene: Scene
    ) -> Decision:
        beside = [set_filler.claim for set_filler in scene.sets] if aggregates_in(claims.values()) else []
        expressions = [expression for claim in (*claims.values(), *beside) for expression in expressions_in(claim)]
        parts = [part for expression in expressions for part in core.EXPRESSIONS.within(expression)]
        read = self._read_in_sequences(parts)
        guessed = _named(_guessed(part, self._domain) for part in parts if not (part in read and reads_text(part)))
        stages, possible = _stages(parts), set[_Texts]()
        for attempt in _attempts(variables, claims, scene, self.templates, stages, read=bool(read)):
            stage = attempt.stage
            if stage == _EXACT and not attempt.finds and attempt.texts in possible:
                continue  # without Floats the relaxed arithmetic was exact
            left = self.timeout - (perf_counter() - started)
            limit = left * (_SHARES[_SMALL] if attempt.texts is _Texts.PARTS else _SHARES[stage])
            encoding = Encoding(
                {variable: self.templates[template] for variable, template in attempt.variables.items()},
                _arithmetic(stage),
                _strings_as(attempt.texts, self._order),
                self._domain,
                None if attempt.contents is None else attempt.contents.candidates,
            )
            formulas = {label: encoding.formula(claim) for label, claim in claims.items()}
            assumed = [encoding.formula(claim) for claim in attempt.assumed]
            session = self._session(stage, attempt.texts)
            question = f"{name} ({attempt.name})"
            with session.scope(*encoding.definitions(), *assumed):
                # Without labels first: they cost time, and are only useful if there is no solution.
                answer = session.ask(question, *formulas.values(), timeout=limit)
                if answer.status is Status.UNSATISFIABLE and attempt.proves:
                    core_ = Core(tuple(formulas))
                    if why and stage != _EXACT:
                        labelled_answer = session.ask(f"{question}: core", labelled=formulas, timeout=limit)
                        core_ = minimal_core(session, question, formulas, labelled_answer.core or core_.labels)
                    return Decision(Status.UNSATISFIABLE, core_.labels, core_.minimal)
                witness = _confirmed(encoding, answer, claims, attempt, scene) if attempt.finds else None
            if witness is not None:
                return Decision(Status.SATISFIABLE, witness=witness)
            if answer.status is Status.SATISFIABLE and stage == _RELAXED and _GRID not in stages and not attempt.finds:
                possible.add(attempt.texts)
            certain = stage == _EXACT and attempt.finds and not guessed and not read
            if answer.status is Status.SATISFIABLE and certain:
                raise CheckerBug(f"{name}: the solver's events do not meet the claims that they are to meet")
        return Decision(Status.UNKNOWN, opaque=guessed, texts=_named(map(_function, read)))

    def _read_in_sequences(self, parts: Sequence[core.Expression]) -> list[core.FunctionCall | core.PatternTest]:
        """Return the functions that can be read where Strings are sequences; none if the solver lacks a character."""
        mentioned = strings_in(parts)
        for part in parts:
            if isinstance(part, core.PredicateCall):
                mentioned |= _in_table(self._domain.get(part.predicate))
        if not all(readable(code, code) for text in mentioned for code in map(ord, text)):
            return []
        functions = [part for part in parts if isinstance(part, core.FunctionCall | core.PatternTest)]
        return [part for part in functions if reads_text(part) or part.function in CASES]

    def _session(self, stage: str, of: _Texts) -> Session:
        if stage == _EXACT:
            # Bit-blasting profits from the preprocessing that the solver skips in a context in use.
            return Session(self.timeout, self._journal, fresh=True)
        # The theory of sequences slows the solver down, so it gets contexts of its own.
        name = stage + of.value
        if name not in self._sessions:
            self._sessions[name] = Session(self.timeout, self._journal)
        return self._sessions[name]


class _Texts(Enum):
    """The meaning of Strings to the solver; the values are for the names of questions."""

    PLACES = ""
    LANGUAGES = ", texts"
    PARTS = ", parts of texts"


def _strings_as(of: _Texts, order: StringOrder) -> Strings:
    return Places(order) if of is _Texts.PLACES else Sequences(in_parts=of is _Texts.PARTS)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A question at a stage: over the given variables, under assumptions.

    `finds`: its solutions are tried; `proves`: that it has none says that there is none at all. With `contents`, sets
    have a few elements. `texts` says what Strings are to the solver.
    """

    stage: str
    variables: Mapping[str, str]
    finds: bool = True
    proves: bool = True
    assumed: Sequence[Claim] = ()
    contents: Contents | None = None
    texts: _Texts = _Texts.PLACES

    @property
    def name(self) -> str:
        """Return the name of the attempt among the questions to the solver."""
        stage = self.stage + self.texts.value
        if self.contents is None:
            return stage if self.finds else f"any sets, {stage}"
        return f"sets with elements, {stage}"


def _attempts(
    variables: Mapping[str, str],
    claims: Claims,
    scene: Scene,
    templates: Mapping[str, core.Template],
    stages: Sequence[str],
    *,
    read: bool,
) -> Iterator[_Attempt]:
    finding, proving = (_Texts.PARTS, _Texts.LANGUAGES) if read else (_Texts.PLACES, _Texts.PLACES)
    aggregates = aggregates_in(claims.values())
    if not aggregates:
        if read:
            yield _Attempt(_RELAXED, variables)
        for stage in stages:
            sampled = stage in (_SMALL, _LARGE)
            if read and stage == _RELAXED:
                yield _Attempt(stage, variables, texts=finding)
            yield _Attempt(stage, variables, proves=not sampled, texts=finding if sampled else proving)
        return
    of_any = assumptions(scene, variables, aggregates, templates)
    known = {**variables, **of_any.variables}
    anything = partial(_Attempt, variables=known, finds=False, assumed=of_any.claims)
    yield anything(_RELAXED)
    if read:
        yield anything(_RELAXED, texts=proving)
    conditions = [expression for claim in claims.values() for expression in expressions_in(claim)]
    for copies in numbers_of_copies(conditions):
        some = contents(scene, variables, copies)
        inside = {**variables, **some.variables}
        for stage in (_SMALL, _RELAXED, _LARGE):
            if stage in stages:
                yield _Attempt(stage, inside, proves=False, assumed=some.claims, contents=some, texts=finding)
    yield from (anything(stage, texts=proving) for stage in (_GRID, _EXACT) if stage in stages)


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
    if isinstance(part, core.Aggregate):
        return "the elements of sets"
    if isinstance(part, core.FunctionCall | core.PatternTest):
        return "" if part.function in FUNCTIONS else _function(part)
    if isinstance(part, core.ClockReading):
        return "" if reads_exactly(part) else f"the function `{part.function}`"
    if not isinstance(part, core.PredicateCall):
        return ""
    # Two zeros are one to a table, but two to the solver.
    table = domain.get(part.predicate)
    if not isinstance(table, DomainTable):
        return f"the predicate `{part.predicate}` without a table"
    return f"`{part.predicate}`, a table of more than {LARGEST_TABLE} rows" if len(table.rows) > LARGEST_TABLE else ""


def _function(part: core.FunctionCall | core.PatternTest) -> str:
    return f"the function `{part.function}`"


def _named(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def _confirmed(encoding: Encoding, answer: Answer, claims: Claims, attempt: _Attempt, scene: Scene) -> Witness | None:
    """Return the events of a model, if the claims hold for them."""
    if answer.model is None:
        return None
    witness = encoding.witness(answer.model)
    if attempt.contents is not None:
        witness = _with_sets(witness, attempt.contents, scene)
    if attempt.texts is not _Texts.PLACES and not all(map(_is_written, witness.trace.values())):
        return None
    return witness if all(holds(claim, witness) for claim in claims.values()) else None


def _is_written(event: Event) -> bool:
    """Return whether the Strings of an event can be written: the solver's may have surrogates."""
    strings = [value for value in event.attributes.values() if isinstance(value, str)]
    return not any("\ud800" <= character <= "\udfff" for text in strings for character in text)


def _with_sets(witness: Witness, of: Contents, scene: Scene) -> Witness:
    """Return the events of a model with the elements of sets apart, in their numbers."""
    elements: list[Event] = []
    for variable, copies in of.copies.items():
        event = witness.events[variable]
        alike = [set_filler for set_filler in scene.sets if set_filler.pattern.template == event.template]
        if any(holds(set_filler.filled_by(variable), witness) for set_filler in alike):
            elements.append(event)
            elements.extend(replace(event, id=f"{variable}.{number}") for number in range(2, copies + 1))
    own = {variable: event for variable, event in witness.events.items() if variable not in of.copies}
    return Witness(own, witness.predicates, tuple(elements), scene.sets)


def _strings(program: core.Program, domain: Predicates) -> set[str]:
    strings = strings_in(
        [condition for rule in program.rules for pattern in rule.patterns for condition in pattern.conditions]
        + [condition for rule in program.rules for condition in rule.having]
    )
    return strings.union(*map(_in_table, domain.values()))


def _in_table(relation: object) -> set[str]:
    """Return the Strings in the rows of a predicate, if it is a table."""
    rows = relation.rows if isinstance(relation, DomainTable) else ()
    return {value for row in rows for value in row if isinstance(value, str)}
