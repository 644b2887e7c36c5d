"""`python -m parte` is the `parte` command."""

from parte.cli import main

main()
