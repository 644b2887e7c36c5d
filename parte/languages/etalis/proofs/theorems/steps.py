"""Single steps (E §2, §4, §5): terms and conditions, events, and the order in which they are taken."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

from parte.languages.etalis.algebra import terms as definition
from parte.languages.etalis.algebra.patterns import lasts, matched
from parte.languages.etalis.algebra.policies import strata as equation_strata
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.proofs.settings import interval, length, program
from parte.languages.etalis.semantics.binarisation import Kind, binarised
from parte.languages.etalis.semantics.machine import Machine, event, for_each, time, trigger, unique
from parte.languages.etalis.semantics.nodes import Passing, Settings, copy, lasting, or_left, or_right, where
from parte.languages.etalis.semantics.operators import OPERATORS
from parte.languages.etalis.semantics.policies import UNRESTRICTED
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, in_order
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value
from parte.languages.etalis.semantics.terms import evaluator
from parte.proofs.lemma import IN_SOUND, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import number, rational
from parte.proofs.statements import at_most, before, equal, implies
from parte.proofs.symbolic import Body, Claims, Run, choice

ALIKE: Sequence[Value] = (0, 1, -2, Fraction(1, 2), "", "x", "y", Truth.TRUE, Truth.FALSE)
"""Values of every kind; among the numbers 0, by which nothing is divided, and one that is not whole."""
_X, _Y, _Z = map(tree.Variable, "XYZ")


# --- Terms ------------------------------------------------------------------------------------------------------------


def _value(run: Run, name: str, *, known: bool) -> Value:
    """Return a known value of any kind; or any whole number, or a value that is no number."""
    others = [value for value in ALIKE if isinstance(value, str | Truth)]
    return choice(run, f"{name} is", ALIKE if known else (number(run, name), *others))


def _same(run: Run, term: tree.Term, *, known: bool = False) -> Claims:
    """A term of two variables, by the machine and by the definition."""
    known = known or run.truth("the values are known")
    first, second = (_value(run, name, known=known) for name in ("X", "Y"))
    computed = evaluator(term, {"X": 0, "Y": 1})((first, second))
    meant = definition.value(term, {"X": first, "Y": second})
    return (
        ("both have a value or none has", (computed is None) is (meant is None)),
        ("and it is the same", computed == meant),
        ("and of one kind", isinstance(computed, str | Truth) is isinstance(meant, str | Truth)),
    )


def arithmetic(run: Run, sign: tree.Arithmetic) -> Claims:
    """Two values; for a division, known ones."""
    return _same(run, tree.Calculation(_X, sign, _Y), known=sign is tree.Arithmetic.OVER)


def comparisons(run: Run, relation: tree.Relation) -> Claims:
    """Two values."""
    return _same(run, tree.Comparison(_X, relation, _Y))


def nested(run: Run) -> Claims:
    """A comparison of a sum that may have no value."""
    quotient = tree.Calculation(tree.Constant(1), tree.Arithmetic.OVER, _Y)
    terms: Sequence[tree.Term] = (
        tree.Comparison(tree.Calculation(_X, tree.Arithmetic.PLUS, quotient), tree.Relation.LESS, tree.Constant(1)),
        tree.Comparison(quotient, tree.Relation.EQUAL, quotient),
        tree.Comparison(quotient, tree.Relation.NOT_EQUAL, _X),
        tree.Constant(1),
        _X,
    )
    return _same(run, choice(run, "term", terms), known=True)


def conditions(run: Run) -> Claims:
    """Values for which a condition may be true, false, another value or without value."""
    quotient = tree.Calculation(_X, tree.Arithmetic.OVER, _Y)
    less = tree.Relation.LESS
    among: Sequence[tree.Term] = (tree.Comparison(_X, less, _Y), tree.Comparison(quotient, less, _X), _X)
    condition = choice(run, "condition", among)
    first, second = (_value(run, name, known=True) for name in ("X", "Y"))
    computed = where(evaluator(condition, {"X": 0, "Y": 1}), (first, second))
    return (
        (
            "it holds just if it does by the definition",
            computed is definition.holds(condition, {"X": first, "Y": second}),
        ),
    )


# --- One operand ------------------------------------------------------------------------------------------------------


def durations(run: Run) -> Claims:
    """Any interval and length, under either reading."""
    event, most = interval(run, "the event"), length(run, "the length")
    exactly = run.truth("exactly")
    meant = lasts(event.finding, most, Readings(lasting="exactly" if exactly else "within"))
    return (("it passes just if it does by the definition", bool(lasting(most, *event, exactly)) is bool(meant)),)


def passed(run: Run) -> Claims:
    """Any event of a rule without a condition."""
    arrived, value = interval(run, "the event"), number(run, "a value")
    rule = choice(run, "rule", binarised(program("e(X) <- a(X). f(X) <- a(X) OR b(X).")).rules)
    heads = list(Passing(rule, Settings(UNRESTRICTED)).arrive(0, (value,), *arrived))
    return (
        ("it is passed on, once", len(heads) == 1),
        ("with its arguments", all(head.arguments == (value,) for head in heads)),
        ("over its interval", all(equal(head.start, arrived.start) for head in heads)),
        ("whatever the side", copy() and or_left() and or_right()),
    )


# --- What happens -----------------------------------------------------------------------------------------------------


def matching(run: Run, arguments: Sequence[tree.Term]) -> Claims:
    """An event whose arguments are any numbers, for a pattern with variables and constants."""
    machine = Machine(tree.Program((tree.Rule(tree.EventPattern("e", ()), tree.EventPattern("a", tuple(arguments))),)))
    values = tuple(number(run, f"argument {place}") for place, _ in enumerate(arguments))
    uses = machine._uses[machine._kinds["a"].rank]
    bindings = [bound for _, bound in for_each(uses, values)]
    meant = matched(tuple(arguments), values)
    names = uses[0].operand.variables
    return (
        ("it is used just if the arguments are those", bool(bindings) is (meant is not None)),
        (
            "with the values of the variables",
            meant is None or dict(zip(names, bindings[0], strict=True)) == dict(meant),
        ),
    )


def uses(run: Run) -> Claims:
    """An event that rules use in four places, two of them in one rule."""
    machine = Machine(program("e <- a SEQ a. f <- b AND a. g <- a. h <- b."))
    places = [
        (machine._nodes.index(use.node), use.side) for use, _ in for_each(machine._uses[machine._kinds["a"].rank], ())
    ]
    atoms = frozenset({("a", ()), ("z", ())} if run.truth("something else happens too") else {("a", ())})
    return (
        ("it is used in the order of the rules, as l before r", places == [(0, 0), (0, 1), (1, 1), (2, 0)]),
        ("what no rule knows is left out", event(machine._kinds, Instant(0, atoms)) == [(machine._kinds["a"], ())]),
    )


def happening(run: Run) -> Claims:
    """Two heads of one instant: are they one event?"""
    happened: set[tuple[int, tuple[Value, ...], Number]] = set()
    names = ("a head", "another head")
    former, latter = (
        (choice(run, f"kind of {name}", (1, 2)), (number(run, f"value of {name}"),), rational(run, name))
        for name in names
    )
    first = unique(happened, former)
    trigger(happened, former)
    second = unique(happened, latter)
    return (
        ("the first is new", first),
        ("the second is, unless it is the same", bool(second) is (former != latter)),
        ("what happened is noted", not unique(happened, former)),
    )


def moments(run: Run) -> Claims:
    """Two moments of a text, and two instants of a stream."""
    due = sorted(length(run, f"moment {place}") for place in range(2))
    instants = [length(run, f"instant {place}") for place in range(2)]
    run.assume(before(*instants))
    rules = tuple(
        tree.Rule(tree.EventPattern(f"e{place}", ()), tree.Moment(moment)) for place, moment in enumerate(due)
    )
    machine = Machine(tree.Program(rules))
    derived = [machine.instant(Instant(instant, frozenset())) for instant in instants]
    after = machine.end()
    claims = [
        (
            "what is due up to an instant happens by then, and not before",
            [head.end for head in heads] == [moment for moment in due if _between(moment, earliest, latest)],
        )
        for heads, earliest, latest in zip(derived, (None, instants[0]), instants, strict=True)
    ]
    return (
        *claims,
        (
            "the rest happens at the end",
            [head.end for head in after] == [moment for moment in due if before(instants[1], moment)],
        ),
        ("all that is due is taken", all(time([kind]) == [kind] for kind in machine._kinds.values())),
    )


def _between(moment: Number, earliest: Number | None, latest: Number) -> bool:
    return bool(at_most(moment, latest)) and (earliest is None or bool(before(earliest, moment)))


# --- The agenda -------------------------------------------------------------------------------------------------------

_STRATA = "e <- (a SEQ b) AND (c OR a). f(X) <- e PAR d(X). g <- NOT(f(X)).[a, e]. h <- g WHERE 1 < 2."
_OPERANDS = (
    *(f"e <- a SEQ b. f <- {text}." for operator in OPERATORS for text in (f"e {operator} a", f"a {operator} e")),
    *(f"e <- a SEQ b. f <- {text}." for text in ("NOT(e).[a, b]", "NOT(a).[e, b]", "NOT(a).[b, e]", "(e).1", "a OR e")),
    "f <- (e SEQ a). e <- d WHERE 1 < 2. e <- a. e <- (d OR a) SEQ b. d <- a. d <- (a AND b) PAR c.",
)
"""Programs in which each operand of each operator is the only derived one, and one of heads with several rules."""


def agenda(run: Run) -> Claims:
    """Events on the agenda of an instant, of any rules."""
    machine = Machine(program(_STRATA))
    machine._now = rational(run, "now")
    kinds = [machine._kinds[name] for name in "gae"]
    for place, kind in enumerate(kinds):
        start = rational(run, f"start {place}")
        run.assume(at_most(start, machine._now))
        machine._put(kind, (), start, None)
    taken = [heapq.heappop(machine._agenda) for _ in kinds]
    return [
        claim
        for former, latter in pairwise(taken)
        for claim in (
            ("the shorter is taken first", at_most(latter[6], former[6])),
            (
                "of what lasts as long that of a lower stratum",
                implies(equal(former[6], latter[6]), at_most(former[4].stratum, latter[4].stratum)),
            ),
        )
    ]


def strata(run: Run) -> Claims:
    """Every rule of programs without recursion, and an event of every operand."""
    parsed = program(choice(run, "program", (_STRATA, *_OPERANDS)))
    whole = binarised(parsed)
    rule = choice(run, "rule", whole.rules)
    operand: Kind = choice(run, "operand", [candidate.kind for candidate in rule.operands])
    meant = equation_strata(parsed)
    return (
        ("what an event is made of is of a lower stratum", before(operand.stratum, rule.target.stratum)),
        ("and ranks before it", before(operand.rank, rule.target.rank)),
        (
            "a head has the stratum that the equation gives it",
            rule.target.name is None or rule.target.stratum == meant[rule.target.name],
        ),
    )


def output(run: Run) -> Claims:
    """Two results, each with any interval and one of two names, or with values of any kinds alone."""
    names, alike = ("one", "another"), run.truth("they differ in values alone")
    known = alike and run.truth("the values are known")
    events = [
        IntervalEvent("e", (_value(run, f"value of {name}", known=known),), 0, 0)
        if alike
        else IntervalEvent(choice(run, f"name of {name}", ("e", "f")), (0,), *interval(run, name))
        for name in names
    ]
    former, latter = in_order(events)
    kinds = [_kind(event.arguments[0]) for event in (former, latter)]
    return (
        ("both are there", sorted(map(id, (former, latter))) == sorted(map(id, events))),
        ("the one that ends earlier comes first", at_most(former.end, latter.end)),
        (
            "then the one that starts earlier",
            implies(equal(former.end, latter.end), at_most(former.start, latter.start)),
        ),
        (
            "then they are by name, and by values: numbers, strings, Booleans",
            (former.end, former.start) != (latter.end, latter.start)
            or [former.name, latter.name] == ["e", "f"]
            or (former.name == latter.name and _ascend(kinds, former.arguments[0], latter.arguments[0])),
        ),
    )


def _kind(value: Value) -> str:
    return "string" if isinstance(value, str) else "truth" if isinstance(value, Truth) else "number"


def _ascend(kinds: Sequence[str], former: Value, latter: Value) -> bool:
    """Return whether two values are in order, by their kinds and within one kind."""
    if kinds[0] != kinds[1]:
        return kinds == sorted(kinds, key=("number", "string", "truth").index)
    if isinstance(former, Truth) or isinstance(latter, Truth):
        return [former, latter] != [Truth.TRUE, Truth.FALSE]
    if isinstance(former, str) or isinstance(latter, str):
        return [former, latter] == sorted(map(str, (former, latter)))
    return bool(at_most(former, latter))


# --- The lemmas -------------------------------------------------------------------------------------------------------

_HOME = "parte.languages.etalis.semantics"
_ANY = "any whole numbers, 4 numbers of every sign, one of them not whole, 3 strings, both Booleans"


def _lemma(
    name: str, statement: str, section: str, rules: Sequence[str], scope: str, body: Body, mutant: tuple[str, str, str]
) -> Lemma:
    place, old, new = mutant
    identities = tuple(f"ETALIS/{rule}" for rule in rules)
    mutated = Mutant("altered", f"{_HOME}.{place}", old, new)
    return Lemma(name, statement, section, identities, scope, body, mutated, IN_SOUND)


_CALCULATED = "number(calculated(first, second))"
_SIGNS = {
    tree.Arithmetic.PLUS: (_CALCULATED, "number(calculated(first, first))"),
    tree.Arithmetic.MINUS: (_CALCULATED, "number(calculated(second, first))"),
    tree.Arithmetic.TIMES: (_CALCULATED, "number(first)"),
    tree.Arithmetic.OVER: ("return None\n        return", "return 0\n        return"),
}
_ONE = tree.Constant(1)
_ARGUMENTS = {
    "constants": ((_X, _ONE), "if arguments[place] != value:", "if False:"),
    "repeated": ((_X, _Y, _X), "if arguments[place] != arguments[earlier]:", "if False:"),
    "of-many-kinds": (
        (_X, _Y, _Z, _ONE, _Z, _X, tree.Constant(2)),
        "repeated.append((place, first[term.name]))",
        "repeated[:] = [(place, first[term.name])]",
    ),
}

LEMMAS = (
    *(
        _lemma(
            f"terms-{sign.name.lower()}",
            f"Two values with `{sign.value}` between them have the value that the definition says, or none.",
            "4",
            ("WHERE", "TRIGGER"),
            _ANY.removeprefix("any whole numbers, ") if sign is tree.Arithmetic.OVER else _ANY,
            partial(arithmetic, sign=sign),
            ("terms:_calculation", *mutant),
        )
        for sign, mutant in _SIGNS.items()
    ),
    *(
        _lemma(
            f"terms-{relation.name.lower().replace('_', '-')}",
            f"Two values compare by `{relation.value}` as the definition says, or have no value.",
            "4",
            ("WHERE",),
            _ANY,
            partial(comparisons, relation=relation),
            ("terms:_equality", "== expected", "!= expected")
            if relation in (tree.Relation.EQUAL, tree.Relation.NOT_EQUAL)
            else ("terms:_comparison", "compared(first, second)", "compared(second, first)"),
        )
        for relation in tree.Relation
    ),
    _lemma(
        "terms-without-value",
        "A term with a part that has no value has none, whatever is asked of it.",
        "4",
        ("WHERE", "TRIGGER"),
        f"5 terms, one of them a quotient in a sum; {_ANY.removeprefix('any whole numbers, ')}",
        nested,
        ("terms:_equality", "if first is None or second is None:", "if first is None and second is None:"),
    ),
    _lemma(
        "conditions-hold-alike",
        "A condition holds just if it is true by the definition; one without value does not.",
        "4, fig. 2",
        ("WHERE",),
        f"3 conditions; {_ANY.removeprefix('any whole numbers, ')}",
        conditions,
        ("nodes:where", "is Truth.TRUE", "is not Truth.FALSE"),
    ),
    _lemma(
        "durations-pass-alike",
        "What (P).q lets pass is what the definition does, under either reading.",
        "4, fig. 2",
        ("LASTING",),
        f"{UNBOUNDED}: any times and lengths",
        durations,
        ("nodes:lasting", "end - start == length if exactly else ", ""),
    ),
    _lemma(
        "one-operand-passes",
        "A rule that is a pattern alone, or either side of OR, passes every event on as it is, once.",
        "4; 5",
        ("COPY", "OR-LEFT", "OR-RIGHT"),
        f"3 rules; {UNBOUNDED}: any times and values",
        passed,
        ("nodes:or_right", "return True", "return False"),
    ),
    *(
        _lemma(
            f"arguments-{name}",
            "An event is used where its arguments match, as the definition says, with the values of the variables.",
            "4; 5, (3)",
            ("EACH",),
            f"{len(arguments)} arguments, any numbers",
            partial(matching, arguments=arguments),
            ("binarisation:_matching", old, new),
        )
        for name, (arguments, old, new) in _ARGUMENTS.items()
    ),
    _lemma(
        "events-are-used-in-order",
        "An event is used wherever it is looked for, in the order of the rules and as l before r; others are left out.",
        "2; 5, (3)",
        ("EACH", "EVENT"),
        "4 rules",
        uses,
        ("machine:event", " if name in kinds]", "]"),
    ),
    _lemma(
        "heads-happen-once",
        "A head happens unless it did at this instant, with the same arguments and over the same interval.",
        "4; 5, (5)",
        ("UNIQUE", "TRIGGER"),
        "2 heads of 2 kinds with any values, any times",
        happening,
        ("machine:trigger", "happened.add(happening)", "pass"),
    ),
    _lemma(
        "moments-happen-when-due",
        "A number of the text happens when it is due: before later events, and else at the end.",
        "3, q",
        ("TIME",),
        "2 moments and 2 instants, any times",
        moments,
        ("machine:Machine.end", "list(self._due(None))", "[]"),
    ),
    _lemma(
        "the-agenda-is-in-order",
        "Of the events of an instant the shorter are taken first, and of those as short those of a lower stratum.",
        "5",
        ("TRIGGER", "EVENT"),
        "3 events of kinds of 3 strata, any times",
        agenda,
        ("machine:Machine._put", "(self._now - start, kind.rank", "(start, kind.rank"),
    ),
    _lemma(
        "strata-rise",
        "What an event is made of is of a lower stratum, so that of what lasts as long it is taken before it; "
        "heads have the strata of the equation.",
        "5",
        ("TRIGGER",),
        f"the rules of {len((_STRATA, *_OPERANDS))} programs, with a derived event as each operand of each operator",
        strata,
        ("binarisation:_stratify", "1 + max(strata, default=0)", "max(strata, default=0)"),
    ),
    _lemma(
        "results-are-in-order",
        "Results are by their ends, then by their starts, names and values: numbers, then strings, then Booleans.",
        "4",
        ("TRIGGER",),
        f"2 results with any intervals, of 2 names, or with different values: {_ANY}",
        output,
        ("syntax.values:rank", "return 1, 0, value", "return 3, 0, value"),
    ),
)
