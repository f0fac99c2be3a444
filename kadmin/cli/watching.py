"""The option --watch: a result is shown again and again.

Knows no command.
"""

import time
from collections.abc import Callable, Sequence

import click

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


def watch(session: Session, seconds: float | None, show: Callable[[], None]) -> None:
    """Show once, or with *seconds* again and again until Ctrl-C, through outages as well.

    On a terminal each round takes the place of the last, on the alternate screen.
    """
    if seconds is None:
        show()
        return
    output = session.output
    output.pager = None
    if not output.is_terminal:
        while True:
            show_once(session, show)
            output.note(f"-- {clock()}, every {seconds:g} s, Ctrl-C ends")
            output.stdout.flush()
            time.sleep(seconds)
    from kadmin.render.alternate_screen import AlternateScreen

    command = click.get_current_context().command_path
    with AlternateScreen(output) as screen:
        while True:
            with screen.round():
                show_once(session, show)
            about = f"every {seconds:g} s: {command}  {output.cluster}".rstrip()
            screen.paint(f"{about}  {clock()}  (Ctrl-C ends)")
            time.sleep(seconds)


def show_once(session: Session, show: Callable[[], None]) -> None:
    session.look_again()
    try:
        show()
    except UnreachableError as error:
        session.output.warn(f"{error.message}; trying again")
    session.name_down_servers()


def clock() -> str:
    return time.strftime("%H:%M:%S")
