"""The detections of a Sigma rule as one condition on an event."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from sigma.conditions import (
    ConditionAND,
    ConditionIdentifier,
    ConditionNOT,
    ConditionOR,
    ConditionSelector,
    SigmaCondition,
)
from sigma.exceptions import SigmaError
from sigma.modifiers import (
    SigmaContainsModifier,
    SigmaEndswithModifier,
    SigmaRegularExpressionModifier,
    SigmaStartswithModifier,
)
from sigma.rule import SigmaDetection, SigmaDetectionItem, SigmaDetections, SigmaRule

from parte.importers.sigma.documents import Refusal
from parte.importers.sigma.texts import Atom, Attributes, Condition, every, some, unless
from parte.importers.sigma.values import condition_of

LONGEST_CONDITION: Final = 4_000
"""The most characters of a condition."""
DEEPEST_CONDITION: Final = 12
"""The most brackets open at once in a condition: pySigma takes long for more."""

_AFTER_EXPRESSIONS: Final = {SigmaContainsModifier, SigmaStartswithModifier, SigmaEndswithModifier}


def detected(rule: SigmaRule, attributes: Attributes) -> Condition:
    """Return the condition that an event of the log source meets if the rule matches it. Raise Refusal."""
    detections = rule.detection
    if len(detections.condition) == 1:
        return _parsed(detections.parsed_condition[0], detections, attributes, ())
    conditions = []
    for position, parsed in enumerate(detections.parsed_condition):
        conditions.append(_parsed(parsed, detections, attributes, (position,)))
    return some(conditions)


def _parsed(
    parsed: SigmaCondition, detections: SigmaDetections, attributes: Attributes, position: tuple[int, ...]
) -> Condition:
    path: tuple[str | int, ...] = ("detection", "condition", *position)
    text = parsed.condition
    if not isinstance(text, str):
        raise Refusal(f"a condition is a text, not {text!r:.60}", *path)
    depth = max(accumulate((sign == "(") - (sign == ")") for sign in text), default=0)
    if len(text) > LONGEST_CONDITION or depth > DEEPEST_CONDITION:
        limits = f"{LONGEST_CONDITION} characters or {DEEPEST_CONDITION} brackets inside each other"
        raise Refusal(f"the condition has more than {limits}", *path)
    try:
        tree = parsed.parse(postprocess=False)
    except SigmaError as error:
        raise Refusal(str(error), *path) from None
    return _condition(tree, detections, attributes, path)


def _condition(
    tree: object, detections: SigmaDetections, attributes: Attributes, path: tuple[str | int, ...]
) -> Condition:
    match tree:
        case ConditionIdentifier():
            return _named(tree.identifier, detections, attributes, path)
        case ConditionSelector():
            chosen = [named.identifier for named in tree.resolve_referenced_detections(detections)]
            if not chosen:
                raise Refusal(f"no detection is called {tree.pattern!r}", *path)
            conditions = [_named(name, detections, attributes, path) for name in chosen]
            return (every if tree.cond_class is ConditionAND else some)(conditions)
        case ConditionNOT(args=[inner]):
            return unless(_condition(inner, detections, attributes, path))
        case ConditionAND(args=parts):
            return every([_condition(part, detections, attributes, path) for part in parts])
        case ConditionOR(args=parts):
            return some([_condition(part, detections, attributes, path) for part in parts])
    raise Refusal(f"a condition of the kind {type(tree).__name__} has no equal", *path)


def _named(name: str, detections: SigmaDetections, attributes: Attributes, path: tuple[str | int, ...]) -> Condition:
    if name not in detections.detections:
        raise Refusal(f"no detection is called {name!r}", *path)
    return _detection(detections.detections[name], attributes, ("detection", name))


def _detection(detection: SigmaDetection, attributes: Attributes, path: tuple[str | int, ...]) -> Condition:
    conditions: list[Condition] = []
    for position, item in enumerate(detection.detection_items):
        if isinstance(item, SigmaDetection):
            conditions.append(_detection(item, attributes, (*path, position)))
        else:
            conditions.append(_item(item, attributes, (*path, position)))
    return (every if detection.item_linking is ConditionAND else some)(conditions)


def _item(item: SigmaDetectionItem, attributes: Attributes, path: tuple[str | int, ...]) -> Condition:
    if item.field is None:
        raise Refusal("keywords are searched in a whole record, and an event has attributes only", *path)
    if SigmaRegularExpressionModifier in item.modifiers and _AFTER_EXPRESSIONS & set(item.modifiers):
        raise Refusal("Sigma does not say what `contains`, `startswith` and `endswith` mean after `re`", *path)
    try:
        if not item.value:
            condition: Condition = Atom(f"{attributes.text(item.field)} is missing")
        else:
            condition = condition_of(item.field, item.value, attributes, all_of=item.value_linking is ConditionAND)
    except Refusal as refusal:
        raise refusal.within(*path) from None
    return unless(condition) if item.negated else condition
