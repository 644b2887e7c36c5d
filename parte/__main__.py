"""`python -m parte` and the script `parte`: the command, with what ends it from outside or by a fault of its own."""

from __future__ import annotations

import sys

from parte import interruptions


def main() -> None:
    """Run the command. An interruption ends it without a word, and a fault of PARTE, or too little memory, in one line;
    each has exit codes of its own."""
    try:
        interruptions.install()
        from parte.cli import main as command

        command()
    except KeyboardInterrupt:
        interruptions.end()
    except SystemExit as ending:
        if ending.code == interruptions.INTERRUPTED:
            interruptions.end()
        raise
    except Exception as fault:
        if interruptions.has_come():  # what was interrupted complains, a solver for one
            interruptions.end()
        from parte.faults import report_fault

        sys.exit(report_fault(fault))


if __name__ == "__main__":
    main()
