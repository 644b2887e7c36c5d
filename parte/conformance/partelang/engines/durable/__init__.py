"""durable_rules, a rule engine for Python (Rete, in C), as an engine of the kit: `model:durable`. It needs the extra
`parte[durable]`, which is compiled when it is installed.

A rule becomes a `when_all` of conditions on facts (`conditions`, `rules`), with `none` for negated patterns, and its
reaction a function in Python (`reactions`); `adapter` asserts the events in their order of arrival. durable_rules
itself computes joins, windows, negation and conditions, with its own arithmetic; emitted events are computed in Python,
as in the actions that its users write.
"""
