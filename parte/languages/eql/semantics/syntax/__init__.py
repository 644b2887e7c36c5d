"""The syntax of EQL, and what definition and machine share of traces."""
