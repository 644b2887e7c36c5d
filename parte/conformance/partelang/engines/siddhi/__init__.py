"""Siddhi as an engine of the kit: `model:siddhi`. It needs the jars of the package PySiddhi, and a JDK.

A rule becomes a query of SiddhiQL for each possible order of its events (`queries`, `expressions`): `every a=A ->
b=B[…] within …`. A Java program (`java/`) runs them, one app for each stratum, in the time of the events.
"""
