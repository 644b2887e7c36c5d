"""The compiler preserves a rule's meaning: windows admit exactly what `when` admits, no condition is lost (D §5.5).

A rule of a few patterns is compiled, with arbitrary ends of its windows and with arbitrary conditions; the conditions
of the nodes are compared with the algebra's reading of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, cycle

from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.patterns import All, Within
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.statements import written
from parte.proofs.statements import at_most, both, equal, every, implies, same
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.compilation import EMPTY, compile_program, windows_of
from parte.semantics.partelang.expressions import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import AlphaNode, Network, TwoInputNode
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.connectives import neg

Pair = tuple[str, str]
"""The subject and the reference of a constraint."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a rule: its variables in order, the negated ones, and the pairs that `when` relates."""

    variables: str
    negated: str
    pairs: tuple[Pair, ...]

    @property
    def described(self) -> str:
        """A description of the shape."""
        related = ", ".join(f"{subject} in {reference}" for subject, reference in self.pairs)
        names = ", ".join(f"no {name}" if name in self.negated else name for name in self.variables)
        return f"patterns {names}, when {related}"

    def rule(self, run: Run, conditions: Mapping[str, tuple[core.Expression, ...]] | None = None) -> core.Rule:
        """Return the rule, with arbitrary ends of its windows."""
        patterns = tuple(
            core.Pattern(name, name.upper(), name in self.negated, (conditions or {}).get(name, ()))
            for name in self.variables
        )
        constraints = tuple(
            core.Constraint(
                subject,
                reference,
                run.integer(f"lower of {subject} in {reference}"),
                run.integer(f"upper of {subject} in {reference}"),
                subject in self.negated,
            )
            for subject, reference in self.pairs
        )
        return core.Rule("R", patterns, constraints, ())


def _network(rule: core.Rule, predicates: Mapping[str, Callable[..., bool]]) -> Network:
    templates = tuple(core.Template(pattern.template, ()) for pattern in rule.patterns)
    declared = tuple(core.Predicate(name, ()) for name in predicates)
    program = core.Program(templates, declared, (rule,), tuple((template.name, 0) for template in templates))
    return compile_program(program, predicates, {template.name: ("s",) for template in templates})


def _two_input(network: Network) -> list[TwoInputNode]:
    return [node for node in network.nodes if isinstance(node, TwoInputNode)]


def _alpha(network: Network, variable: str) -> AlphaNode:
    (matching,) = (node for node in network.nodes if isinstance(node, AlphaNode) and node.variable == variable)
    return matching


def _windows(rule: core.Rule, *, negated: bool) -> tuple[Within, ...]:
    """Return the constraints of a rule in the algebra's reading."""
    return tuple(Within(c.subject, c.reference, c.begins, c.upper) for c in rule.constraints if c.negated is negated)


def _in_windows(node: TwoInputNode, times: Mapping[str, int]) -> bool:
    """Return whether the times fit a two-input node: the right event is in the lifetime of the left ones."""
    left = tuple(times[variable] for variable in node.left)
    opens, closes = kernel.lifetime_opens(left, node.minima), kernel.lifetime_closes(left, node.maxima)
    return kernel.in_window(times[node.right], opens, closes)


# --- Windows ----------------------------------------------------------------------------------------------------------


def same_windows(shape: Shape) -> Body:
    """Positive patterns: events are within all windows of the network just if all constraints hold."""

    def body(run: Run) -> Claims:
        rule = shape.rule(run)
        times = {variable: run.integer(f"timestamp of {variable}") for variable in shape.variables}
        network = _network(rule, {})
        compiled = every(_in_windows(node, times) for node in _two_input(network) if not node.negated)
        meant = written(run, _windows(rule, negated=False), times)
        return (
            ("what the windows admit, the constraints admit", implies(compiled, meant)),
            ("what the constraints admit, the windows admit", implies(meant, compiled)),
        )

    return body


def tight_windows(shape: Shape) -> Body:
    """Each end of a window is the time of an event that the constraints admit beside its reference event.

    The times of the other events are the ends of their windows relative to the same event.
    """

    def body(run: Run) -> Claims:
        rule = shape.rule(run)
        run.assume(written(run, _windows(rule, negated=False), _times(run, shape.variables)))
        windows, network = windows_of(rule), _network(rule, {})
        claims = []
        for node in _two_input(network):
            for position, reference in enumerate(node.left):
                for end, ends in enumerate((node.minima, node.maxima)):
                    times = {variable: windows[variable].get(reference, EMPTY)[end] for variable in shape.variables}
                    name = f"{'upper' if end else 'lower'} end of {node.right} in {reference}"
                    meant = written(run, _windows(rule, negated=False), times)
                    claims.append((f"an event at the {name} is admitted", meant))
                    claims.append((f"the {name} is in its place", equal(ends[position], times[node.right])))
                    claims.append((f"the {name} is relative to {reference}", equal(times[reference], 0)))
        return claims

    return body


def _times(run: Run, variables: str) -> dict[str, int]:
    return {variable: run.integer(f"timestamp of {variable}") for variable in variables}


def negated_windows(shape: Shape) -> Body:
    """A negated pattern: beside admitted events, its event is in its windows just if the constraints hold."""

    def body(run: Run) -> Claims:
        rule = shape.rule(run)
        times = _times(run, shape.variables)
        run.assume(written(run, _windows(rule, negated=False), times))
        (node,) = (node for node in _two_input(_network(rule, {})) if node.negated)
        meant = written(run, _windows(rule, negated=True), times)
        return (("in the windows of the node just if the constraints say so", same(_in_windows(node, times), meant)),)

    return body


def tight_negation(shape: Shape) -> Body:
    """Each end of a window of a negated pattern is a time at which an event may defeat a match."""
    negated = shape.negated

    def body(run: Run) -> Claims:
        rule = shape.rule(run)
        run.assume(written(run, _windows(rule, negated=False), _times(run, shape.variables)))
        run.assume(*(at_most(window.lower, window.upper) for window in _windows(rule, negated=True)))
        windows = windows_of(rule)
        (node,) = (node for node in _two_input(_network(rule, {})) if node.negated)
        claims = []
        for position, reference in enumerate(node.left):
            for end, ends in enumerate((node.minima, node.maxima)):
                times = {variable: windows[variable].get(reference, EMPTY)[end] for variable in node.left}
                meant = (*_windows(rule, negated=False), *_windows(rule, negated=True))
                name = f"{'upper' if end else 'lower'} end of no {negated} in {reference}"
                admitted = written(run, meant, {**times, negated: ends[position]})
                claims.append((f"an event at the {name} is meant", admitted))
        return claims

    return body


# --- Conditions -------------------------------------------------------------------------------------------------------


def _subsets(variables: str) -> list[str]:
    return [
        "".join(some) for size in (*range(len(variables)), len(variables)) for some in combinations(variables, size)
    ]


def _up_to(variable: str, shape: Shape) -> str:
    """Return the variables of a rule up to one, that one included."""
    before, _, _ = shape.variables.partition(variable)
    return f"{before}{variable}"


def _predicate(owner: str, variables: str) -> core.PredicateCall:
    """Return an arbitrary condition of a pattern on these variables."""
    arguments = tuple(core.AttributeOf(variable, "name", core.Scalar.STRING) for variable in variables)
    return core.PredicateCall(f"P of {owner} on {variables}", arguments)


def _equalities(owner: str, others: str) -> tuple[core.Comparison, ...]:
    """Return equalities of a pattern's attributes with those of an earlier pattern, its own, and others.

    One inequality is among them.
    """

    def of(variable: str, number: int) -> core.AttributeOf:
        return core.AttributeOf(variable, f"{owner}{number}", core.Scalar.BOOLEAN)

    pairs = [("=", of(owner, 1), of(owner, 2))]
    for number, variable in enumerate(others, 3):
        sides = of(owner, number), of(variable, number)
        pairs.append(("=", *(sides if variable is others[0] else sides[::-1])))
    for variable in others[:1]:
        pairs.append(("!=", of(owner, 0), of(variable, 0)))
    if others[1:]:
        pairs.append(("=", of(others[0], 1), of(others[-1], 1)))
    return tuple(core.Comparison(*pair) for pair in pairs)


def _event(run: Run, variable: str, conditions: Sequence[core.Expression]) -> Event:
    """Return an event: of the two values that an equality compares, one is a constant, the other may be equal."""
    values: dict[str, bool] = {}
    for condition, constant in zip(conditions, cycle((True, False))):
        for number, part in enumerate(_attributes(condition)):
            if part.variable == variable:
                values[part.attribute] = bool(run.truth(f"{part.attribute} of {variable}")) if number else constant
    return Event(variable, variable.upper(), run.integer(f"timestamp of {variable}"), {"name": variable, **values}, "s")


def _another(event: Event, owner: str) -> Event:
    """Return an event that meets exactly those of the conditions that the given event does not meet."""
    changed = {f"{owner}1": not event.attributes.get(f"{owner}1", False)}
    return replace(event, id="another", attributes={**event.attributes, **changed, "name": "another"})


def kept_conditions(shape: Shape, owner: str, conditions: tuple[core.Expression, ...]) -> Body:
    """The conditions of one pattern, split over its nodes, hold of events just if all of them do."""
    known = _up_to(owner, shape)

    def body(run: Run) -> Claims:
        tried: list[str] = []

        def predicate(name: str) -> Callable[..., bool]:
            def answer(*of: str) -> bool:
                tried.append(name)
                return bool(run.truth(f"{name}: {', '.join(of)}"))

            return answer

        calls = [condition for condition in conditions if isinstance(condition, core.PredicateCall)]
        predicates = {call.predicate: predicate(call.predicate) for call in calls}
        network = _network(shape.rule(run, {owner: conditions}), predicates)
        events = {variable: _event(run, variable, conditions) for variable in known}
        own = (events[owner],)
        alpha = _alpha(network, owner)
        alpha.condition((_another(events[owner], owner),))  # must not affect the result for the next event
        tried.clear()
        compiled = bool(alpha.condition(own))
        for node in _two_input(network):
            if node.right == owner:
                left = tuple(events[variable] for variable in node.left)
                key = node.left_key(left) == node.right_key(own)
                compiled = compiled and key and bool(node.condition((*left, *own)))
        stood = sorted(tried)
        meant = holds(All(conditions), frozenset(events.items()), predicates)
        claims = [("the nodes ask for what is written", compiled is meant)]
        if compiled:
            once = sorted(predicates) == stood
            claims.append(("each condition stands in one place", once))
        return claims

    return body


def _attributes(condition: core.Expression) -> list[core.AttributeOf]:
    attributes = [part for part in core.EXPRESSIONS.within(condition) if isinstance(part, core.AttributeOf)]
    return [part for part in attributes if part.attribute != "name"]


# --- A whole small network --------------------------------------------------------------------------------------------


def _of_64_bits(number: int) -> bool:
    return both(at_most(LEAST_INTEGER, number), at_most(number, GREATEST_INTEGER))


def found_matches(shape: Shape) -> Body:
    """One event of each template, at any times: the machine on the compiled network finds the algebra's matches."""

    def body(run: Run) -> Claims:
        rule = shape.rule(run)
        network = _network(rule, {})
        machine = Machine(network, run.model, recorder=lambda _: None)
        events = {variable: _event(run, variable, ()) for variable in shape.variables}
        run.assume(*(_of_64_bits(event.timestamp) for event in events.values()))
        run.assume(*(both(_of_64_bits(window.begins), _of_64_bits(window.upper)) for window in rule.constraints))
        for event in events.values():
            machine.feed(Arrival("s", event.template, event.timestamp, event))
            machine.feed(Arrival("s", event.template, POSITIVE_INFINITY, None))
        while any(machine.take(action) for action in machine.candidates()):
            pass
        times = {variable: event.timestamp for variable, event in events.items()}
        defeated = written(run, _windows(rule, negated=True), times) if shape.negated else False
        meant = both(written(run, _windows(rule, negated=False), times), neg(defeated))
        bindings = tuple((variable, variable) for variable in shape.variables if variable not in shape.negated)
        right = [match.bindings == bindings for match in machine.matches]
        return (
            ("it is found just if it is one", meant if right else neg(meant)),
            ("it is found once, with its events in their places", right in ([], [True])),
            ("nothing is left to do", not machine.candidates()),
        )

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

SECTION = "5.5"
_TEMPORAL, _COMPILATION = "parte.semantics.partelang.syntax.temporal", "parte.semantics.partelang.compilation"
_SHAPES = {
    "2": Shape("ab", "", (("b", "a"),)),
    "2-both-ways": Shape("ab", "", (("b", "a"), ("a", "b"))),
    "3-in-a-row": Shape("abc", "", (("b", "a"), ("c", "b"))),
    "3-through-the-last": Shape("abc", "", (("c", "a"), ("c", "b"))),
    "3-in-a-ring": Shape("abc", "", (("b", "a"), ("c", "b"), ("c", "a"))),
    "4-in-a-row": Shape("abcd", "", (("b", "a"), ("c", "b"), ("d", "c"))),
}
_NEGATIONS = {
    "1": Shape("an", "n", (("n", "a"),)),
    "2": Shape("abn", "n", (("b", "a"), ("n", "b"))),
    "2-twice": Shape("abn", "n", (("b", "a"), ("n", "b"), ("n", "a"))),
    "before-the-last": Shape("anb", "n", (("n", "a"), ("b", "a"))),
    "3": Shape("abcn", "n", (("b", "a"), ("c", "b"), ("n", "c"))),
}
_OPEN = Mutant(
    "forget-the-lower-end",
    f"{_COMPILATION}:_Builder.two_input",
    "minima=tuple(lower for lower, _ in intervals)",
    "minima=tuple(-upper for _, upper in intervals)",
)
_SHORT = Mutant("one-step-short", f"{_TEMPORAL}:closure", "for k in range(size):", "for k in range(size - 1):")
_ASKEW = Mutant(
    "ends-exchanged",
    f"{_TEMPORAL}:negated_bounds",
    "constraint.begins + distance[0], constraint.upper + distance[1]",
    "constraint.begins + distance[1], constraint.upper + distance[0]",
)


_TIGHT = {
    "2": _OPEN,
    "2-both-ways": Mutant(
        "the-last-constraint-only",
        f"{_TEMPORAL}:closure",
        "rows[i][j] = _least(rows[i][j], constraint.upper)",
        "rows[i][j] = constraint.upper",
    ),
    "3-in-a-row": _OPEN,
    "3-through-the-last": _SHORT,
    "3-in-a-ring": _SHORT,
    "4-in-a-row": _OPEN,
}


def _lemma(name: str, statement: str, scope: str, body: Body, mutant: Mutant, section: str = SECTION) -> Lemma:
    return Lemma(f"compiler-{name}", statement, section, (), scope, body, mutant, {SOUND: Verdict.PROVED})


def _window_lemmas() -> list[Lemma]:
    lemmas = []
    for name, shape in _SHAPES.items():
        lemmas += [
            _lemma(
                f"windows-{name}",
                "Events of positive patterns are in the windows of their nodes just if the constraints of `when` hold.",
                f"an instance: {shape.described}; any ends, contradictory ones too",
                same_windows(shape),
                _OPEN,
                f"{SECTION}.3",
            ),
            _lemma(
                f"windows-tight-{name}",
                "No compiled window is wider than it must be: the constraints admit an event at either end of it.",
                f"an instance: {shape.described}; any ends that leave room for a match",
                tight_windows(shape),
                _TIGHT[name],
                f"{SECTION}.3",
            ),
        ]
    for name, shape in _NEGATIONS.items():
        lemmas.append(
            _lemma(
                f"negation-{name}",
                "Beside events that the constraints admit, an event is in the windows of a negated pattern just if the "
                "constraints on it hold.",
                f"an instance: {shape.described}; any ends that leave room for a match",
                negated_windows(shape),
                _ASKEW
                if name in ("2", "3")
                else Mutant(
                    "the-first-constraint-only",
                    f"{_TEMPORAL}:negated_bounds",
                    "bounds[positive] = (greater(lower, known[0]), lesser(upper, known[1]))",
                    "bounds[positive] = known",
                )
                if name in ("2-twice",)
                else _OPEN,
                f"{SECTION}.3",
            )
        )
        if name in ("1", "2", "3"):
            lemmas.append(
                _lemma(
                    f"negation-tight-{name}",
                    "No window of a negated pattern is wider than it must be: at either end of it an event may defeat.",
                    f"an instance: {shape.described}; any ends that leave room for a match and for what defeats it",
                    tight_negation(shape),
                    _OPEN,
                    f"{SECTION}.3",
                )
            )
    return lemmas


def _condition_lemmas() -> list[Lemma]:
    lemmas = []
    for name, shape, owner in (
        ("first", Shape("abc", "", (("b", "a"), ("c", "b"))), "a"),
        ("second", Shape("abc", "", (("b", "a"), ("c", "b"))), "b"),
        ("third", Shape("abc", "", (("b", "a"), ("c", "b"))), "c"),
        ("negated", Shape("abn", "n", (("b", "a"), ("n", "b"))), "n"),
    ):
        known = _up_to(owner, shape)
        speaking = tuple(_predicate(owner, some) for some in _subsets(known))
        equalities = _equalities(owner, known[:-1])
        for kind, described, conditions, mutant in (
            ("conditions", "an unknown one on each subset of variables", speaking, _LOST if known[1:] else _LOST_OWN),
            ("equalities", "equalities, an inequality", equalities, _KEYLESS if known[1:] else _LOST_OWN),
        ):
            lemmas.append(
                _lemma(
                    f"{kind}-{name}",
                    "Alpha node, key and condition of the nodes of a pattern ask for all its conditions, each in one "
                    "place, and for nothing else.",
                    f"an instance: {shape.described}, conditions of {owner}: " + described,
                    kept_conditions(shape, owner, conditions),
                    mutant,
                    f"{SECTION}.2, {SECTION}.3",
                )
            )
    return lemmas


_LOST = Mutant(
    "drop-what-speaks-of-others",
    f"{_COMPILATION}:_Builder.two_input",
    "rest = tuple(condition for condition in beta if condition not in equalities)",
    "rest = tuple(condition for condition in beta[1:] if condition not in equalities)",
)
_LOST_OWN = Mutant(
    "drop-its-own",
    f"{_COMPILATION}:_Builder.add_alpha",
    "if self.variables_of(c) <= {pattern.variable})",
    "if not core.variables_of(c) <= {pattern.variable})",
)
_KEYLESS = Mutant(
    "no-keys",
    f"{_COMPILATION}:_Builder.two_input",
    "left_key=self.key(left_parts, positions)",
    "left_key=self.key((), positions)",
)

LEMMAS = (
    *_window_lemmas(),
    *_condition_lemmas(),
    *(
        _lemma(
            f"network-{name}",
            "The machine on a compiled network finds a match of one event a pattern just if the algebra does.",
            f"an instance: {shape.described}; one event of each template, one schedule",
            found_matches(shape),
            Mutant(
                "sides-exchanged",
                f"{_COMPILATION}:_Builder.add_rule",
                "self.edges.append((last, node.name, Side.LEFT, LEFT_SLOT))",
                "self.edges.append((right, node.name, Side.LEFT, LEFT_SLOT))",
            ),
            "5.5, 8.2",
        )
        for name, shape in (
            ("join", _SHAPES["2"]),
            ("not", _NEGATIONS["1"]),
            ("not-before-the-last", _NEGATIONS["before-the-last"]),
        )
    ),
)
