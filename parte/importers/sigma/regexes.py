"""Regular expressions of Sigma as patterns of `matches`.

Sigma's expressions are those of PCRE with few metacharacters; they match anywhere in a value. A pattern of `matches`
describes the whole value, so that `b+` becomes `.*b+.*`. The anchors `^` and `$` take the place of `.*`, where they
stand at the beginning and at the end; elsewhere they are refused, as is every construct that has no equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final

from parte.semantics.source.regular import LAST_CODE_POINT, Range, complement, merged, regular
from parte.semantics.source.wildcards import InvalidPattern

MAX_DEPTH: Final = 50
"""The most groups inside each other."""

_DIGITS: Final = ((0x30, 0x39),)
_LETTERS: Final = ((0x41, 0x5A), (0x61, 0x7A))
_CAPITALS: Final = ((0x41, 0x5A),)
_CLASSES: Final[dict[str, tuple[Range, ...]]] = {
    "d": _DIGITS,
    "w": merged([*_DIGITS, *_LETTERS, (0x5F, 0x5F)]),
    "s": ((0x09, 0x0D), (0x20, 0x20)),
}
_CONTROLS: Final = {"n": 0x0A, "t": 0x09, "r": 0x0D, "f": 0x0C, "v": 0x0B, "a": 0x07}
_ANY: Final = ((0, LAST_CODE_POINT),)
_FEED: Final = ((0x0A, 0x0A),)
_WRITTEN: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_ESCAPED: Final = frozenset("\\.[](){}|*+?^$")
_ESCAPED_IN_CLASS: Final = frozenset("\\[]^-&~|")
_COUNTS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Unsupported(ValueError):
    """A regular expression that no pattern of `matches` equals."""


@dataclass(frozen=True, slots=True)
class _Characters:
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class _Anchor:
    sign: str


@dataclass(frozen=True, slots=True)
class _Chain:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    alternatives: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repetition:
    part: _Node
    least: int
    most: int | None


_Node = _Characters | _Anchor | _Chain | _Choice | _Repetition
_EMPTY: Final = _Chain(())
_ANYTHING: Final = _Repetition(_Characters(_ANY), 0, None)
_LINE_FEED: Final = _Characters(_FEED)


def pattern_of(expression: str, flags: str) -> tuple[str, bool]:
    """Return the pattern of `matches`, and whether it is about the value with its letters A to Z made small.

    The flags are some of `i`, `m` and `s`. Raise Unsupported.
    """
    if expression.startswith("(?"):
        inline, bracket, rest = expression[2:].partition(")")
        if bracket and inline and not set(inline) - set("ims"):
            expression, flags = rest, flags + inline
    reader = _Reader(expression, ignore_case="i" in flags, dot_all="s" in flags)
    tree = reader.choice(0)
    if reader.rest:
        raise Unsupported("a `)` closes no group")
    lines = "m" in flags
    pattern = _text(_ended(_begun(tree, lines), lines), "i" in flags)
    try:
        regular(pattern)
    except InvalidPattern as problem:
        raise Unsupported(str(problem)) from None
    return pattern, "i" in flags


def characters(text: str) -> str:
    """Return the pattern for a text itself."""
    return "".join(f"\\{sign}" if sign in _ESCAPED else _WRITTEN.get(sign, sign) for sign in text)


def one_of(signs: str) -> str:
    """Return the pattern for one of some characters."""
    return _class(merged((ord(sign), ord(sign)) for sign in signs))


class _Reader:
    def __init__(self, expression: str, *, ignore_case: bool, dot_all: bool) -> None:
        self._expression, self._at = expression, 0
        self._ignore_case = ignore_case
        self._dot = _Characters(_ANY if dot_all else complement(_FEED))

    @property
    def rest(self) -> str:
        return self._expression[self._at :]

    def choice(self, depth: int) -> _Node:
        alternatives = [self._chain(depth)]
        while self._take("|"):
            alternatives.append(self._chain(depth))
        return alternatives[0] if len(alternatives) == 1 else _Choice(tuple(alternatives))

    def _chain(self, depth: int) -> _Node:
        parts: list[_Node] = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self._repeated(self._atom(depth)))
        return parts[0] if len(parts) == 1 else _Chain(tuple(parts))

    def _repeated(self, part: _Node) -> _Node:
        if (bounds := _COUNTS.get(self.rest[:1])) is not None:
            self._at += 1
        elif (counted := self._counted()) is not None:
            bounds, length = counted
            self._at += length
        else:
            return part
        if _anchors(part):
            raise Unsupported("an anchor is repeated")
        self._take("?")  # a lazy repetition matches the same values
        if self.rest[:1] in _COUNTS or self._counted() is not None:
            raise Unsupported(f"a repetition is followed by `{self.rest[0]}`")
        return _Repetition(part, *bounds)

    def _counted(self) -> tuple[tuple[int, int | None], int] | None:
        """Return the bounds of `{…}` and its length; None if no count begins here, so that the brace is a character."""
        if not self.rest.startswith("{"):
            return None
        inner, brace, _ = self.rest[1:].partition("}")
        least, comma, most = inner.partition(",")
        if not brace or not _is_number(least) or not (most == "" or _is_number(most)):
            if brace and least == "" and _is_number(most):
                raise Unsupported(
                    f"`{{{inner}}}` is a count to some readers and text to others: write the first number"
                )
            return None
        greatest = (int(most) if most else None) if comma else int(least)
        return (int(least), greatest), len(inner) + 2

    def _atom(self, depth: int) -> _Node:
        sign = self._next()
        match sign:
            case "(":
                return self._group(depth)
            case "[":
                return self._characters(self._class())
            case ".":
                return self._dot
            case "^" | "$":
                return _Anchor(sign)
            case "\\":
                return self._characters(self._escape())
            case "*" | "+" | "?":
                raise Unsupported(f"nothing stands before `{sign}`")
        return self._characters(((ord(sign), ord(sign)),))

    def _characters(self, ranges: tuple[Range, ...]) -> _Node:
        return _Characters(_small(ranges) if self._ignore_case else ranges)

    def _group(self, depth: int) -> _Node:
        if depth == MAX_DEPTH:
            raise Unsupported(f"more than {MAX_DEPTH} groups are inside each other")
        if self._take("?"):
            rest = self.rest
            named = rest.startswith(("P<", "<")) and not rest.startswith(("<=", "<!"))
            if named:
                self._at += rest.index(">") + 1 if ">" in rest else len(rest)
            elif not self._take(":"):
                raise Unsupported(f"`(?{rest[:2]}` has no equal: neither assertions nor flags inside")
        inner = self.choice(depth + 1)
        if not self._take(")"):
            raise Unsupported("the `)` of a group is missing")
        return inner

    def _class(self) -> tuple[Range, ...]:
        negated = self._take("^")
        ranges: list[Range] = []
        first = True
        while first or not self._take("]"):
            first = False
            if self.rest.startswith("[:"):
                raise Unsupported("`[:` begins a class with a name, such as [:alpha:], which has no equal")
            member = self._member()
            if len(member) == 1 and self.rest.startswith("-") and not self.rest.startswith("-]"):
                self._take("-")
                last = self._member()
                if member[0][0] != member[0][1] or len(last) != 1 or last[0][0] != last[0][1]:
                    raise Unsupported("an end of a range is a class")
                if last[0][0] < member[0][0]:
                    raise Unsupported("a range ends before it begins")
                member = ((member[0][0], last[0][0]),)
            ranges.extend(member)
        within = merged(ranges)
        if self._ignore_case:
            within = _both_cases(within)
        if negated:
            within = complement(within)
        if not within:
            raise Unsupported("a class excludes every character")
        return within

    def _member(self) -> tuple[Range, ...]:
        sign = self._next()
        if sign == "\\":
            return self._escape(in_class=True)
        return ((ord(sign), ord(sign)),)

    def _escape(self, *, in_class: bool = False) -> tuple[Range, ...]:
        sign = self._next()
        if sign in _CONTROLS:
            return ((_CONTROLS[sign],) * 2,)
        if sign.lower() in _CLASSES:
            ranges = _CLASSES[sign.lower()]
            return ranges if sign.islower() else complement(ranges)
        if sign == "x":
            digits = self.rest[:2]
            if len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
                self._at += 2
                return ((int(digits, 16),) * 2,)
        if sign.isascii() and not sign.isalnum():
            return ((ord(sign),) * 2,)
        raise Unsupported(f"`\\{sign}`{' in a class' if in_class else ''} has no equal")

    def _take(self, sign: str) -> bool:
        if self._expression.startswith(sign, self._at):
            self._at += len(sign)
            return True
        return False

    def _next(self) -> str:
        if not self.rest:
            raise Unsupported("it ends too early")
        self._at += 1
        return self._expression[self._at - 1]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4


def _both_cases(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the ranges with the other case of each letter A to Z."""
    swapped = []
    for first, last in ranges:
        for (low, high), shift in zip(_LETTERS, (32, -32), strict=True):
            if max(first, low) <= min(last, high):
                swapped.append((max(first, low) + shift, min(last, high) + shift))
    return merged([*ranges, *swapped])


def _small(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the characters of a value with small letters that are in the ranges by either case."""
    return complement(merged([*complement(_both_cases(ranges)), *_CAPITALS])) or _CAPITALS


def _anchors(node: _Node) -> frozenset[str]:
    match node:
        case _Anchor(sign):
            return frozenset(sign)
        case _Chain(parts) | _Choice(parts):
            return reduce(frozenset.union, map(_anchors, parts), frozenset())
        case _Repetition(part):
            return _anchors(part)
        case _Characters():
            return frozenset()


def _begun(node: _Node, lines: bool) -> _Node:
    """Return an expression for what the node describes with anything before it, without `^`."""
    if "^" not in _anchors(node):
        return _Chain((_ANYTHING, node))
    match node:
        case _Choice(alternatives):
            return _Choice(tuple(_begun(alternative, lines) for alternative in alternatives))
        case _Chain((first, *rest)) if not any("^" in _anchors(part) for part in rest):
            return _Chain((_begun(first, lines), *rest))
        case _Anchor():
            return _Choice((_EMPTY, _Chain((_ANYTHING, _LINE_FEED)))) if lines else _EMPTY
    raise Unsupported("`^` stands behind something")


def _ended(node: _Node, lines: bool) -> _Node:
    """Return an expression for what the node describes with anything behind it, without `$`."""
    if "$" not in _anchors(node):
        return _Chain((node, _ANYTHING))
    match node:
        case _Choice(alternatives):
            return _Choice(tuple(_ended(alternative, lines) for alternative in alternatives))
        case _Chain((*before, last)) if not any("$" in _anchors(part) for part in before):
            return _Chain((*before, _ended(last, lines)))
        case _Anchor():
            # `$` also stands before a line feed that ends the value.
            rest = _Chain((_LINE_FEED, _ANYTHING)) if lines else _LINE_FEED
            return _Choice((_EMPTY, rest)) if lines else _Repetition(rest, 0, 1)
    raise Unsupported("`$` stands before something")


def _text(node: _Node, small: bool) -> str:
    match node:
        case _Characters(ranges):
            return _class(ranges, small)
        case _Chain(parts):
            return "".join(
                f"({_text(part, small)})" if isinstance(part, _Choice) else _text(part, small) for part in parts
            )
        case _Choice(alternatives):
            return "|".join(_text(alternative, small) for alternative in alternatives)
        case _Repetition(part, least, most):
            inner = _text(part, small)
            if not isinstance(part, _Characters):
                inner = f"({inner})"
            return inner + _count(least, most)
        case _Anchor():
            raise AssertionError("anchors are gone")


def _count(least: int, most: int | None) -> str:
    for sign, bounds in _COUNTS.items():
        if bounds == (least, most):
            return sign
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _class(ranges: tuple[Range, ...], small: bool = False) -> str:
    """Return the usual notation for one of the characters; with `small` the value has no capitals A to Z."""
    if ranges == _ANY:
        return "."
    for name, members in _CLASSES.items():
        for sign, described in ((name, members), (name.upper(), complement(members))):
            if ranges == (_small(described) if small else described):
                return f"\\{sign}"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return characters(chr(ranges[0][0]))
    if ranges[-1][1] == LAST_CODE_POINT:
        return f"[^{_members(complement(ranges))}]"
    return f"[{_members(ranges)}]"


def _members(ranges: tuple[Range, ...]) -> str:
    return "".join(
        _member(first) if first == last else f"{_member(first)}{'-' if last > first + 1 else ''}{_member(last)}"
        for first, last in ranges
    )


def _member(code: int) -> str:
    sign = chr(code)
    return f"\\{sign}" if sign in _ESCAPED_IN_CLASS else _WRITTEN.get(sign, sign)
