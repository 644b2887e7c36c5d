"""The sound machine on Structured Streaming: one machine for each key, in Spark's state."""
