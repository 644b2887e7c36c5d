"""Editions of traces as Parquet tables, and random programs and traces by the million."""
