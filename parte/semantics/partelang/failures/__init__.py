"""Failures: nodes that crash and recover from what is durable (D §5.6.4; specification: node-durable)."""
