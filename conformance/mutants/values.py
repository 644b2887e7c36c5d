"""Mutants of values: numbers, strings, functions, domain predicates, and how traces are read (SPEC §2 and §3)."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant, algebra, sound
from conformance.mutants.worlds import Edit

COMPUTED = ("ALPHA-MATCH", "ALPHA-NOMATCHCONSTRAINT", "JOIN-LEFT", "JOIN-RIGHT", "PROD", "TERM")
NUMBERS = ("SPEC 2",)

_MACHINE = "semantics.expressions"
_SIGNS = f"{_MACHINE}:ARITHMETIC"
_COMPARED = f"{_MACHINE}:COMPARISONS"
_VALUES = "algebra.values"
_COMPARISON = f"{_VALUES}:COMPARISON"
_CHECKED = f"{_MACHINE}:_checked_integer"
_NO_KEYS = Edit("semantics.compilation:_equality", "isinstance(condition, core.Comparison) and", "False and")
"""Equalities are conditions like any other: what is changed about `=` is not bypassed by keys."""


def _comparing(place: str, sign: str, before: str, after: str) -> Edit:
    return Edit(place, f'"{sign}": operator.{before}', f'"{sign}": lambda left, right: {after}')


_FOLDED = "left.casefold() == right.casefold() if isinstance(left, str) else left == right"
_NFC = '__import__("unicodedata").normalize("NFC", {})'
_NORMAL = f"{_NFC.format('left')} == {_NFC.format('right')} if isinstance(left, str) else left == right"
_UNIT = 'left.encode("utf-16-be") {0} right.encode("utf-16-be") if isinstance(left, str) else left {0} right'
_ORDERED = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_SIGNED = "left == right and str(left) == str(right)"
_NARROW = "float(left) == float(right) if type(left) is int else left == right"
_WRAPPED = "(value + 2**63) % 2**64 - 2**63"
_TO_SINGLE = '__import__("struct").unpack("f", __import__("struct").pack("f", {}))[0]'

IN_THE_MACHINE = (
    sound(
        "integer-wraps-around",
        COMPUTED,
        NUMBERS,
        "integers that wrap around at 64 bits instead of having no value",
        Edit(_CHECKED, "raise NoValue", f"return {_WRAPPED}"),
    ),
    sound(
        "integer-saturates",
        COMPUTED,
        NUMBERS,
        "integers that stay at the greatest or least value instead of having no value",
        Edit(_CHECKED, "raise NoValue", "return GREATEST_INTEGER if value > 0 else LEAST_INTEGER"),
    ),
    sound(
        "integer-of-any-size",
        COMPUTED,
        NUMBERS,
        "integers of any size",
        Edit(_CHECKED, "raise NoValue", "return value"),
    ),
    sound(
        "integer-of-53-bits",
        COMPUTED,
        NUMBERS,
        "integers computed as binary64 numbers",
        Edit(_CHECKED, "            return value", "            return int(float(value))"),
    ),
    sound(
        "negation-of-the-least-integer",
        COMPUTED,
        NUMBERS,
        "the least integer being its own negation",
        Edit(
            f"{_MACHINE}:_negation",
            "_number(-evaluate(events))",
            "max(-(2**63), -evaluate(events) if evaluate(events) != -(2**63) else -(2**63))",
        ),
    ),
    sound(
        "infinity-accepted",
        COMPUTED,
        NUMBERS,
        "infinities and NaN as values of Floats",
        Edit(f"{_MACHINE}:_checked_float", "raise NoValue", "return value"),
    ),
    sound(
        "division-of-integers",
        COMPUTED,
        NUMBERS,
        "`/` that drops the fraction",
        Edit(f"{_MACHINE}:_divide", "left / right", "float(left // right)"),
    ),
    sound(
        "division-by-zero-is-zero",
        COMPUTED,
        NUMBERS,
        "quotients by zero that are zero",
        Edit(f"{_MACHINE}:_divide", "raise NoValue", "return 0.0"),
    ),
    sound(
        "integers-not-converted",
        COMPUTED,
        NUMBERS,
        "Integers that are mixed with Floats and compared exactly, without being converted first",
        Edit(f"{_MACHINE}:_to_float", "float(evaluate(events))", "evaluate(events)"),
        _NO_KEYS,
    ),
    sound(
        "single-precision",
        COMPUTED,
        NUMBERS,
        "Integers converted to Floats of single precision",
        Edit(f"{_MACHINE}:_to_float", "float(evaluate(events))", _TO_SINGLE.format("float(evaluate(events))")),
    ),
    sound(
        "integers-compared-as-floats",
        COMPUTED,
        NUMBERS,
        "Integers equal that are one binary64 number",
        _comparing(_COMPARED, "=", "eq", _NARROW),
        _NO_KEYS,
    ),
    sound(
        "negative-zero-is-less",
        COMPUTED,
        NUMBERS,
        "-0.0 and 0.0 as different numbers",
        _comparing(_COMPARED, "=", "eq", _SIGNED),
        _NO_KEYS,
    ),
    sound(
        "strings-equal-whatever-their-case",
        COMPUTED,
        NUMBERS,
        "strings compared without regard to upper and lower case",
        _comparing(_COMPARED, "=", "eq", _FOLDED),
        _NO_KEYS,
    ),
    sound(
        "strings-normalised",
        COMPUTED,
        NUMBERS,
        "strings compared after normalisation, so that é as one character equals e with an accent",
        _comparing(_COMPARED, "=", "eq", _NORMAL),
        _NO_KEYS,
    ),
    sound(
        "strings-by-utf-16",
        COMPUTED,
        NUMBERS,
        "strings ordered by the units of UTF-16, not by code point",
        *(_comparing(_COMPARED, sign, name, _UNIT.format(sign)) for sign, name in _ORDERED.items()),
    ),
    sound(
        "strings-trimmed",
        COMPUTED,
        NUMBERS,
        "strings compared without blanks at either end",
        _comparing(_COMPARED, "=", "eq", "left.strip() == right.strip() if isinstance(left, str) else left == right"),
        _NO_KEYS,
    ),
    sound(
        "unequal-without-value",
        COMPUTED,
        NUMBERS,
        "conditions that hold if they have no value",
        Edit(
            f"{_MACHINE}:compile_conditions",
            "except NoValue:\n            return False",
            "except NoValue:\n            return True",
        ),
    ),
    sound(
        "key-without-value-equals-another",
        ("JOIN-LEFT", "JOIN-RIGHT", "NOT-RIGHT", "NOT-LEFT-MATCH"),
        NUMBERS,
        "equalities that hold if both sides have no value",
        Edit("semantics.compilation:_Builder.key", "return object()", "return None"),
    ),
    sound(
        "less-or-equal-is-less",
        COMPUTED,
        NUMBERS,
        "`<=` taken for `<`",
        Edit(_COMPARED, '"<=": operator.le', '"<=": operator.lt'),
    ),
    sound(
        "greater-or-equal-is-greater",
        COMPUTED,
        NUMBERS,
        "`>=` taken for `>`",
        Edit(_COMPARED, '">=": operator.ge', '">=": operator.gt'),
    ),
    sound(
        "unequal-is-less",
        COMPUTED,
        NUMBERS,
        "`≠` taken for `<`",
        Edit(_COMPARED, '"!=": operator.ne', '"!=": operator.lt'),
    ),
    sound(
        "sum-checked-at-the-end",
        COMPUTED,
        NUMBERS,
        "sums that may leave the 64 bits on the way",
        Edit(f"{_MACHINE}:_sum", "_number(total + value)", "total + value"),
    ),
    sound(
        "average-of-integers",
        COMPUTED,
        NUMBERS,
        "`avg` that drops the fraction",
        Edit(f"{_MACHINE}:_average", "_sum(*values) / len(values)", "float(_sum(*values) // len(values))"),
    ),
    sound(
        "minimum-is-the-first",
        COMPUTED,
        NUMBERS,
        "`min` that is its first argument",
        Edit(f"{_MACHINE}:FUNCTIONS", "lambda *values: min(values)", "lambda *values: values[0]"),
    ),
    sound(
        "maximum-is-the-last",
        COMPUTED,
        NUMBERS,
        "`max` that is its last argument",
        Edit(f"{_MACHINE}:FUNCTIONS", "lambda *values: max(values)", "lambda *values: values[-1]"),
    ),
    sound(
        "absolute-value-of-the-least-integer",
        COMPUTED,
        NUMBERS,
        "the least integer being its own absolute value",
        Edit(f"{_MACHINE}:FUNCTIONS", '"abs": abs', '"abs": lambda value: value if value == -(2**63) else abs(value)'),
    ),
    sound(
        "predicate-polarity",
        ("ALPHA-MATCH", "JOIN-LEFT", "JOIN-RIGHT"),
        ("SPEC 2",),
        "domain predicates that are true where they should be false",
        Edit("semantics.events.domain:DomainTable.__call__", "is self.member_means", "is not self.member_means"),
    ),
    sound(
        "predicate-always-lists-the-true",
        ("ALPHA-MATCH", "JOIN-LEFT", "JOIN-RIGHT"),
        ("SPEC 2",),
        "tables read as `true_for` that are declared `false_for`",
        Edit("semantics.events.domain:DomainTable.__call__", "is self.member_means", "is True"),
    ),
    sound(
        "predicate-arguments-swapped",
        ("ALPHA-MATCH", "JOIN-LEFT", "JOIN-RIGHT"),
        ("SPEC 2",),
        "domain predicates of two arguments with the second one first",
        Edit(
            f"{_MACHINE}:_call", "predicate(first(events), second(events))", "predicate(second(events), first(events))"
        ),
    ),
    sound(
        "attribute-not-converted",
        COMPUTED,
        ("SPEC 2", "SPEC 3"),
        "whole numbers in a trace that stay Integers though the attribute is a Float",
        Edit("semantics.events.values:to_float", "return float(value)", "return value"),
    ),
    sound(
        "integer-attribute-from-a-fraction",
        COMPUTED,
        ("SPEC 3",),
        "traces with 120.0 for an Integer accepted",
        Edit(
            "semantics.events.values:to_integer",
            "if type(value) is not int:",
            "if type(value) is float:\n        value = int(value)\n    if type(value) is not int:",
        ),
    ),
    sound(
        "offset-of-a-timestamp-ignored",
        ("ENTRY",),
        ("SPEC 3",),
        "timestamps read without the offset that they state",
        Edit("semantics.events.timestamps:_from_iso", "{time}{offset}", "{time}Z"),
    ),
)

IN_THE_ALGEBRA = (
    algebra(
        "integer-wraps-around",
        COMPUTED,
        NUMBERS,
        "integers that wrap around at 64 bits instead of having no value",
        Edit(f"{_VALUES}:integer", "else NO_VALUE", "else (exact + 2**63) % 2**64 - 2**63"),
    ),
    algebra(
        "integer-of-any-size",
        COMPUTED,
        NUMBERS,
        "integers of any size",
        Edit(f"{_VALUES}:integer", "else NO_VALUE", "else exact"),
    ),
    algebra(
        "infinity-accepted",
        COMPUTED,
        NUMBERS,
        "infinities and NaN as values of Floats",
        Edit(f"{_VALUES}:real", "if math.isfinite(rounded) else NO_VALUE", ""),
    ),
    algebra(
        "division-of-integers",
        COMPUTED,
        NUMBERS,
        "`/` that drops the fraction",
        Edit(f"{_VALUES}:divide", "real(left / right)", "real(float(left // right))"),
    ),
    algebra(
        "division-by-zero-is-zero",
        COMPUTED,
        NUMBERS,
        "quotients by zero that are zero",
        Edit(f"{_VALUES}:divide", "else NO_VALUE", "else 0.0"),
    ),
    algebra(
        "integers-not-converted",
        COMPUTED,
        NUMBERS,
        "Integers that are mixed with Floats and compared exactly, without being converted first",
        Edit("algebra.expressions:value_of", "strictly(float, operand)", "strictly(lambda given: given, operand)"),
    ),
    algebra(
        "negative-zero-is-less",
        COMPUTED,
        NUMBERS,
        "-0.0 and 0.0 as different numbers",
        _comparing(_COMPARISON, "=", "eq", _SIGNED),
    ),
    algebra(
        "strings-equal-whatever-their-case",
        COMPUTED,
        NUMBERS,
        "strings compared without regard to upper and lower case",
        _comparing(_COMPARISON, "=", "eq", _FOLDED),
    ),
    algebra(
        "strings-by-utf-16",
        COMPUTED,
        NUMBERS,
        "strings ordered by the units of UTF-16, not by code point",
        *(_comparing(_COMPARISON, sign, name, _UNIT.format(sign)) for sign, name in _ORDERED.items()),
    ),
    algebra(
        "sum-checked-at-the-end",
        COMPUTED,
        NUMBERS,
        "sums that may leave the 64 bits on the way",
        Edit(
            f"{_VALUES}:_sum_of_integers",
            "        total = integer(total + other)\n    return total",
            "        total += other\n    return integer(total)",
        ),
    ),
    algebra(
        "average-of-integers",
        COMPUTED,
        NUMBERS,
        "`avg` that drops the fraction",
        Edit(f"{_VALUES}:_average", "total / len(arguments)", "float(total // len(arguments))"),
    ),
    algebra(
        "part-without-value-ignored",
        COMPUTED,
        NUMBERS,
        "functions that pass over arguments without value",
        Edit(
            "algebra.expressions:value_of",
            "return strictly(function(name, of), *arguments)",
            "given = [v for a in arguments if (v := value_of(a, valuation, domain)) is not NO_VALUE]\n"
            "            return function(name, of)(*given) if given else NO_VALUE",
        ),
    ),
    algebra(
        "predicate-arguments-swapped",
        ("ALPHA-MATCH", "JOIN-LEFT", "JOIN-RIGHT"),
        ("SPEC 2",),
        "domain predicates with their arguments in reverse",
        Edit("algebra.expressions:value_of", "domain[predicate](*values)", "domain[predicate](*reversed(values))"),
    ),
)

VALUES: tuple[Mutant, ...] = (*IN_THE_MACHINE, *IN_THE_ALGEBRA)
