"""The algebra batch by batch: what a program finds anew when some events come and a promise grows.

`horizons` says how long an event matters and how far what rules emit lags behind; `places` numbers the patterns that
events can fill, `tables` makes rows of events, `increments` compiles each rule to the queries for its new matches, and
`evaluation` runs them on DuckDB. All of a stream's matches, batch by batch, are those of
`parte.algebra.partelang.programs` over its events.
"""
