"""The relational compiler on DuckDB against the evaluator that defines the truth."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from algebra import relational
from algebra.programs import Outcome, run
from algebra.values import Domain
from conformance.strategies import cases
from semantics.events.domain import DomainTable
from semantics.events.event import Event, TraceItem
from semantics.events.values import ScalarValue
from semantics.syntax import core
from tests.algebra.strategies import DOMAIN, PREDICATES, VALUES, events, programs

ROOT = Path(__file__).parents[2]
FRAUD = ROOT / "examples" / "fraud"
LEAST, GREATEST = -(2**63), 2**63 - 1


def agree(program: core.Program, trace: list[Event] | tuple[TraceItem, ...], domain: Domain | None = None) -> Outcome:
    """What the relational engine gives, which must be what the naive evaluator gives, to the sign of zeros."""
    expected, found = run(program, trace, domain), relational.run(program, trace, domain)
    assert [match.to_json() for match in found.matches] == [match.to_json() for match in expected.matches]
    assert repr(found) == repr(expected)
    return found


# --- Any program ------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(cases())
def test_the_cases_of_the_conformance_suite(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    agree(*case)


def tables() -> st.SearchStrategy[Domain]:
    """Every predicate as a table, of either meaning."""

    def table(predicate: core.Predicate) -> st.SearchStrategy[DomainTable]:
        values: list[st.SearchStrategy[ScalarValue]] = [VALUES[of] for of in predicate.parameters]  # type: ignore[misc]
        return st.builds(DomainTable, st.frozensets(st.tuples(*values), max_size=5), st.booleans())

    return st.fixed_dictionaries({predicate.name: table(predicate) for predicate in PREDICATES})


@settings(max_examples=60)
@given(programs(), events(), st.just(DOMAIN) | tables())
def test_programs_with_every_kind_of_expression(program: core.Program, trace: list[Event], domain: Domain) -> None:
    agree(program, trace, domain)
