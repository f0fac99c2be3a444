"""The process: how does it start, and what becomes of a Ctrl-C at any moment of it?

Everything else is `kadmin.cli.main`'s.
"""

import gc
import signal
import sys
from typing import TYPE_CHECKING, Final

from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SOON_S: Final = 0.01
"""After how long a Ctrl-C that met a callback is raised: the callback has ended by then."""


def main() -> None:
    """Run kadmin with the arguments of this process and exit with an `ExitCode`."""
    # A short run that keeps nearly all it makes: looking for garbage in it costs a fifth of it.
    gc.set_threshold(500_000, 20, 100)
    sys.unraisablehook = raise_soon
    try:
        from kadmin.cli.main import prepare_streams, run

        prepare_streams()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # While Python was still importing, or a second one while the first was being handled.
        code = ExitCode.INTERRUPTED
    # Python remembers a Ctrl-C that met it within exec of a text, as dataclasses are made, and as
    # `python -m` dies of SIGINT in the end though it was handled.  The next text makes it forget.
    exec("")
    # Python looks for garbage once more when it ends, for a seventh of a short run and more.
    gc.freeze()
    sys.exit(code)


def raise_soon(lost: "UnraisableHookArgs") -> None:
    """Let a Ctrl-C be raised behind a callback that it has met, out of which Python raises nothing:
    most of all where it has just imported a module."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, SOON_S)
    else:
        sys.__unraisablehook__(lost)


if __name__ == "__main__":
    main()
