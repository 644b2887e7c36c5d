"""Siddhi as an engine of the kit: `model:siddhi`. It needs the jars that the package PySiddhi holds, and a JDK.

A rule becomes a query of SiddhiQL for each order in which its events may come (`queries`, `expressions`): `every a=A ->
b=B[…] within …`. A Java program (`java/`) runs them, one app for each stratum, in the time of the events.
"""
