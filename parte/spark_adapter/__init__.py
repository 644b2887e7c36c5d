"""The reference on Spark: many traces in parallel, one program over a huge log, and a live stream."""
