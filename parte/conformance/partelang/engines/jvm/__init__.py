"""The shared part of engines in a Java process: `jdk` compiles a harness in Java against the engine's jars, `harness`
is the process, `description` the form of a program for it, `fired` its reply.

The folder `java` contains the shared Java code: the requests and the values of expressions, which these engines leave
to their users' Java.
"""
