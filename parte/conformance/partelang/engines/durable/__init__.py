"""durable_rules, a rule engine for Python (Rete, in C), as an engine of the kit: `model:durable`. It needs the extra
`parte[durable]`, which is compiled when it is installed.

A rule becomes a `when_all` of conditions on facts (`conditions`, `rules`), with `none` for what must be absent, and its
reaction a function in Python (`reactions`); `adapter` asserts the events in their order of arrival. Joins, windows,
negation and conditions are durable_rules' own work, with its own arithmetic; what is emitted is computed in Python,
where its users write their actions.
"""
