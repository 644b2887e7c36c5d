"""From raw logs (JSON Lines, CSV, Parquet) to traces and logs of events, by a mapping that a file describes."""
