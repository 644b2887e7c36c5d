"""Values of a detection as conditions on an event: strings with wildcards, numbers, regular expressions, networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sigma.types import (
    CompareOperators,
    Placeholder,
    SigmaBool,
    SigmaCasedString,
    SigmaCIDRExpression,
    SigmaCompareExpression,
    SigmaExists,
    SigmaExpansion,
    SigmaFieldReference,
    SigmaNull,
    SigmaNumber,
    SigmaRegularExpression,
    SigmaRegularExpressionFlag,
    SigmaString,
    SigmaTimestampPart,
    SigmaType,
    SpecialChars,
)

from parte.importers.sigma.documents import Refusal
from parte.importers.sigma.regexes import Unsupported, characters, one_of, pattern_of
from parte.importers.sigma.texts import Atom, Attributes, Condition, constant, every, some

GREATEST_NUMBER: Final = 2**53
"""Numbers are compared as Floats, exactly below this size."""

_ANY, _ONE = SpecialChars.WILDCARD_MULTI, SpecialChars.WILDCARD_SINGLE
_OPERATORS: Final = {
    CompareOperators.LT: "<",
    CompareOperators.LTE: "<=",
    CompareOperators.GT: ">",
    CompareOperators.GTE: ">=",
    CompareOperators.NEQ: "!=",
}
_FLAGS: Final = {
    SigmaRegularExpressionFlag.IGNORECASE: "i",
    SigmaRegularExpressionFlag.MULTILINE: "m",
    SigmaRegularExpressionFlag.DOTALL: "s",
}


def condition_of(field: str, values: Sequence[SigmaType], attributes: Attributes, *, all_of: bool) -> Condition:
    """Return the condition that a field has one of the values, or all of them. Raise Refusal, its path a position."""
    conditions: list[Condition] = []
    equals: dict[str, list[str]] = {}
    for position, value in enumerate(values):
        try:
            plain = None if all_of else _plain(field, value, attributes)
            if plain is None:
                conditions.append(_condition(field, value, attributes))
            else:
                equals.setdefault(plain[0], []).append(plain[1])
        except Refusal as refusal:
            raise refusal.within(position) from None
    for side, constants in reversed(equals.items()):
        conditions.insert(0, Atom(_equal(side, constants), (attributes.text(field),)))
    return (every if all_of else some)(conditions)


def _equal(side: str, constants: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(constants))
    return f"{side} = {distinct[0]}" if len(distinct) == 1 else f"{side} in ({', '.join(distinct)})"


def _plain(field: str, value: SigmaType, attributes: Attributes) -> tuple[str, str] | None:
    """Return the two sides of an equation, if the value is one: a text without wildcards."""
    match value:
        case SigmaString() if all(isinstance(part, str) for part in value.s):
            text = "".join(map(str, value.s))
            cased = isinstance(value, SigmaCasedString)
            return None if not cased and _foreign(text) else _sides(attributes.text(field), text, cased)
        case SigmaTimestampPart():
            return None
        case SigmaNumber():
            return _sides(attributes.text(field), str(value.number), False)
        case SigmaBool():
            return _sides(attributes.text(field), str(value.boolean), False)
    return None


def _condition(field: str, value: SigmaType, attributes: Attributes) -> Condition:
    match value:
        case SigmaExpansion():
            return condition_of(field, value.values, attributes, all_of=False)
        case SigmaTimestampPart():
            part = value.timestamp_part.name.lower()
            raise Refusal(f"the modifier `{part}` takes a part of a time in the field, which is text to a rule")
        case SigmaString() | SigmaNumber() | SigmaBool():
            if isinstance(value, SigmaString):
                return _string(attributes.text(field), value)
            sides = _plain(field, value, attributes)
            assert sides is not None
            return Atom(_equal(sides[0], [sides[1]]), (attributes.text(field),))
        case SigmaNull():
            return Atom(f"{attributes.text(field)} is missing")
        case SigmaExists():
            return Atom(f"{attributes.text(field)} is {'present' if value.exists else 'missing'}")
        case SigmaRegularExpression():
            return _expression(attributes.text(field), value)
        case SigmaCIDRExpression():
            test = f"in_network({attributes.text(field)}, {constant(str(value.network))})"
            return Atom(test, (f"({test})",))
        case SigmaCompareExpression():
            return _comparison(attributes.number(field), value)
        case SigmaFieldReference():
            return _reference(attributes.text(field), attributes.text(value.field), value)
    raise Refusal(f"values of the kind {type(value).__name__} have no equal")


def _sides(attribute: str, text: str, cased: bool) -> tuple[str, str]:
    small = not cased and any(sign.isascii() and sign.isalpha() for sign in text)
    return (f"lower({attribute})", constant(_lower(text))) if small else (attribute, constant(text))


def _string(attribute: str, value: SigmaString) -> Atom:
    parts = list(value.s)
    placeholders = [part.name for part in parts if isinstance(part, Placeholder)]
    if placeholders:
        raise Refusal(f"the placeholder %{placeholders[0]}% stands for values that the rule does not have")
    cased = isinstance(value, SigmaCasedString)
    text = "".join(part for part in parts if isinstance(part, str))
    if not cased and _foreign(text):
        pattern = "".join(_foreign_pattern(part) if isinstance(part, str) else _MATCHES[part] for part in parts)
        return Atom(f"matches({_sides(attribute, text, False)[0]}, {constant(pattern)})", (attribute,))
    side, written = _sides(attribute, text, cased)
    match parts:
        case [SpecialChars.WILDCARD_MULTI]:
            return Atom(f"{attribute} is present")
        case [str()] | []:
            return Atom(f"{side} = {written}", (attribute,))
        case [str(), SpecialChars.WILDCARD_MULTI]:
            return Atom(f"starts_with({side}, {written})", (attribute,))
        case [SpecialChars.WILDCARD_MULTI, str()]:
            return Atom(f"ends_with({side}, {written})", (attribute,))
        case [SpecialChars.WILDCARD_MULTI, str(), SpecialChars.WILDCARD_MULTI]:
            return Atom(f"contains({side}, {written})", (attribute,))
    pattern = "".join(_escaped(part) if isinstance(part, str) else _LIKE[part] for part in parts)
    return Atom(f"like({side}, {constant(pattern if cased else _lower(pattern))})", (attribute,))


_LIKE: Final[dict[object, str]] = {_ANY: "*", _ONE: "?"}
_MATCHES: Final[dict[object, str]] = {_ANY: ".*", _ONE: "."}


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "*?\\" else sign for sign in text)


def _lower(text: str) -> str:
    """Return a text with small letters for A to Z, as `lower` makes them."""
    return "".join(sign.lower() if sign.isascii() else sign for sign in text)


def _foreign(text: str) -> bool:
    """Return whether a text has letters with two cases that `lower` leaves."""
    return not text.isascii() and any(len(_cases(sign)) > 1 for sign in text if not sign.isascii())


def _cases(sign: str) -> str:
    """Return a character with its other cases; A to Z are by themselves."""
    others = {case for case in (sign.lower(), sign.upper()) if len(case) == 1 and case.isascii() == sign.isascii()}
    return "".join(sorted({sign, *others}))


def _foreign_pattern(text: str) -> str:
    return "".join(characters(_lower(sign)) if sign.isascii() else one_of(_cases(sign)) for sign in text)


def _expression(attribute: str, value: SigmaRegularExpression) -> Atom:
    if not isinstance(value.regexp, SigmaString):  # pySigma does not look
        raise Refusal(f"a regular expression is a text, not {value.regexp!r:.60}")
    if value.contains_placeholder():
        raise Refusal("a placeholder stands for values that the rule does not have")
    expression = str(value.regexp)
    try:
        pattern, small = pattern_of(expression, "".join(_FLAGS[flag] for flag in value.flags))
    except Unsupported as reason:
        raise Refusal(f"the regular expression {expression[:80]!r}: {reason}") from None
    side = f"lower({attribute})" if small else attribute
    return Atom(f"matches({side}, {constant(pattern)})", (attribute,))


def _comparison(attribute: str, value: SigmaCompareExpression) -> Atom:
    number = value.number.number
    if abs(number) >= GREATEST_NUMBER:
        raise Refusal(f"the number {number}: fields are compared as Floats, which are exact below 2^53")
    return Atom(f"{attribute} {_OPERATORS[value.op]} {number_text(number)}", (attribute,))


def number_text(number: int | float) -> str:
    """Return a number as PARTElang writes it."""
    if isinstance(number, int):
        return str(number)
    text = repr(number)
    return text if "e" in text or "." in text else f"{text}.0"


def _reference(attribute: str, referred: str, value: SigmaFieldReference) -> Atom:
    left, right = f"lower({attribute})", f"lower({referred})"
    functions: dict[tuple[bool, bool], Callable[[], str]] = {
        (False, False): lambda: f"{left} = {right}",
        (True, False): lambda: f"starts_with({left}, {right})",
        (False, True): lambda: f"ends_with({left}, {right})",
        (True, True): lambda: f"contains({left}, {right})",
    }
    return Atom(functions[value.starts_with, value.ends_with](), (attribute, referred))
