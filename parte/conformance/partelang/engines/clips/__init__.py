"""CLIPS, a production-rule engine (Rete), as an engine of the kit: `model:clips`. It needs the extra `parte[clips]`.

A program becomes deftemplates, deffunctions and defrules (`constructs`, `expressions`); `adapter` asserts the events in
their order of arrival and reads the matches that the rules assert. CLIPS itself computes joins, windows, negation,
conditions and the ids of emitted events, with its own arithmetic.
"""
