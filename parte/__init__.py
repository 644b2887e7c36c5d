"""The public API of PARTE, and the `parte` command."""
