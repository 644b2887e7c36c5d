"""Documents of a format with one thing changed: what a reader takes is what the schema takes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError, validators

from parte.semantics.events.codec import FormatError

Step = str | int

STRANGE: tuple[Any, ...] = (None, 7, -1, 1.5, "x", "1x", "", {}, [], True, 2**70, {"kind": "nothing"})


def _one_of(_: Any, choices: list[Any], value: Any, schema: Any) -> Iterator[ValidationError]:
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        yield ValidationError(f"{value!r} is none of {schema['enum']!r}")


# JSON Schema takes 1.0 for the integer 1; whoever reads our formats need not.
_integers = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
StrictValidator: Any = cast(Any, validators).extend(Draft202012Validator, {"enum": _one_of}, type_checker=_integers)


def places(data: Any, path: tuple[Step, ...] = ()) -> list[tuple[Step, ...]]:
    """The paths of everything in a tree of JSON, itself included."""
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for step, part in parts for place in places(part, (*path, step)))]


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """The document with a part removed, replaced by something strange or by another part of it, or a key too many."""
    tree = copy.deepcopy(document)
    *path, last = draw(st.sampled_from(places(tree)[1:]))
    holder = tree
    for step in path:
        holder = holder[step]
    match draw(st.sampled_from(["remove", "strange", "other", "more"])):
        case "remove":
            del holder[last]
        case "strange":
            holder[last] = draw(st.sampled_from(STRANGE))
        case "other":
            part = document
            for step in draw(st.sampled_from(places(document))):
                part = part[step]
            holder[last] = copy.deepcopy(part)
        case "more" if isinstance(holder, dict):
            holder["surplus"] = 1
    return tree


def agree(schema: Any, read: Callable[[Any], object], document: Any, beyond: Sequence[str] = ()) -> None:
    """Schema and reader both take a document, or neither; the reader may object for reasons with one of `beyond`."""
    objection = ""
    try:
        read(document)
    except FormatError as error:
        objection = str(error)
    excused = any(reason in objection for reason in beyond)
    assert StrictValidator(schema).is_valid(document) == (not objection or excused), objection
