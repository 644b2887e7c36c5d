"""L's formulas as they are printed, over a stretch of instants (specification: lead-printed)."""
