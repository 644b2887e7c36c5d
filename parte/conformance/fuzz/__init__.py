"""Differential fuzzing: an engine is compared with the definition on drawn programs and traces, until they differ
(specification: fuzzing).

    from parte.conformance.fuzz.campaign import Limits, fuzz

    for finding in fuzz(spec, Settings(), Limits(seconds=60), PARTELANG, seed=1).findings: ...

`generation` draws cases, `subject` runs them on the engine, `reduction` shrinks a divergent one, `naming` names the
rule that the engine contradicts, `findings` writes the fixture, and `campaign` is the loop around them.
"""
