"""Rules of PARTElang as rules of LEAD.

The positive patterns become named events, joined by `and` below `all`. One FILTER has the windows and joint conditions.
A negated pattern is attached to the event that its window refers to. It becomes an absence for some time after this
event, or lists of events before it and after it; FILTER then requires that no item fulfils the conditions in the
window. LEAD uses an event once in a match, so a rule in which one event may fill two patterns has no counterpart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import TIME
from parte.languages.lead.semantics.syntax.lexis import KEYWORDS, SYNONYMS
from parte.languages.translations.codes import CODES
from parte.languages.translations.naming import Vocabulary
from parte.languages.translations.sides import Side, sides
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import closure
from parte.semantics.source.reporting import Reporter

_OPERATORS = {"=": tree.Operator.EQUAL} | {operator.value: operator for operator in tree.Operator}
_LEAD = Vocabulary("LEAD", KEYWORDS | SYNONYMS.keys(), (TIME,), str.upper)


@dataclass(frozen=True, slots=True)
class InLead:
    """A rule, and its name for each positive variable of the rule of PARTElang."""

    rule: tree.Rule
    variables: Mapping[str, str]


def to_lead(program: core.Program, rule: core.Rule) -> InLead:
    """Return the rule of LEAD. Raise ProgramError with every part that has no counterpart in LEAD.

    It means the same on every trace in order of time: its matches bind the same events to the positive variables.
    """
    reporter = Reporter(program.source.text, CODES)
    _patterns(program, rule, reporter)
    _once(rule, reporter)
    names = _named(rule)
    translating = _Translating(rule, names, reporter)
    parts = [translating.part(pattern) for pattern in rule.positive]
    conditions = [*translating.windows(), *translating.joint, *translating.absences]
    reporter.raise_if_failed()
    pattern = parts[0] if len(parts) == 1 else tree.And(tuple(parts))
    if conditions:
        pattern = tree.Filtered(pattern, conditions[0] if len(conditions) == 1 else tree.Both(tuple(conditions)))
    streams = dict.fromkeys(pattern.template for pattern in rule.patterns)
    translated = tree.Rule(
        tuple(tree.Stream(name, name) for name in streams),
        (),
        (),
        tree.Policy(tree.Choice.ALL, pattern, ()),
        (),
        (),
    )
    return InLead(translated, {pattern.variable: names[pattern.variable] for pattern in rule.positive})


def _patterns(program: core.Program, rule: core.Rule, reporter: Reporter) -> None:
    strata = dict(program.strata)
    for pattern in rule.patterns:
        if strata[pattern.template]:
            message = f"rules emit events of {pattern.template}, and in LEAD what a rule emits feeds no rule"
            reporter.report("no-counterpart", pattern.span, message, "translate a rule that reads no emitted events")
        _LEAD.refuse_template(pattern.template, pattern.span, reporter)
        for condition in pattern.conditions:
            for part in core.EXPRESSIONS.within(condition):
                if isinstance(part, core.AttributeOf):
                    _LEAD.refuse_attribute(part.attribute, part.span, reporter)
    for emission in rule.emissions:
        message = "in LEAD an emitted event has the end of the match as its time"
        hint = "leave out what stands after `then`: the same events match"
        reporter.report("no-counterpart", emission.span, message, hint)


def _once(rule: core.Rule, reporter: Reporter) -> None:
    """Report two patterns that one event may fill. A negated pattern may also be filled by an event of the match."""
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    if distances.contradictory:
        message = f"the windows of {rule.name} contradict each other, so that it never matches"
        reporter.report("no-counterpart", rule.span, message, "there is nothing to translate")
        return
    for (i, first), (j, second) in combinations(enumerate(rule.positive), 2):
        apart = [distances.greatest[i][j], distances.greatest[j][i]]
        if first.template == second.template and not (
            any(bound is not None and bound <= -1 for bound in apart) or _differ(first, second)
        ):
            message = f"one event may be `{first.variable}` and `{second.variable}`, and LEAD binds an event once"
            hint = f"let them be apart in time, or in an attribute: `uid != {first.variable}.uid`"
            reporter.report("no-counterpart", second.span, message, hint)


def _differ(first: core.Pattern, second: core.Pattern) -> bool:
    """Return whether a condition requires that two events of one template differ in an attribute."""
    for condition in (*first.conditions, *second.conditions):
        match condition:
            case core.Comparison(
                operator="!=" | "<" | ">", left=core.AttributeOf() as left, right=core.AttributeOf() as right
            ):
                if left.attribute == right.attribute and {left.variable, right.variable} == {
                    first.variable,
                    second.variable,
                }:
                    return True
    return False


def _named(rule: core.Rule) -> dict[str, str]:
    """Return a name for each variable. Neither it nor the name of the list after it is a keyword, a stream or taken."""
    taken = {pattern.template for pattern in rule.patterns}
    names: dict[str, str] = {}
    for pattern in rule.patterns:
        name = _LEAD.free(pattern.variable, taken, lambda name: (_after(name),))
        taken |= {name, _after(name)}
        names[pattern.variable] = name
    return names


def _after(name: str) -> str:
    """Return the name of the list of the events that come after."""
    return f"{name}_after"


# --- Conditions -------------------------------------------------------------------------------------------------------


def _time(name: str) -> tree.Reference:
    return tree.Reference((name, TIME))


def _duration(milliseconds: int) -> tree.Expression:
    """Return a duration in the largest unit in which it is a whole number."""
    size = abs(milliseconds)
    fitting = [unit for unit in tree.Unit if size % unit.value == 0] if size else [tree.Unit.MS]
    duration = tree.Duration(size // fitting[-1].value, fitting[-1])
    return tree.Negative(duration) if milliseconds < 0 else duration


def _literal(value: tree.Constant) -> tree.Expression:
    if isinstance(value, bool | str):
        return tree.Literal(value)
    if value == -(2**63) and isinstance(value, int):  # the number without its sign is no Integer
        return tree.Sum((tree.Negative(tree.Literal(2**63 - 1)), tree.Negative(tree.Literal(1))))
    negative = value < 0 or str(value).startswith("-")
    return tree.Negative(tree.Literal(-value)) if negative else tree.Literal(value)


def _apart(later: str, earlier: str, operator: tree.Operator, milliseconds: int) -> tree.Expression:
    difference = tree.Sum((_time(later), tree.Negative(_time(earlier))))
    return tree.Comparison(difference, operator, _duration(milliseconds))


class _Translating:
    """The conditions of a rule, by their places in the rule of LEAD."""

    def __init__(self, rule: core.Rule, names: Mapping[str, str], reporter: Reporter) -> None:
        self._rule = rule
        self._names = names
        self._reporter = reporter
        self.joint: list[tree.Expression] = []
        self.absences: list[tree.Expression] = []

    def windows(self) -> list[tree.Expression]:
        """Return the conditions of the windows of positive patterns."""
        conditions: list[tree.Expression] = []
        for window in self._rule.constraints:
            if not window.negated:
                later, earlier = self._names[window.subject], self._names[window.reference]
                conditions.append(_apart(later, earlier, tree.Operator.GREATER_OR_EQUAL, window.lower))
                conditions.append(_apart(later, earlier, tree.Operator.LESS_OR_EQUAL, window.upper))
        return conditions

    def part(self, pattern: core.Pattern) -> tree.Pattern:
        """Return a positive pattern with the absences before it and after it."""
        before: list[tree.Pattern] = []
        after: list[tree.Pattern] = []
        for absent in self._rule.patterns:
            if absent.negated:
                windows = [window for window in self._rule.constraints if window.subject == absent.variable]
                if windows and windows[0].reference == pattern.variable:
                    self._absent(absent, pattern, windows, before, after)
        event = self._event(pattern, self._names[pattern.variable], self.joint)
        behind = [] if not after else [after[0] if len(after) == 1 else tree.And(tuple(after))]
        parts = (*before, event, *behind)
        return parts[0] if len(parts) == 1 else tree.Sequence(parts)

    def _event(self, pattern: core.Pattern, name: str, joint: list[tree.Expression]) -> tree.Pattern:
        """Return an event with the conditions on it alone; add the others to `joint`."""
        own: list[tree.Expression] = []
        for condition in pattern.conditions:
            translated = self._condition(condition)
            if translated is not None:
                alone = core.variables_of(condition) <= {pattern.variable}
                (own if alone else joint).append(translated)
        atom = tree.Atom(pattern.template, name)
        if not own:
            return atom
        return tree.Filtered(atom, own[0] if len(own) == 1 else tree.Both(tuple(own)))

    def _condition(self, condition: core.Expression) -> tree.Expression | None:
        comparison = sides(condition, "LEAD", self._reporter)
        if comparison is None:
            return None
        left, operator, right = comparison
        return tree.Comparison(self._operand(left), _OPERATORS[operator], self._operand(right))

    def _operand(self, side: Side) -> tree.Expression:
        if isinstance(side, core.Constant):
            return _literal(side.value)
        return tree.Reference((self._names[side.variable], side.attribute))

    # --- Negation ----------------------------------------------------------------------------------------------------

    def _absent(
        self,
        absent: core.Pattern,
        anchor: core.Pattern,
        windows: Sequence[core.Constraint],
        before: list[tree.Pattern],
        after: list[tree.Pattern],
    ) -> None:
        """Translate an absence, at the event to which its first window refers."""
        lower, upper = windows[0].lower, windows[0].upper
        alone = all(core.variables_of(condition) <= {absent.variable} for condition in absent.conditions)
        name = self._names[absent.variable]
        if alone and len(windows) == 1 and lower == 0 and absent.template != anchor.template:
            event = self._event(absent, name, [])
            after.append(tree.Within(tree.Not(event), _length(upper + 1), None))
            return
        others = [
            pattern for pattern in self._rule.patterns if pattern is not absent and pattern.template == absent.template
        ]
        if others:
            message = f"an event of {absent.template} may be `{absent.variable}` and `{others[0].variable}`"
            message += ", and LEAD uses an event once"
            hint = "let a template be negated once, and in no other pattern"
            self._reporter.report("no-counterpart", absent.span, message, hint)
            return
        if lower < 0:
            before.append(self._collected(absent, name))
            self._never(absent, name, windows)
        if upper >= 0:
            inside = self._collected(absent, _after(name))
            after.append(tree.Within(inside, _length(upper + 1), None))
            self._never(absent, _after(name), windows)

    def _collected(self, absent: core.Pattern, name: str) -> tree.Collect:
        """Return the list of the events that must be absent; its items have the name of the pattern."""
        event = self._event(absent, self._names[absent.variable], [])
        return tree.Collect(event, None, None, None, name)

    def _never(self, absent: core.Pattern, name: str, windows: Sequence[core.Constraint]) -> None:
        """Require that no item of a list is in all windows and fulfils the joint conditions."""
        outside: list[tree.Expression] = []
        for window in windows:
            reference = self._names[window.reference]
            outside.append(_apart(name, reference, tree.Operator.LESS, window.lower))
            outside.append(_apart(name, reference, tree.Operator.GREATER, window.upper))
        renamed = {**self._names, absent.variable: name}
        for condition in absent.conditions:
            if not core.variables_of(condition) <= {absent.variable}:
                translated = _Translating(self._rule, renamed, self._reporter)._condition(condition)
                if translated is not None:
                    outside.append(tree.Negation(translated))
        self.absences.append(tree.Quantified(None, None, tree.Either(tuple(outside))))


def _length(milliseconds: int) -> tree.Duration:
    duration = _duration(milliseconds)
    assert isinstance(duration, tree.Duration)
    return duration
