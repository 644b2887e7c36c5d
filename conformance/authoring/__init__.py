"""Where the files of the suite come from: cases written by hand and generated ones (`python -m conformance.authoring`).

A file that is there already is never changed, unless it is asked for: cases are stable.
"""
