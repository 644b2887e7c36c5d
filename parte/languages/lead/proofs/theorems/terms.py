"""Lemmas on what machine and definition share, or compute from the text of a rule: names, units of sequences, times,
default policies, expressions, and emitted events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from parte.languages.lead.algebra.expressions import Environment, value_of
from parte.languages.lead.algebra.formulas import emission
from parte.languages.lead.algebra.limits import longest
from parte.languages.lead.algebra.policies import with_policies
from parte.languages.lead.proofs.settings import any_value, decided, rule_of, times
from parte.languages.lead.semantics.conditions import View, compiled
from parte.languages.lead.semantics.emission import emitted
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import bound
from parte.languages.lead.semantics.syntax.matches import Emitted, Match, Occurrence
from parte.languages.lead.semantics.syntax.names import named, scope_of, twins, units
from parte.languages.lead.semantics.syntax.readings import CHOICES
from parte.languages.lead.semantics.translation import default
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import count_of, equal
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event, Value

_MACHINE = "parte.languages.lead.semantics"
_A, _B = tree.Atom("A", None), tree.Atom("B", None)
_NONE, _SOME = tree.Not(_B), tree.Collect(_B, None, None, None, None)
_SHORT = tree.Duration(1, tree.Unit.MS)
NUMBERS = (1, 2, 3)
"""The numbers of parts of patterns and expressions that have any number of them."""

# --- Patterns ---------------------------------------------------------------------------------------------------------


def _parts(run: Run, among: Sequence[tree.Pattern], numbers: Sequence[int]) -> tuple[tree.Pattern, ...]:
    return tuple(choice(run, f"part {place}", among) for place in range(choice(run, "number of parts", numbers)))


def names(run: Run) -> Claims:
    """A conjunction of events of two streams, some with a name."""
    parts = _parts(run, (_A, _B, tree.Atom("A", "x")), (*NUMBERS, 4))
    whole = named(tree.And(parts))
    assert isinstance(whole, tree.And)
    called = [part.name for part in whole.parts if isinstance(part, tree.Atom)]
    named_before = [part.name for part in parts if isinstance(part, tree.Atom) and part.name is not None]
    unnamed = [name for name, part in zip(called, parts, strict=True) if part in (_A, _B)]
    groups = [tuple(name for name, part in zip(called, parts, strict=True) if part == alike) for alike in (_A, _B)]
    return (
        ("each event without a name gets one of its own", count_of({*unnamed, "x"}) == count_of([*unnamed, "x"])),
        ("names in the text stay", [name for name in called if name not in unnamed] == named_before),
        ("these are the names of the scope, in order", [*scope_of(whole)] == [*dict.fromkeys(called)]),
        (
            "two or more of one stream without a name are twins, in order",
            {*twins(whole.parts)} == {group for group in groups if group[1:]},
        ),
    )


def in_units(run: Run) -> Claims:
    """A sequence of open and closed parts."""
    parts = _parts(run, (_A, _NONE, tree.Filtered(_NONE, tree.Outside("t")), _SOME), (*NUMBERS, 4))
    separate = units(parts)
    return (
        ("all parts are there, in order", (*chain.from_iterable(separate),) == parts),
        ("before the last part of a unit all are open", all(_A not in unit[:-1] for unit in separate)),
        ("a unit ends with a closed part, but perhaps the last", all(unit[-1] == _A for unit in separate[:-1])),
    )


_BOUNDED = (
    "A within 1 ms",
    "wait(not B, 1 ms)",
    "(A within 1 ms) within 2 ms from (B within 3 ms)",
    "A AS x -> (A within 1 ms from x)",
    "(A within 1 ms) or (B within 2 ms) or (A within 3 ms)",
    "(A within 1 ms) and (B within 2 ms) and wait(B, 3 ms)",
    "(A within 1 ms) -> (B within 2 ms) -> (A within 3 ms)",
    "(A within 1 ms) -> not B -> (B within 2 ms)",
    "last(A within 1 ms) -> (B within 2 ms)",
    "adj((A within 1 ms) -> (B within 2 ms) -> (A within 3 ms))",
    "adj((A within 1 ms) and (B within 2 ms) and (A within 3 ms))",
    "adj((A within 1 ms) and (B within 2 ms))",
    "first(all((A within 1 ms) FILTER (A.v > 1)))",
)


def bounds(run: Run) -> Claims:
    """A pattern with any durations."""
    pattern = named(rule_of(run, f"FROM A, B MATCH {choice(run, 'pattern', _BOUNDED)}").pattern)
    if isinstance(pattern, tree.Sequence) and isinstance(pattern.parts[0], tree.Atom):
        pattern = pattern.parts[1]  # what comes before only binds the name
    limit = bound(pattern)
    return (("both sides say the same", limit is not None and equal(limit, longest(pattern))),)


def durations(run: Run) -> Claims:
    """A duration in each unit."""
    amount = decided(run, "amount")
    millisecond, second, minute, hour, day = (tree.Duration(amount, unit).milliseconds for unit in tree.Unit)
    return (
        ("a millisecond is one", equal(millisecond, amount)),
        ("a second is 1000 of them", equal(second, times(1000, millisecond))),
        ("a minute 60 seconds", equal(minute, times(60, second))),
        ("an hour 60 minutes", equal(hour, times(60, minute))),
        ("a day 24 hours", equal(day, times(24, hour))),
    )


def defaults(run: Run) -> Claims:
    """A chain of parts with policies and without, under an operator, within other patterns, and both readings."""
    parts = _parts(run, (_A, tree.Policy(tree.Choice.ALL, _A, ()), tree.Within(_NONE, _SHORT, None)), NUMBERS)
    if parts[1:]:
        pattern: tree.Pattern = tree.And(parts)
        if run.truth("an or"):
            pattern = tree.Or(parts)
        elif run.truth("a sequence"):
            pattern = tree.Sequence(parts)
        if isinstance(pattern, tree.Sequence) and run.truth("something is absent"):
            pattern = tree.Sequence((parts[0], _NONE, *parts[1:]))
    else:
        (pattern,) = parts
    around: Sequence[tree.Pattern] = (
        pattern,
        tree.Within(pattern, _SHORT, _A),
        tree.Wait(tree.Filtered(pattern, tree.Outside("t")), _SHORT),
    )
    pattern = choice(run, "around it", around)
    reading = choice(run, "reading", CHOICES["default"])
    return (("both sides insert the same policies", default(pattern, reading) == with_policies(pattern, reading)),)


# --- Expressions ------------------------------------------------------------------------------------------------------


def _event(place: int, value: Value | None) -> Occurrence:
    return Occurrence((place, place), Event(f"e{place}", "A", place, {} if value is None else {"v": value}))


def operators(run: Run, kind: str) -> Claims:
    """One to three operands of any kinds."""
    count = choice(run, "number of operands", NUMBERS)
    seen = {f"A{place}": _event(place, any_value(run, f"v of {place}")) for place in range(count)}
    operands = tuple(tree.Reference((name, "v")) for name in seen)
    truths = tuple(tree.Comparison(operand, tree.Operator.GREATER, tree.Literal(1)) for operand in operands)
    expressions: dict[str, tree.Expression] = {
        "sum": tree.Sum((*operands, tree.Negative(operands[0]))),
        "product": tree.Product(operands[:2]),
        "both": tree.Both(truths),
        "either": tree.Either((tree.Negation(truths[0]), *truths[1:])),
    }
    return _computed(expressions[kind], Environment({**seen}))


def _computed(expression: tree.Expression, environment: Environment) -> Claims:
    items = None if environment.current is None else tuple(environment.current)
    computed = compiled(expression)(View(environment.names, items, environment.keys))
    meant = value_of(expression, environment)
    return (
        ("both sides have a value or none has", (computed is None) is (meant is None)),
        ("and it is the same", computed is None or bool(computed == meant)),
    )


def aggregates(run: Run, function: tree.Function) -> Claims:
    """A list of no to three items, each with a number, a string or no value."""
    items = []
    for place in range(choice(run, "number of items", (0, *NUMBERS))):
        event = _event(place, choice(run, f"v of {place}", (3, 5, "x", None)))
        items.append(Match((("A", event),), place, place, frozenset({event.position})))
    path = choice(run, "of", (("l", "v"), ("l", "A", "v"), ("v",), ("l",), ()))
    return _computed(tree.Aggregate(function, path), Environment({"l": tuple(items)}, tuple(items)))


def emissions(run: Run) -> Claims:
    """No to three arguments of an emitted event, and as many declared attributes, with defaults and without."""
    names, keys = {"A": _event(0, 3)}, {"k": 9}
    forms: Sequence[tuple[tree.Expression, int]] = (
        (tree.Reference(("A", "v")), 3),
        (tree.Literal(1), 1),
        (tree.Reference(("k",)), 9),
    )
    chosen = [choice(run, f"argument {place}", forms) for place in range(choice(run, "arguments", (0, *NUMBERS)))]
    declared = [
        tree.Attribute("int", name, tree.Literal(7) if name == "y" else None)
        for name in choice(run, "declared", ("", "x", "xy", "xyz"))
    ]
    node, types = tree.Emission("E", tuple(expression for expression, _ in chosen)), {"E": declared}
    event = emitted(node, View(names, None, keys), 5, types)
    rest = [attribute.default and attribute.default.value for attribute in declared[count_of(chosen) :]]
    own, values = [name for name, _ in event.attributes], [value for _, value in event.attributes]
    return (
        ("both sides emit the same", event == emission(node, Environment({**names}, None, {**keys}), 5, types)),
        ("at the end of the match", event == Emitted("E", 5, event.attributes)),
        ("with a value for each argument, and then the defaults", values == [*(value for _, value in chosen), *rest]),
        ("under the declared names", own[: count_of(declared)] == [attribute.name for attribute in declared]),
    )


def _lemma(
    name: str,
    statement: str,
    section: str,
    rules: tuple[str, ...],
    scope: str,
    body: Body,
    mutant: tuple[str, str, str],
) -> Lemma:
    place, before, after = mutant
    identities = tuple(f"LEAD/{rule}" for rule in rules)
    return Lemma(
        name,
        statement,
        section,
        identities,
        scope,
        body,
        Mutant("altered", f"{_MACHINE}.{place}", before, after),
        HOLDS,
    )


LEMMAS = (
    _lemma(
        "names-are-their-own",
        "Each event without a name has one of its own, and those of one stream in a conjunction are twins, in order.",
        "3.3.1 (6)",
        ("AND",),
        "1 to 4 parts, of 2 streams or with a name",
        names,
        ("syntax.names:twins", "if len(names) > 1", "if len(names) == 2"),
    ),
    _lemma(
        "units-end-with-what-ends-them",
        "A sequence is cut behind each closed part, and nowhere else.",
        "3.3.1 (9)",
        ("SEQ", "UNTIL"),
        "1 to 4 parts, open or closed",
        in_units,
        ("syntax.names:units", "begun = (*begun, part)", "begun = (*begun[-1:], part)"),
    ),
    _lemma(
        "branches-are-over-in-time",
        "The longest time that a branch takes is that of the definition.",
        "3.3.1 (11)",
        ("SUB",),
        f"{len(_BOUNDED)} patterns with every construct that a branch may have, any durations",
        bounds,
        ("syntax.checking:bound", "return None if rest is None else rest + duration.milliseconds", "return rest"),
    ),
    _lemma(
        "units-of-time-are-multiples",
        "A duration is as many milliseconds as its unit has.",
        "3.3.2",
        ("WITHIN", "WAIT"),
        "any amount, 5 units",
        durations,
        ("syntax.tree:Duration.milliseconds", "self.amount * self.unit.value", "self.amount"),
    ),
    _lemma(
        "default-policies-are-those-of-the-definition",
        "Where a rule has no policy, both sides insert the same ones.",
        "3.3.3",
        ("DEFAULT",),
        f"1 to {NUMBERS[-1]} parts with a policy or without under each operator, alone or in 2 patterns; both readings",
        defaults,
        ("translation:_defaulted", "if len(free) > 1 else free[0]", "if len(free) > 2 else free[0]"),
    ),
    *(
        _lemma(
            f"expressions-{kind}",
            f"The {kind} of some values is that of the definition, or neither has a value.",
            "3.3 (1)",
            ("FILTER",),
            "1 to 3 operands, each any number, truth value, one of 2 texts, or missing",
            partial(operators, kind=kind),
            ("conditions:compiled", before, after),
        )
        for kind, before, after in (
            (
                "sum",
                "operator.add, [term(view) for term in terms], 0",
                "operator.add, [term(view) for term in terms], 1",
            ),
            ("product", "[factor(view) for factor in factors], 1", "[factor(view) for factor in factors], 2"),
            ("both", "all(part(view) is True for part in every)", "any(part(view) is True for part in every)"),
            ("either", "any(part(view) is True for part in some)", "all(part(view) is True for part in some)"),
        )
    ),
    *(
        _lemma(
            f"aggregates-{function.value}",
            f"`{function.value}` of a list is that of the definition, or neither has a value.",
            "3.3 (1)",
            ("FILTER", "PICK"),
            "lists of 0 to 3 items with 2 numbers, a text or no value; 5 paths",
            partial(aggregates, function=function),
            ("conditions:_aggregated", before, after),
        )
        for function, before, after in (
            (tree.Function.COUNT, "return len(values)", "return len(items)"),
            (tree.Function.SUM, "return _folded(operator.add, values, 0)", "return _folded(operator.add, values, 1)"),
            (tree.Function.AVG, "total / len(values)", "total / len(items)"),
            (tree.Function.MIN, "else min(values)", "else values[0]"),
            (tree.Function.MAX, "return max(values) if", "return values[-1] if"),
        )
    ),
    _lemma(
        "emitted-events-have-all-values",
        "An emitted event has a value for each argument, under the declared name if any, and then the defaults.",
        "4",
        ("SINK", "SUB"),
        "0 to 3 arguments of 3 forms, 0 to 3 declared attributes",
        emissions,
        ("emission:emitted", "if number < len(declared):", "if number < len(declared) - 1:"),
    ),
)
