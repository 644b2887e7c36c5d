"""CLIPS, a production-rule engine (Rete), as an engine of the kit: `model:clips`. It needs the extra `parte[clips]`.

A program becomes deftemplates, deffunctions and defrules (`constructs`, `expressions`); `adapter` asserts the events in
their order of arrival and reads the matches that the rules assert. Joins, windows, negation, conditions and the ids of
emitted events are CLIPS's own work, with its own arithmetic.
"""
