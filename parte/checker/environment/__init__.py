"""The environment of a program, for every language: the rates of its sources, and the schedule of a query."""
