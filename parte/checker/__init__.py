"""What z3 decides about a program before it runs: strata, time, vacuity, relations of rules (D ch. 4-5)."""
