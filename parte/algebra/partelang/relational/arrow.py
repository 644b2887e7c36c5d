"""The types of PARTElang in Arrow, for tables that are passed to engines and for Parquet files."""

from __future__ import annotations

from typing import Any, Final

import pyarrow

from parte.semantics.events.types import ListOf, Scalar, Type

_SCALARS: Final = {
    Scalar.INTEGER: pyarrow.int64(),
    Scalar.FLOAT: pyarrow.float64(),
    Scalar.STRING: pyarrow.string(),
    Scalar.BOOLEAN: pyarrow.bool_(),
}


def arrow_type(of: Type) -> Any:
    """Return the Arrow type of the values of a type."""
    return pyarrow.list_(_SCALARS[of.element]) if isinstance(of, ListOf) else _SCALARS[of]
