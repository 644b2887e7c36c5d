"""The values of PARTElang in Arrow, by which tables are handed to engines and Parquet files are written."""

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
    """The Arrow type of the values of a type."""
    return pyarrow.list_(_SCALARS[of.element]) if isinstance(of, ListOf) else _SCALARS[of]
