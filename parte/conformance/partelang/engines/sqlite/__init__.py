"""SQLite, as Python's standard library has it, as an engine of the kit: `model:sqlite`. It needs no extra.

Templates and domain tables become tables, a rule a query over them (`expressions`, `queries`); `adapter` inserts the
events, runs the queries stratum by stratum and reads their matches. SQLite itself computes joins, windows, negation,
conditions and the ids of emitted events, with its own arithmetic.
"""
