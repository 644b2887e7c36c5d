"""What z3 decides about a program before it runs: strata, time, vacuity, relations of rules (D ch. 4-5)."""

if __name__ == "checker":
    raise ImportError(
        "import parte.checker: the folder checker at the top of a checkout is a link into the package parte"
    )
