"""JSON driven by types: a format is a tree of frozen dataclasses; its reader, writer and JSON Schema follow from it.

Nothing is coerced: neither `true` nor `1.0` is an integer, but `1` is a number. Unknown keys are errors. Fields that
are not compared (spans) are not in the format. Text from outside passes `strictjson.decode` first, which rejects
repeated keys, NaN and unlimited nesting.

msgspec does the checking: the codec makes a strict struct for each dataclass, which the library reads, checks and
describes.
"""

from __future__ import annotations

import collections.abc
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from inspect import cleandoc
from types import EllipsisType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import UNSET, UnsetType

from parte.semantics.events.bounds import Bounds
from parte.semantics.events.mismatch import explained
from parte.semantics.events.schemas import ALONE, refined

T = TypeVar("T")

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

_LIST: Any = list
_DICT: Any = dict
_UNION: Any = Union
_PLAIN = (NoneType, bool, int, float, str)


class FormatError(ValueError):
    """JSON that is not of a format; the message has the place, the expected value and the actual value."""


Shown = tuple[Any, Callable[[Any], object]]
"""The type of a member, and the function that computes it."""

_WORD = re.compile("(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Tagged:
    """Alternatives that are distinguished by the value of a key, which is written first.

    An enumeration has its `name` as a second key. `computed` are members that are computed from a value and written
    next, with their types; the reader checks and drops them. A field with such a name is written there, as that type.
    """

    name: str
    tags: Mapping[type, str]
    key: str = "kind"
    computed: Mapping[str, Shown] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, union: Any, /, computed: Mapping[str, Shown] | None = None, **others: str) -> Tagged:
        """Return the classes of a union, each tagged by its own name (`to-float` for `ToFloat`) or by another."""
        tags = {kind: others.get(kind.__name__) or _WORD.sub("-", kind.__name__).lower() for kind in get_args(union)}
        return cls(name, tags, computed=computed or {})


class _Plan(NamedTuple):
    """Reader and writer of a type: msgspec reads a `view`, `build` converts that to the value."""

    view: Any
    write: Callable[[Any], Any]
    build: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


class Codec(Generic[T]):
    """The JSON of a type.

    `tagged` are the unions of dataclasses in it. `first` names fields of a dataclass that are written before others.
    `sparse` are fields that the writer leaves out when they have their default (given here, if the dataclass has none),
    or all (`...`) that have a default. The reader requires all fields but the `optional` ones, or all (`...`) that have
    a default. Unknown keys are errors except in `lenient` dataclasses. `renamed` are fields that have another name in
    JSON. `constructors` replaces constructors, which may raise ValueError. If `bounded` is false, the reader checks
    only the shape. `forms` are types that JSON writes as another type: that type, and the conversions to and from it. A
    document has a `header`: its `format` and its `version`.
    """

    def __init__(
        self,
        type_: Any,
        *tagged: Tagged,
        first: Mapping[type, Collection[str]] | None = None,
        constructors: Mapping[type, Callable[..., Any]] | None = None,
        sparse: Mapping[type, Collection[str] | Mapping[str, object] | EllipsisType] | None = None,
        optional: Mapping[type, Collection[str]] | EllipsisType = ...,
        lenient: Collection[type] = (),
        renamed: Mapping[type, Mapping[str, str]] | None = None,
        bounded: bool = True,
        forms: Mapping[Any, tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]] | None = None,
        header: tuple[str, int] | None = None,
    ) -> None:
        self._header = (type_, dict(zip(("format", "version"), map(_constant, header or ()), strict=False)))
        self._tagged = tagged
        self._first, self._made = first or {}, constructors or {}
        self._sparse, self._optional, self._lenient = sparse or {}, optional, lenient
        self._plans: dict[Any, _Plan] = {}
        self._renamed, self._bounded, self._forms = renamed or {}, bounded, forms or {}
        whole = any(type_ in union.tags for union in tagged if isinstance(type_, type))
        self._plan = self._union([type_]) if whole else self._of(type_)

    def encode(self, value: T) -> Json:
        """Return the value as dicts, lists and scalars."""
        written: Json = self._plan.write(value)
        return written

    def decode(self, data: object) -> T:
        """Return the value for JSON from `strictjson.decode`. Raise FormatError if there is none."""
        try:
            return cast(T, self._plan.build(msgspec.convert(data, self._plan.view)))
        except msgspec.ValidationError as error:
            raise FormatError(explained(str(error), data, lambda: msgspec.json.schema(self._plan.view))) from None
        except RecursionError:
            raise FormatError("it nests too deeply") from None

    # --- Plans -------------------------------------------------------------------------------------------------------

    def _of(self, hint: Any) -> _Plan:
        if hint not in self._plans:
            self._plans[hint] = self._planned(hint)
        return self._plans[hint]

    def _planned(self, hint: Any) -> _Plan:
        if hint in self._forms:
            form, write, build = self._forms[hint]
            return _Plan(self._of(form).view, write, build)
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            inner = self._of(arguments[0])
            return inner._replace(view=_limited(inner.view, *arguments[1:])) if self._bounded else inner
        if origin in (tuple, collections.abc.Sequence):
            inner = self._of(arguments[0])
            return _Plan(
                _LIST[inner.view], lambda parts: [*map(inner.write, parts)], lambda parts: (*map(inner.build, parts),)
            )
        if origin is collections.abc.Mapping:
            inner = self._of(arguments[1])
            return _Plan(_DICT[arguments[0], inner.view], _over(inner.write), _over(inner.build))
        if origin in (Union, UnionType):
            return self._union(arguments)
        if is_dataclass(hint):
            assert isinstance(hint, type)
            return self._object(hint)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _Plan(hint, lambda value: value.value, hint)
        if origin in (dict, list):  # plain JSON
            *key, part = arguments
            return _Plan(origin[*key, self._of(part).view], _same, _same)
        return _Plan(hint, _same, _same)

    def _union(self, members: Sequence[Any]) -> _Plan:
        """Plan a tagged union, some alternatives of one, or a union of at most one type with null and scalars."""
        present = [member for member in members if member is not NoneType]
        tagged = next((tagged for tagged in self._tagged if set(present) <= tagged.tags.keys()), None)
        if tagged is not None and (present == [*members] or len(present) > 1):
            plans = {member: self._alternative(member, tagged, alone=len(members) == 1) for member in present}
            builders = {plan.view: plan.build for plan in plans.values()}
            absent = (None,) * (len(members) - len(present))
            return _Plan(
                _UNION[(*builders, *absent)],
                lambda value: None if value is None else plans[type(value)].write(value),
                lambda read: None if read is None else builders[type(read)](read),
            )
        if {dict, list} <= set(map(get_origin, members)):
            return _Plan(Any, _same, _same)
        inner = [self._of(member) for member in members]
        view = _UNION[tuple(plan.view for plan in inner)]
        changed = [plan for plan in inner if plan.write is not _same]
        if not changed:
            return _Plan(view, _same, _same)
        (only,) = changed
        return _Plan(
            view,
            lambda value: value if isinstance(value, _PLAIN) else only.write(value),
            lambda read: read if isinstance(read, _PLAIN) else only.build(read),
        )

    def _alternative(self, member: type, tagged: Tagged, *, alone: bool) -> _Plan:
        key = (member, tagged.name, alone)
        if key not in self._plans:
            planned = self._enumerated if issubclass(member, Enum) else self._object
            self._plans[key] = planned(member, tagged, alone=alone)
        return self._plans[key]

    def _enumerated(self, kind: type[Enum], tagged: Tagged, *, alone: bool) -> _Plan:
        view = self._view(kind, [("name", kind)], tagged, alone=alone)
        return _Plan(view, lambda value: {tagged.key: tagged.tags[kind], "name": value.value}, lambda read: read.name)

    def _view(self, kind: type, members: list[Any], tagged: Tagged | None, *, alone: bool, **namespace: Any) -> Any:
        """Return a struct with these members. msgspec requires no tag of a struct alone: there the tag is a member."""
        settings: dict[str, Any] = {"forbid_unknown_fields": kind not in self._lenient, "kw_only": True}
        settings["rename"] = dict(self._renamed.get(kind, {}))
        if tagged is None:
            return msgspec.defstruct(kind.__name__.lstrip("_"), members, namespace=namespace, **settings)
        tag = tagged.tags[kind]
        if alone:
            members = [(tagged.key, Literal[tag]), *members]
        else:
            settings |= {"tag_field": tagged.key, "tag": tag}
        return msgspec.defstruct(f"{tagged.name}.{tag}{ALONE * alone}", members, namespace=namespace, **settings)

    def _object(self, kind: type, tagged: Tagged | None = None, *, alone: bool = False) -> _Plan:
        """Plan a dataclass. Members are planned when they are needed: a type may contain itself."""
        hints = get_type_hints(kind, include_extras=True)
        stored = {declared.name: declared for declared in fields(kind) if declared.compare}
        computed = tagged.computed if tagged else self._header[1] if kind is self._header[0] else {}
        front = [*computed, *self._first.get(kind, ())]
        names = [*front, *(name for name in stored if name not in front)]
        defaults = {name: value for name, declared in stored.items() if (value := _default(declared)) is not MISSING}
        left_out = self._sparse.get(kind, ())
        sparse = set(defaults) if isinstance(left_out, EllipsisType) else set(left_out)
        substitutes = dict(left_out) if isinstance(left_out, Mapping) else {}
        defaults |= substitutes
        absent = set(defaults) if isinstance(self._optional, EllipsisType) else {*sparse, *self._optional.get(kind, ())}
        maker, renamed = self._made.get(kind, kind), self._renamed.get(kind, {})

        @cache
        def member(name: str) -> _Plan:
            if name not in computed:
                return self._of(hints[name])
            return (
                self._union(get_args(hints[name]) or (hints[name],)) if name in stored else self._of(computed[name][0])
            )

        def write(value: Any) -> Any:
            record = {tagged.key: tagged.tags[kind]} if tagged else {}
            for name in names:
                part = computed[name][1](value) if name in computed else getattr(value, name)
                if name not in sparse or part != defaults[name]:
                    record[renamed.get(name, name)] = member(name).write(part)
            return record

        def build(read: Any) -> Any:
            parts = ((name, getattr(read, name)) for name in stored)
            return maker(**substitutes | {name: member(name).build(part) for name, part in parts if part is not UNSET})

        def view_of(name: str) -> Any:
            view = member(name).view
            if name in sparse and defaults[name] is None and kind not in self._lenient:  # null is never written
                view = _UNION[tuple(part for part in get_args(view) if part is not NoneType)]
            return _UNION[view, UnsetType] if name in absent else view

        check: dict[str, Any] = {"__post_init__": build} if kind in self._made else {}
        members: list[Any] = [(name, f"_view({name!r})", *([UNSET] if name in absent else [])) for name in names]
        more = {"_view": view_of, "__doc__": _description(kind)} | check
        view = self._view(kind, members, tagged, alone=alone, **more)
        return _Plan(view, write, build)

    def schema(self, identifier: str, title: str) -> dict[str, Any]:
        """Return the JSON Schema (draft 2020-12): it accepts the same as `decode`, and `1.0` for an integer."""
        unions = {tuple(tagged.tags.values()): tagged.name for tagged in self._tagged}
        result = refined(msgspec.json.schema(self._plan.view), unions)
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": identifier, "title": title} | result


def _constant(value: object) -> Shown:
    return Literal[value], lambda _: value


def _over(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda parts: {key: change(part) for key, part in parts.items()}


def _default(member: Field[Any]) -> Any:
    return member.default if member.default_factory is MISSING else member.default_factory()


def _description(kind: type) -> str | None:
    """Return the docstring of a dataclass; None for the one that every dataclass gets."""
    return None if kind.__doc__ is None or kind.__doc__.startswith(f"{kind.__name__}(") else cleandoc(kind.__doc__)


def _limited(view: Any, bounds: Bounds) -> Any:
    if bounds.choices:
        return Literal[bounds.choices]
    limits = {
        "ge": bounds.least,
        "le": bounds.greatest,
        "min_length": bounds.shortest,
        "max_length": bounds.longest,
        "pattern": bounds.pattern,
        "description": bounds.meaning,
    }
    meta: Any = msgspec.Meta
    return Annotated[view, meta(**limits)]
