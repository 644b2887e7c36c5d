"""Checks of a query after the grammar (specification: eql-refused)."""

from __future__ import annotations

from collections.abc import Sequence

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded_pattern
from parte.languages.eql.semantics.syntax.functions import FUNCTIONS
from parte.semantics.source.limits import MAX_EXPRESSION_DEPTH
from parte.semantics.source.networks import InvalidNetwork, network
from parte.semantics.source.regular import regular
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span
from parte.semantics.source.wildcards import InvalidPattern

MAX_NODES = 20_000
MAX_STAGES = 256
MAX_ITEMS = 5
"""The most items of a sample: the definition looks at all tuples of events."""
_CONDITIONS = (tree.Comparison, tree.Presence, tree.Matches, tree.InList, tree.Not, tree.And, tree.Or)


def check(query: tree.Query, reporter: Reporter) -> None:
    """Report what the grammar allows and EQL does not, and warn of what is probably not meant."""
    if not _small(query, reporter):
        return
    match query:
        case tree.Single():
            _event(query.event, reporter)
        case tree.Sequence():
            _sequence(query, reporter)
        case tree.Sample():
            _sample(query, reporter)
    for pipe in () if isinstance(query, tree.Sample) else query.pipes:
        if pipe.count < 1:
            message = f"`{pipe.end.value} {pipe.count}` leaves no result"
            reporter.report("count-out-of-range", pipe.span, message, "take 1 at least, or leave the pipe out")


def _small(query: tree.Query, reporter: Reporter) -> bool:
    left: list[tuple[tree.Node, int]] = [(query, 0)]
    count = 0
    while left:
        node, depth = left.pop()
        count += 1
        if depth > MAX_EXPRESSION_DEPTH:
            message = f"this condition is more than {MAX_EXPRESSION_DEPTH} operations deep"
            reporter.report("too-deep", node.span, message, "use fewer operators inside others")
            return False
        below = depth + 1 if isinstance(node, tree.Expression) else 0
        left.extend((part, below) for part in tree.TREE.parts(node))
        count += len(node.values) if isinstance(node, tree.InList) else 0
    if count > MAX_NODES:
        message = f"this query has {count} parts; at most {MAX_NODES} are allowed"
        reporter.report("too-large", query.span, message, "split the query")
    return count <= MAX_NODES


# --- Sequences and samples --------------------------------------------------------------------------------------------


def _sequence(query: tree.Sequence, reporter: Reporter) -> None:
    for stage in query.stages:
        _event(stage.event, reporter)
        if stage.runs < 1:
            message, hint = f"a stage is repeated {stage.runs} times", "take 1 at least, or leave the stage out"
            reporter.report("count-out-of-range", stage.span, message, hint)
    if query.until is not None:
        _event(query.until.event, reporter)
        _plain(query.until, "`until`", reporter)
    positive = sum(stage.runs for stage in query.stages if not stage.missing)
    missing = [stage for stage in query.stages if stage.missing]
    if positive + len(missing) > MAX_STAGES:
        message = f"a sequence of {positive + len(missing)} stages; at most {MAX_STAGES} are allowed"
        reporter.report("too-many-stages", query.span, message, "take fewer stages or runs")
    elif not positive:
        hint = "a sequence begins and ends with events: add a stage without `!`"
        reporter.report("too-few-stages", query.span, "a sequence without a stage of events that come", hint)
    elif positive + len(missing) < 2:
        hint = "write the event without `sequence`, or add a stage"
        reporter.report("too-few-stages", query.span, "a sequence of one stage", hint)
    if query.maxspan is None:
        if missing:
            hint = "write `sequence with maxspan=…`: it says how long the event is missed"
            reporter.report("missing-without-maxspan", missing[0].span, "a missing event without a maxspan", hint)
        else:
            hint = "add `with maxspan=…`: without it each key is kept for ever"
            reporter.report("no-maxspan", query.span, "a sequence without a maxspan", hint)
    _same_keys(query.by, [*query.stages, *([query.until] if query.until else [])], reporter)
    if query.until is not None and any(_same(query.until, stage) for stage in query.stages if not stage.missing):
        message = "the events of `until` are those of a stage"
        hint = "such an event does nothing where it is a stage (specification: eql-until)"
        reporter.report("until-is-a-stage", query.until.span, message, hint)


def _same(until: tree.Stage, stage: tree.Stage) -> bool:
    return (until.event, until.by) == (stage.event, stage.by)


def _sample(query: tree.Sample, reporter: Reporter) -> None:
    for item in query.items:
        _event(item.event, reporter)
        _plain(item, "a sample", reporter)
    if len(query.items) < 2:
        reporter.report("too-few-stages", query.span, "a sample of fewer than two items", "add an item in brackets")
    if len(query.items) > MAX_ITEMS:
        message = f"a sample of {len(query.items)} items; at most {MAX_ITEMS} are allowed"
        reporter.report("too-many-stages", query.items[MAX_ITEMS].span, message, "take fewer items")
    if query.items and not tree.keys_of(query, query.items[0]):
        hint = "write `sample by field`: a sample consists of events with the same key"
        reporter.report("sample-without-by", query.span, "a sample without keys", hint)
    _same_keys(query.by, query.items, reporter)


def _plain(stage: tree.Stage, where: str, reporter: Reporter) -> None:
    """Report a stage that must be one positive event."""
    if stage.missing:
        hint = "missing events stand between the stages of a sequence"
        reporter.report("misplaced-missing", stage.span, f"a missing event in {where}", hint)
    if stage.runs != 1:
        reporter.report("misplaced-runs", stage.span, f"`with runs` in {where}", "only stages of sequences have runs")


def _same_keys(by: tuple[tree.Field, ...], stages: Sequence[tree.Stage], reporter: Reporter) -> None:
    for stage in stages[1:]:
        if len(stage.by) != len(stages[0].by):
            message = f"this stage has {len(by) + len(stage.by)} keys, the first {len(by) + len(stages[0].by)}"
            reporter.report("unequal-keys", stage.span, message, "give each the same number of fields")


# --- Conditions -------------------------------------------------------------------------------------------------------


def _event(event: tree.Event, reporter: Reporter) -> None:
    _condition(event.condition, reporter)
    if isinstance(event.condition, tree.Literal) and event.condition.value is False:
        reporter.report("never-true", event.span, "no event fulfils this condition", "is it meant to be `true`?")


def _condition(node: tree.Expression, reporter: Reporter) -> None:
    match node:
        case tree.Not(operand=operand):
            _condition(operand, reporter)
        case tree.And(parts=parts) | tree.Or(parts=parts):
            for part in parts:
                _condition(part, reporter)
        case tree.Comparison(left=left, right=right):
            _value(left, reporter)
            _value(right, reporter)
            if _has_field(left) and _has_field(right):
                hint = "compare a field with a value, or the keys of stages with `by`"
                reporter.report("field-against-field", node.span, "a comparison of two fields", hint)
        case tree.Presence(operand=operand) | tree.InList(operand=operand):
            _value(operand, reporter)
        case tree.Matches(operand=operand, patterns=patterns):
            _value(operand, reporter)
            for pattern in patterns:
                _pattern(node.matching, pattern, node.span, reporter)
        case tree.Field() | tree.Literal(value=bool()):
            pass
        case tree.Call() if node.function not in FUNCTIONS or FUNCTIONS[node.function].condition:
            _value(node, reporter)
        case _:
            hint = "compare it with a value, as in `length(name) > 3`"
            reporter.report("not-a-condition", node.span, "a value stands where a condition is expected", hint)


def _value(node: tree.Expression, reporter: Reporter) -> None:
    match node:
        case tree.Negative(operand=operand):
            _value(operand, reporter)
        case tree.Arithmetic(left=left, right=right):
            _value(left, reporter)
            _value(right, reporter)
        case tree.Call():
            _call(node, reporter)
        case tree.Null():
            hint = "null stands behind `==` and `!=` only"
            reporter.report("misplaced-null", node.span, "null is compared or computed with", hint)
        case tree.Field() | tree.Literal():
            pass
        case _:
            hint = "compare values, and join conditions by `and`, `or` and `not`"
            reporter.report("not-a-value", node.span, "a condition stands where a value is expected", hint)


def _call(node: tree.Call, reporter: Reporter) -> None:
    function = FUNCTIONS.get(node.function)
    if function is None:
        hint = reporter.suggestion(node.function, FUNCTIONS, f"the functions are {', '.join(FUNCTIONS)}")
        reporter.report("unknown-function", node.span, f"there is no function `{node.function}`", hint)
        return
    if node.folded and not function.folds:
        hint = f"write `{node.function}` without it"
        reporter.report("misplaced-tilde", node.span, f"`{node.function}` does not compare with regard to case", hint)
    count = len(node.arguments)
    if count < function.least or (function.most is not None and count > function.most):
        numbers = f"{function.least}" if function.least == function.most else f"{function.least} or more"
        message = f"`{node.function}` takes {numbers} arguments; this call has {count}"
        reporter.report("wrong-arguments", node.span, message, "see the functions (specification: eql-functions)")
    for argument in node.arguments:
        _value(argument, reporter)
    for argument in node.arguments[1:] if function.networks else ():
        if not (isinstance(argument, tree.Literal) and isinstance(argument.value, str)):
            message = "a network is a string"
            reporter.report("invalid-network", argument.span, message, 'write it as in `"10.0.0.0/8"`')
            continue
        try:
            network(argument.value)
        except InvalidNetwork as error:
            reporter.report("invalid-network", argument.span, str(error), 'write it as in `"10.0.0.0/8"`')


def _pattern(matching: tree.Matching, pattern: str, span: Span, reporter: Reporter) -> None:
    if matching not in (tree.Matching.REGEX, tree.Matching.REGEX_FOLDED):
        return
    try:
        regular(folded_pattern(pattern) if matching is tree.Matching.REGEX_FOLDED else pattern)
    except InvalidPattern as error:
        hint = "EQL has the regular expressions that are matched in linear time (specification: eql-patterns)"
        reporter.report("invalid-pattern", span, f"the pattern {pattern[:80]!r}: {error}", hint)


def _has_field(node: tree.Expression) -> bool:
    return any(isinstance(part, tree.Field) for part in tree.within(node))
