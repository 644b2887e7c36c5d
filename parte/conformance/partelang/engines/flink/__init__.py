"""Flink SQL as an engine of the kit: `model:flink`. It needs the extra `parte[flink]`, in an environment of its own.

A rule becomes one streaming query of event-time interval joins (`queries`, `joins`, `intervals`), with a grouped query
for each of its sets (`sets`); `expressions` and `level_2` translate conditions. `trace` is the table of the events,
`watermarks` turns the promises of a trace into watermarks, `cluster` is a Flink cluster in a JVM beside this process,
and `adapter` runs the queries stratum by stratum.
"""
