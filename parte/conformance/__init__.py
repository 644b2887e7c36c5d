"""Comparing engines with the reference: strategies for programs, traces and schedules, and the comparison itself."""
