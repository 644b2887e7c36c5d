"""The commands of `parte`, one module for each group."""
