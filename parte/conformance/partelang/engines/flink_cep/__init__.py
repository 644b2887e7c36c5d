"""Flink CEP, the Pattern API of Flink in Java, as an engine of the kit: `model:flink-cep`. It needs the extra
`parte[flink-cep]`, whose package apache-flink-libraries holds the jars, and a JDK.

A rule becomes a Pattern for each order in which its events may come (`orders`, `translation`); a Java program (`java/`)
makes the Patterns and runs them on a MiniCluster, one job for each stratum.
"""
