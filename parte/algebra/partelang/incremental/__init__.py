"""The algebra batch by batch: the new matches of a program when events arrive and a promise grows.

`horizons` computes how long an event matters and how far the events that rules emit lag behind; `places` numbers the
patterns that events can fill, `tables` makes rows of events, `increments` compiles each rule to the queries for its new
matches, and `evaluation` runs them on DuckDB. The matches of all batches together are those of
`parte.algebra.partelang.programs` over the events of the stream.
"""
