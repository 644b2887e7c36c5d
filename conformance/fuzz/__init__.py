"""Differential fuzzing: an engine against the algebra on drawn programs and traces, until they part (SPEC §7).

    from conformance.fuzz.campaign import Limits, fuzz

    for finding in fuzz(spec, Limits(seconds=60), seed=1).findings: ...

`generation` draws cases, `subject` puts them to the engine, `reduction` makes a divergent one small, `naming` says
which rule the engine contradicts, `findings` writes the fixture, and `campaign` is the loop around them.
"""
