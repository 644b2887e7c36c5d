"""`python -m parte` and the script `parte`: the command, with what ends it from outside or by a fault of its own."""

from __future__ import annotations

import sys

from parte import interruptions


def main() -> None:
    """Run the command. An interruption ends it without a word, and a fault of PARTE, or too little memory, in one line;
    each has exit codes of its own."""
    interruptions.install()
    try:
        from parte.cli import main as command

        command()
    except KeyboardInterrupt:
        code = interruptions.exit_code()
    except SystemExit as ending:
        if ending.code != interruptions.INTERRUPTED:
            raise
        code = interruptions.exit_code()
    except Exception as fault:
        if interruptions.has_come():  # what was interrupted complains, a solver for one
            code = interruptions.exit_code()
        else:
            from parte.faults import told

            code = told(fault)
    interruptions.release()
    # What still runs in other threads is waited for when Python ends, and may never do so.
    interruptions.end_within(3.0, code)
    sys.exit(code)


if __name__ == "__main__":
    main()
