"""The user's pager: how is a text shown that is longer than the terminal?"""

import os
import signal
import sys
from contextlib import suppress
from typing import Final

USUAL: Final = "less"
LESS_OPTIONS: Final = "FRX"
"""As git has it: end when all fits, take colours, leave the text on the terminal."""
NO_COMMAND: Final = (126, 127)
"""What a shell answers for what it may not run, and does not find."""


def pager_command() -> str | None:
    """Return the command in `PAGER`, less if it is unset; None where it is empty or `cat`."""
    command = os.environ.get("PAGER", USUAL).strip()
    return None if command in ("", "cat") else command


def page(text: str, command: str) -> bool:
    """Show *text* by *command* and wait until the user has seen enough; whether it could be
    run."""
    import subprocess

    environment = {"LESS": LESS_OPTIONS, "LV": "-c", **os.environ}
    sys.stdout.flush()
    try:
        process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, env=environment)
    except OSError:  # No shell, or no room for one more process.
        return False
    # Ctrl-C is the pager's: it ends a search, not the pager.
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin as stream:  # It was left before the end.
            stream.write(text.encode("utf-8", errors="backslashreplace"))
        return process.wait() not in NO_COMMAND
    finally:
        signal.signal(signal.SIGINT, former)
