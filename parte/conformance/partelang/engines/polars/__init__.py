"""Polars, a library of data frames, as an engine of the kit: `model:polars`. It needs the extra `parte[polars]`.

A rule becomes a query over lazy frames, one for each template (`expressions`, `frames`); `adapter` creates the frames
and collects the queries stratum by stratum. Polars itself computes joins, windows, negation, conditions and the ids of
emitted events, with its own arithmetic.
"""
