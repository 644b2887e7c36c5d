"""Drools (Phreak, stream mode) as an engine of the kit: `model:drools`. It needs the extra `parte[drools]` and a JDK.

A program becomes a description in JSON (`translation`), from which a Java program (`java/`) builds a model of Drools's
pattern DSL. That program is compiled against the jar of the package drools_jpy when it is first used (`jdk`), and runs
as a child process (`harness`). Drools itself computes joins, windows (`after`, `before`), negation and the expiry of
events, which it infers from the windows; the harness computes the values of expressions.

`model:drools-kept` is the same with an explicit expiry: errors of `model:drools` alone are due to the inference.
"""
