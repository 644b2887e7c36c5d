"""Polars, a library of data frames, as an engine of the kit: `model:polars`. It needs the extra `parte[polars]`.

A rule becomes a query over lazy frames, one for each template (`expressions`, `frames`); `adapter` makes the frames and
collects the queries stratum by stratum. Joins, windows, negation, conditions and the ids of emitted events are Polars's
own work, with its own arithmetic.
"""
