"""The constructs of level 2: an engine or a translation without one rejects it by name."""

from __future__ import annotations

import pytest

from parte.conformance.engines.registry import engine_called
from parte.conformance.partelang.engines.adapters import behind
from parte.conformance.partelang.engines.clips import manifest as clips
from parte.conformance.partelang.engines.declared import all_but, with_level_2
from parte.conformance.partelang.engines.polars import manifest as polars
from parte.conformance.partelang.engines.sqlite import manifest as sqlite
from parte.conformance.partelang.engines.sqlite.adapter import SqliteAdapter
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.protocol import Accepted, Greeting, Load, Unsupported
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.syntax.constructs import LEVEL_1, Construct, undeclared

DECLARATIONS = "level 2 template A { k : Integer, x : Float, s : String } template O { k : Integer? } "
PLAIN = DECLARATIONS.replace("?", "")
WITH = {
    Construct.CONNECTIVES: "rule R where a : A { not k = 1 and k in (1, 2) }",
    Construct.PRESENCE: "rule R where a : A { k is missing }",
    Construct.STRINGS: 'rule R where a : A { like(s, "a*"), length(upper(s)) > 1 }',
    Construct.REGULAR: 'rule R where a : A { matches(s, "a+") }',
    Construct.NETWORKS: 'rule R where a : A { in_network(s, "10.0.0.0/8") }',
    Construct.CLOCKS: "rule R where a : A { weekday(a) = 1 }",
    Construct.TIMES: "rule R where a : A { a.timestamp > @1764000000000 }",
    Construct.EVER: "rule R where a : A, no b : A when no b in a [-ever, -1 ms]",
    Construct.ALTERNATIVES: "rule R where either a : A or a : O",
    Construct.SELECTIONS: "rule R where a : A, first b : A when b in a [1 ms, 5 ms]",
    Construct.SETS: "rule R where a : A, all b : A when b in a [1 ms, 5 ms] having sum(b.k) > 3",
    Construct.ROUNDED_AGGREGATES: "rule R where a : A, all b : A when b in a [1 ms, 5 ms] having avg(b.k) > 3.0",
    Construct.SUPPRESSION: "rule R where a : A then emit O at a.timestamp with { k = a.k } once in 1 ms",
}
PROGRAMS = {construct: PLAIN + rule for construct, rule in WITH.items()}
PROGRAMS[Construct.OPTIONAL] = DECLARATIONS + "rule R where a : A"
CLOSED = PLAIN + "rule R where a : A, b : A when b in a (0 ms, 5 ms)"


DECLARED = {"sqlite": sqlite.DECLARED, "polars": polars.DECLARED, "clips": clips.DECLARED}


@pytest.mark.parametrize("construct", Construct)
def test_a_construct_is_named(construct: Construct) -> None:
    program = parse(PROGRAMS[construct])
    others = frozenset(Construct) - {construct}
    assert [construct for construct, _ in undeclared(program, others)] == [construct]
    assert not list(undeclared(program, frozenset(Construct)))


def test_an_open_window_is_no_construct() -> None:
    assert not list(undeclared(parse(CLOSED), LEVEL_1))


@pytest.mark.parametrize("construct", Construct)
@pytest.mark.parametrize("name", DECLARED)
def test_an_engine_takes_what_it_declares_and_rejects_anything_else_by_name(name: str, construct: Construct) -> None:
    reply = engine_called(ENGINES, name).load(Load(PROGRAMS[construct], None))
    if construct in DECLARED[name]:
        assert reply == Accepted()
    else:
        names = [item.value for item in Construct if item not in DECLARED[name]]
        assert isinstance(reply, Unsupported)
        assert reply.reason.startswith(tuple(f"{name}: the translation to " for name in names))


def test_an_engine_of_level_1_takes_a_program_of_level_2_without_its_constructs() -> None:
    for name in DECLARED:
        assert engine_called(ENGINES, name).load(Load(CLOSED, None)) == Accepted()


def test_the_greeting_has_the_kinds_of_nodes_of_the_constructs() -> None:
    greeting = Greeting("x", constructs=all_but())
    assert with_level_2(greeting, LEVEL_1) == greeting
    more = with_level_2(greeting, {Construct.STRINGS}).constructs
    assert more is not None
    assert set(more) - set(all_but()) == {"level-2"}
    assert "ast:pattern-test" in more
    assert "ast:compound" not in more


def test_a_declared_construct_without_a_translation_is_an_error() -> None:
    with pytest.raises(AssertionError, match="ClockReading has no translation"):
        behind(SqliteAdapter(), frozenset(Construct)).load(Load(PROGRAMS[Construct.CLOCKS], None))
