"""Experiments that anybody can rerun: a question, seeded data, rows measured unit by unit, table, plot and answer."""
