"""Drools (Phreak, stream mode) as an engine of the kit: `model:drools`. It needs the extra `parte[drools]` and a JDK.

A program becomes a description in JSON (`translation`), from which a Java program (`java/`) builds a model of Drools's
pattern DSL. That program is compiled against the jar of the package drools_jpy when it is first used (`jdk`), and runs
as a child process (`harness`). Joins, windows (`after`, `before`), negation and the expiry of events, which Drools
infers from the windows, are Drools's own work; the values of expressions are computed by the harness.

`model:drools-kept` is the same, but for an expiry that is given instead of inferred: what only the former gets wrong is
owed to the inference.
"""
