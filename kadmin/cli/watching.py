"""The option --watch: a result is shown again and again.

Knows no command.
"""

import time
from collections.abc import Callable, Sequence

from kadmin.cli.options import Decorator, Number, option
from kadmin.cli.session import Session
from kadmin.errors import UnreachableError


def watch_option(section: str = "Options", actions: Sequence[str] | None = None) -> Decorator:
    return option(
        "--watch",
        type=Number(0.1, 86_400),
        is_flag=False,
        flag_value=2.0,
        metavar="[SECONDS]",
        section=section,
        actions=actions,
        help="Show it again every so many seconds (2) until Ctrl-C.",
    )


def watch(
    session: Session, seconds: float | None, show: Callable[[Callable[[], None]], None]
) -> None:
    """Show once, or with *seconds* again and again until Ctrl-C, through outages as well.

    *show* is given what to call between reading and showing: it clears the terminal of the round
    before, which stays to be read until then.
    """
    if seconds is None:
        show(lambda: None)
        return
    while True:
        try:
            show(session.output.clear)
        except UnreachableError as error:
            session.output.warn(f"{error.message}; trying again")
        session.name_down_servers()
        session.output.note(f"-- {time.strftime('%H:%M:%S')}, every {seconds:g} s, Ctrl-C ends")
        session.output.stdout.flush()
        time.sleep(seconds)
