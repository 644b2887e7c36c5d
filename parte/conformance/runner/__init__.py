"""Running the suite against engines: sessions with them, verdicts, workers, lists of known failures."""
