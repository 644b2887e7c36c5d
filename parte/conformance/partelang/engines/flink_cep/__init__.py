"""Flink CEP, the Pattern API of Flink in Java, as an engine of the kit: `model:flink-cep`. It needs the extra
`parte[flink-cep]`, whose package apache-flink-libraries contains the jars, and a JDK.

A rule becomes a Pattern for each possible order of its events (`orders`, `translation`); a Java program (`java/`)
builds the Patterns and runs them on a MiniCluster, one job for each stratum.
"""
