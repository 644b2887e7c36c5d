"""The parameters of an experiment as a TOML file: written next to the results, and read to change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from reprlib import repr as shown
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

from parte.semantics.events.files import read_text
from parte.semantics.events.stricttoml import MalformedToml, decode

P = TypeVar("P")

MAX_BYTES = 2**16
GREATEST = 10**9
"""Numbers are at most this: sizes and rates beyond it are of no use, and would overflow the plots."""
MAY_BE_ZERO = "seed"
"""Other parameters may be 0 only where one of their own values is."""


class ParametersError(ValueError):
    """A file of parameters that cannot be used; the message says what was expected, found, and where."""


def to_toml(parameters: object) -> str:
    """The parameters as TOML, one key a line."""
    import tomli_w

    return tomli_w.dumps(_plain(parameters))


def _plain(parameters: object) -> dict[str, object]:
    assert is_dataclass(parameters)
    assert not isinstance(parameters, type)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(parameters).items()}


def read_parameters(path: Path, base: P) -> P:
    """`base` with what the file says in place of its own values. ParametersError for anything else in it."""
    try:
        given = decode(read_text(path, MAX_BYTES))
    except OSError as problem:
        raise ParametersError(f"{path}: cannot be read: {problem.strerror}") from problem
    except MalformedToml as problem:
        raise ParametersError(f"{path}: {problem}") from problem
    return with_values(base, given, str(path))


def with_values(base: P, given: Mapping[str, object], where: str) -> P:
    """`base` with other values for some of its fields, each of the type of the one that it replaces."""
    assert is_dataclass(base)
    assert not isinstance(base, type)
    known = {one.name: getattr(base, one.name) for one in fields(base)}
    changes: dict[str, object] = {}
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the parameters are {', '.join(known)}"
            raise ParametersError(f"{where}: no parameter is called {shown(name)}{hint}")
        place = f"{where}: {name}"
        changes[name] = _like(known[name], value, place)
        _check_range(changes[name], known[name], place, zero=name == MAY_BE_ZERO)
    return cast(P, replace(cast("DataclassInstance", base), **changes))


def _like(model: object, value: object, where: str) -> object:
    if isinstance(model, tuple):
        if not isinstance(value, list) or not value:
            raise ParametersError(f"{where}: expected a list that is not empty, found {shown(value)}")
        return tuple(_like(model[0], item, where) for item in value)
    if isinstance(model, float) and type(value) is int:
        return float(value)
    if type(value) is not type(model):
        raise ParametersError(f"{where}: expected a value like {model!r}, found {shown(value)}")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        raise ParametersError(f"{where}: expected a number that is not negative, found {shown(value)}")
    return value


def _check_range(value: object, model: object, where: str, *, zero: bool) -> None:
    """Refuse numbers that no experiment can use, and values that are listed twice, which would measure a unit twice."""
    values = value if isinstance(value, tuple) else (value,)
    usual = model if isinstance(model, tuple) else (model,)
    for number, item in enumerate(values):
        if item in values[:number]:
            raise ParametersError(f"{where}: expected each value once, found {shown(item)} twice")
        if isinstance(item, bool) or not isinstance(item, int | float):
            continue
        if not item <= GREATEST:
            raise ParametersError(f"{where}: expected a number of at most {GREATEST}, found {shown(item)}")
        if item == 0 and not zero and 0 not in usual:
            raise ParametersError(f"{where}: expected a number greater than 0, found {shown(item)}")
