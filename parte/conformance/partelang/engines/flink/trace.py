"""The table of the events of a trace, from which the queries of all rules read."""

from __future__ import annotations

from parte.conformance.partelang.engines.flink.expressions import (
    COMPONENT,
    IDENTITY,
    ROWTIME,
    TIMESTAMP,
    literal,
    type_of,
)
from parte.conformance.partelang.engines.flink.level_2 import text
from parte.semantics.partelang.syntax import core

TRACE, TEMPLATE, WATERMARK = "$trace", "$template", "$watermark"
"""The table, and its columns for the template of a row and for the watermark after it."""


def attribute_column(template: str, attribute: str) -> str:
    """Return the column of the table for an attribute of a template."""
    return f"{template}.{attribute}"


def trace_table(program: core.Program, path: str, moved: int) -> str:
    """Return the statement that declares the table: a file of JSON lines with the columns of all templates.

    An event is on time as long as no watermark has passed it; the file states the watermark of each row. Flink's own
    time, for joins and watermarks, is `moved` by so many milliseconds; timestamps are not.
    """
    own = [f"`{TEMPLATE}` STRING", f"`{IDENTITY}` STRING", f"`{COMPONENT}` STRING"]
    own += [f"`{TIMESTAMP}` BIGINT", f"`{WATERMARK}` BIGINT"]
    attributes = [
        f"`{attribute_column(template.name, attribute.name)}` {type_of(attribute.type)}"
        for template in program.templates
        for attribute in template.attributes
    ]
    time = [
        f"`{ROWTIME}` AS TO_TIMESTAMP_LTZ(`{TIMESTAMP}` + {literal(moved)}, 3)",
        f"WATERMARK FOR `{ROWTIME}` AS TO_TIMESTAMP_LTZ(`{WATERMARK}` + {literal(moved)}, 3)",
    ]
    columns = ", ".join([*own, *attributes, *time])
    return (
        f"CREATE TEMPORARY TABLE `{TRACE}` ({columns}) "
        f"WITH ('connector' = 'filesystem', 'path' = {text(path)}, 'format' = 'json')"
    )
