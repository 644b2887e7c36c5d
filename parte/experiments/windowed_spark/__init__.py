"""D §7.4 repeated: a windowed join without back-pressure on Spark, and the machines on the same traces."""
