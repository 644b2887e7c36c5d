"""What engines in a Java process have in common: `jdk` compiles a harness in Java against the engine's jars, `harness`
is the process, `description` a program as that reads it, `fired` what it replies.

Below `java` is what every such harness has in Java: the requests and the values of expressions, which the engines leave
to their users' Java.
"""
