"""Engines against the reference: suites, their runner and reports, mutants, fuzzing, adapters of foreign engines."""

if __name__ == "conformance":
    raise ImportError(
        "import parte.conformance: the folder conformance at the top of a checkout is a link into the package parte"
    )
