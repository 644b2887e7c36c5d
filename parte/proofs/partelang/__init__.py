"""The proofs of PARTElang: theorems, controls, defects, variants, exploration of schedules."""
