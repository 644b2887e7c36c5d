"""Foreign engines that run queries of EQL."""
