"""The parameters of an experiment as a TOML file, which is written beside the results and read to change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

from parte.semantics.events.files import read_text
from parte.semantics.events.stricttoml import MalformedToml, decode

P = TypeVar("P")

MAX_BYTES = 2**16
GREATEST = 10**9
"""The greatest number: sizes and rates beyond it are of no use, and would overflow the plots."""
MAY_BE_ZERO = "seed"
"""The parameter that may always be 0; others may be 0 only if one of their own values is."""


class ParametersError(ValueError):
    """A file of parameters cannot be used; the message says what was expected and found, and where."""


def to_toml(parameters: object) -> str:
    """Return the parameters as TOML, one key a line."""
    import tomli_w

    return tomli_w.dumps(_plain(parameters))


def _plain(parameters: object) -> dict[str, object]:
    assert is_dataclass(parameters)
    assert not isinstance(parameters, type)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(parameters).items()}


def read_parameters(path: Path, base: P) -> P:
    """Return `base` with the values of the file. Raise ParametersError for anything else in it."""
    try:
        replacements = decode(read_text(path, MAX_BYTES))
    except OSError as problem:
        raise ParametersError(f"{path}: cannot be read: {problem.strerror}") from problem
    except MalformedToml as problem:
        raise ParametersError(f"{path}: {problem}") from problem
    return with_values(base, replacements, str(path))


def with_values(base: P, replacements: Mapping[str, object], where: str) -> P:
    """Return `base` with other values for some of its fields, each of the type of the replaced one.

    Raise ParametersError for an unknown field or an unusable value.
    """
    assert is_dataclass(base)
    assert not isinstance(base, type)
    known = {field.name: getattr(base, field.name) for field in fields(base)}
    changes: dict[str, object] = {}
    for name, value in replacements.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the parameters are {', '.join(known)}"
            raise ParametersError(f"{where}: no parameter is called {shortened(name)}{hint}")
        place = f"{where}: {name}"
        changes[name] = _like(known[name], value, place)
        _check_range(changes[name], known[name], place, zero=name == MAY_BE_ZERO)
    return cast(P, replace(cast("DataclassInstance", base), **changes))


def _like(model: object, value: object, where: str) -> object:
    if isinstance(model, tuple):
        if not isinstance(value, list) or not value:
            raise ParametersError(f"{where}: expected a list that is not empty, found {shortened(value)}")
        return tuple(_like(model[0], item, where) for item in value)
    if isinstance(model, float) and type(value) is int:
        return float(value)
    if type(value) is not type(model):
        raise ParametersError(f"{where}: expected a value like {model!r}, found {shortened(value)}")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        raise ParametersError(f"{where}: expected a number that is not negative, found {shortened(value)}")
    return value


def _check_range(value: object, model: object, where: str, *, zero: bool) -> None:
    """Raise ParametersError for unusable numbers, and for a value listed twice, which would measure a unit twice."""
    values = value if isinstance(value, tuple) else (value,)
    usual = model if isinstance(model, tuple) else (model,)
    for number, item in enumerate(values):
        if item in values[:number]:
            raise ParametersError(f"{where}: expected each value once, found {shortened(item)} twice")
        if isinstance(item, bool) or not isinstance(item, int | float):
            continue
        if not item <= GREATEST:
            raise ParametersError(f"{where}: expected a number of at most {GREATEST}, found {shortened(item)}")
        if item == 0 and not zero and 0 not in usual:
            raise ParametersError(f"{where}: expected a number greater than 0, found {shortened(item)}")
