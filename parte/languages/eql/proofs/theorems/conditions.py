"""Lemmas on conditions and keys: compared with the definition, and with statements of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from parte.languages.eql.algebra.conditions import truth as meant
from parte.languages.eql.algebra.keys import key_of as defined_key
from parte.languages.eql.proofs.settings import any_value, lemma
from parte.languages.eql.semantics.conditions import compile_test, fits
from parte.languages.eql.semantics.plans import Step
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import CHOICES, USUAL, Readings
from parte.proofs.numbers import decided
from parte.proofs.statements import at_most, before, equal
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event, Value

_OPPOSITE = {"true": "false", "false": "true", "null": "null"}


def _event(**values: Value | None) -> Event:
    return Event("e", "T", 0, {name: value for name, value in values.items() if value is not None})


def _field(name: str) -> tree.Field:
    return tree.Field(name, False)


def joined(run: Run, number: int) -> Claims:
    """A condition of some parts under `and` or `or`, perhaps under `not`; each part is true, false or null."""
    truths: dict[str, Value | None] = {"true": True, "false": False, "null": None}
    parts = [choice(run, f"part {place}", tuple(truths)) for place in range(number)]
    event = _event(**{f"v{place}": truths[part] for place, part in enumerate(parts)})
    fields = tuple(_field(f"v{place}") for place in range(number))
    is_or = run.truth("it is a disjunction")
    condition: tree.Expression = tree.Or(fields) if is_or else tree.And(fields)
    ranking = ("true", "null", "false") if is_or else ("false", "null", "true")
    truth = next(rank for rank in ranking if rank in parts)  # the first of these that a part has decides
    if run.truth("it is negated"):
        condition, truth = tree.Not(condition), _OPPOSITE[truth]
    test = compile_test(condition, USUAL)
    return (
        ("its truth is Kleene's", test(event) is truths[truth]),
        ("an event fits if it is true, not if it is null", fits(test, event) is (truth == "true")),
        ("the definition says the same", test(event) is meant(condition, event, USUAL)),
    )


def comparisons(run: Run) -> Claims:
    """Two values of any kinds under any operator, three-valued or not."""
    readings = Readings(logic=choice(run, "logic", CHOICES["logic"]))
    left, right = any_value(run, "left"), any_value(run, "right")
    relation = choice(run, "operator", tuple(tree.Relation))
    condition, event = tree.Comparison(_field("l"), relation, _field("r")), _event(l=left, r=right)
    truth = compile_test(condition, readings)(event)
    kinds = {
        bool if isinstance(value, bool) else int if isinstance(value, int) else type(value) for value in (left, right)
    }
    alike = kinds in ({bool}, {int}, {str})
    ordered = relation not in (tree.Relation.EQUAL, tree.Relation.UNEQUAL)
    known = alike and not (ordered and kinds == {bool})
    otherwise = None if readings.logic == "three" else False
    claims = [
        ("the definition says the same", truth is meant(condition, event, readings)),
        ("it is null unless both are of one kind, and Booleans have no order", known or truth is otherwise),
    ]
    if known and kinds == {int}:
        assert isinstance(left, int)
        assert isinstance(right, int)
        numbers = {
            tree.Relation.EQUAL: equal(left, right),
            tree.Relation.UNEQUAL: before(left, right) or before(right, left),
            tree.Relation.LESS: before(left, right),
            tree.Relation.LESS_OR_EQUAL: at_most(left, right),
            tree.Relation.GREATER: before(right, left),
            tree.Relation.GREATER_OR_EQUAL: at_most(right, left),
        }
        claims.append(("numbers compare by value", truth is numbers[relation]))
    elif known and not ordered:
        claims.append(("others are equal or not", truth is ((left is right) is (relation is tree.Relation.EQUAL))))
    return claims


def memberships(run: Run) -> Claims:
    """A value of any kind, in or not in a list of any number and a text, or of one of these; present or not."""
    value = any_value(run, "value")
    number = decided(run, "listed number")
    listed = choice(run, "list", ((number, "x"), (number,), ("x",)))
    negated = bool(run.truth("it is negated"))
    event = _event(v=value)
    condition = tree.InList(_field("v"), negated, False, tuple(tree.Literal(constant) for constant in listed))
    equalities = tuple(tree.Comparison(_field("v"), tree.Relation.EQUAL, tree.Literal(constant)) for constant in listed)
    alternatives: tree.Expression = tree.Or(equalities)
    if negated:
        alternatives = tree.Not(alternatives)
    present = compile_test(tree.Presence(_field("v"), True), USUAL)(event)
    absent = compile_test(tree.Presence(_field("v"), False), USUAL)(event)
    truth = compile_test(condition, USUAL)(event)
    return (
        ("it is the `or` of the equalities", truth is meant(alternatives, event, USUAL)),
        ("the definition says the same", truth is meant(condition, event, USUAL)),
        ("a value is present or missing, and never null", (present, absent) == (value is not None, value is None)),
    )


def _alike(pair: Sequence[object]) -> tuple[bool, ...]:
    return (pair[0] is None, pair[1] is None, pair[0] == pair[1])


def keys(run: Run) -> Claims:
    """Two events with any values of two key fields, each optional or not, under both readings."""
    readings = Readings(keys=choice(run, "keys", CHOICES["keys"]))
    fields = tuple(tree.Field(name, bool(run.truth(f"{name} is optional"))) for name in ("k", "j"))
    values = [{"k": any_value(run, f"k of {number}"), "j": choice(run, f"j of {number}", (None, 1))} for number in "12"]
    events = [_event(**own) for own in values]
    stage = Step(None, lambda _: True, fields, readings)
    known = [stage.key(event) for event in events]
    there = [
        all(
            not isinstance(own[field.name], tuple)
            and (own[field.name] is not None or field.optional or readings.keys == "null")
            for field in fields
        )
        for own in values
    ]
    left, right = ([(type(value) is bool, value) for value in own.values()] for own in values)
    return (
        (
            "an event is in no key if a field is missing that must be there, or is a list",
            [key is not None for key in known] == there,
        ),
        (
            "keys are the same if their values are of one kind and equal",
            not all(there) or (known[0] == known[1]) is (left == right),
        ),
        (
            "the definition has the same keys",
            _alike(known) == _alike([defined_key(event, fields, readings) for event in events]),
        ),
    )


def categories(run: Run) -> Claims:
    """A stage of one category or of any, and an event of one of two that fulfils its condition or not."""
    category = choice(run, "category", (None, "A", "B"))
    template = choice(run, "template", ("A", "B"))
    truth = choice(run, "condition", (True, False, None))
    event = Event("e", template, decided(run, "time"), {})
    key = Step(category, lambda _: truth, (), USUAL).key(event)
    fit = truth is True and (category is None or category == template)
    return (("it has a key just if it is of the category and the condition is true", (key == ()) is fit),)


_KINDS = "a number, a truth, one of 2 texts, a list, or missing"
LEMMAS = (
    *(
        lemma(
            f"conditions-of-{number}",
            "`and`, `or` and `not` are Kleene's, and an event fits if its condition is true.",
            "eql-three",
            "THREE",
            f"number of parts: {number}; each is true, false or null",
            partial(joined, number=number),
            mutant,
        )
        for number, mutant in (
            (1, ("conditions:fits", "test(event) is True", "test(event) is not False")),
            (2, ("conditions:_joined", "known and truth is not None", "truth is not None")),
            (
                3,
                ("conditions:_joined", "if truth is decisive:", "if truth is not None and truth is decisive is known:"),
            ),
        )
    ),
    lemma(
        "comparisons",
        "A comparison is that of the definition, and null unless both values are of one kind that the operator orders.",
        "eql-three",
        "THREE",
        f"6 operators, 2 values: each any number, {_KINDS.removeprefix('a number, ')}; both readings of `logic`",
        comparisons,
        ("conditions:_comparison", "kind != kind_of(second)", "not kind_of(second)"),
    ),
    lemma(
        "memberships",
        "`in` is the `or` of equalities, `not in` its opposite, and a test for null is never null.",
        "eql-three",
        "THREE",
        f"a value: any number, {_KINDS.removeprefix('a number, ')}; lists of any number, a text, or both",
        memberships,
        ("conditions:_membership", "if {kind} == listed.keys() else None", "if kind in listed else None"),
    ),
    lemma(
        "keys-are-values",
        "Two events have the same key if their key fields have values of one kind that are equal; an event is in no "
        "key if it lacks one, unless null is a value there, or one is a list.",
        "eql-key",
        "KEY",
        "2 events, 2 fields, optional or not: one of any kind, one a number or missing; both readings of `keys`",
        keys,
        ("plans:key_of", "type(value) is bool, value", "value"),
    ),
    lemma(
        "stages-are-of-a-category",
        "An event fits a stage if it is of the category of the stage, if it has one, and the condition is true.",
        "eql-three",
        "THREE KEY",
        "2 categories or any, 2 types, a condition that is true, false or null",
        categories,
        ("plans:Step.key", "if not fits(self.test, event)", "if False"),
    ),
)
