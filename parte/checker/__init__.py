"""Checks of a program before it runs, decided by z3: strata, time, vacuity, relations of rules (D ch. 4-5)."""

if __name__ == "checker":
    raise ImportError(
        "import parte.checker: the folder checker at the top of a checkout is a link into the package parte"
    )
