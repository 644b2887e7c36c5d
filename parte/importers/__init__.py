"""Rules in the formats of other tools, written as programs of level 2 with mappings and tests (`parte import`)."""
