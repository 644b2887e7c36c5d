"""PARTElang in the conformance kit: its suite, mutants, fuzzing, engines."""
