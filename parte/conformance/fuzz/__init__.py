"""Differential fuzzing: an engine against the definition on drawn programs and traces, until they part
(specification: fuzzing).

    from parte.conformance.fuzz.campaign import Limits, fuzz

    for finding in fuzz(spec, Settings(), Limits(seconds=60), PARTELANG, seed=1).findings: ...

`generation` draws cases, `subject` puts them to the engine, `reduction` makes a divergent one small, `naming` says
which rule the engine contradicts, `findings` writes the fixture, and `campaign` is the loop around them.
"""
