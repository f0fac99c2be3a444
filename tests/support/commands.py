"""Commands that do what real ones do at their edges: ask, fail, print much; run as a process.

`python -m tests.support.commands asking` is kadmin with these commands beside its own.
"""

from itertools import repeat

from rich.table import Table
from rich.text import Text

from kadmin.__main__ import main
from kadmin.cli.frame import command
from kadmin.cli.main import CATALOG
from kadmin.cli.session import Session
from kadmin.errors import RefusedError
from kadmin.render.output import Document

LINES = 200_000

EXTRA = {
    name: (__name__, name.replace("-", "_"), "A command of the tests.")
    for name in ("asking", "failing", "half-done", "printing", "table")
}


@command("asking")
def asking(session: Session) -> None:
    """Ask, then say that it is done."""
    session.output.ask("delete everything?")
    session.output.show(
        Document(
            schema="kadmin.test.asking/1",
            body=lambda: {"is_deleted": True},
            columns=("is_deleted",),
            rows=lambda: [(True,)],
            lines=lambda: ["deleted"],
        )
    )


@command("failing")
def failing(session: Session) -> None:
    """Fail of something that nobody expects."""
    session.output.note("about to fail")
    raise ZeroDivisionError("no such luck")


@command("half-done")
def half_done(session: Session) -> None:
    """Report what was done of a change that failed."""
    try:
        raise RefusedError("the second half was refused", hint="look at the first half")
    finally:
        session.output.note("first half")
        session.output.line("first half")
        session.output.flush()


@command("printing")
def printing(session: Session) -> None:
    """Print far more than a pipe holds, and a note."""
    session.output.note("note")
    session.output.show(
        Document(
            schema="kadmin.test.printing/1",
            body=lambda: {"lines": LINES},
            columns=("line",),
            rows=lambda: repeat(("line",), LINES),
            lines=lambda: repeat("line", LINES),
        )
    )


@command("table")
def table(session: Session) -> None:
    """Print a table with a bold head on a terminal, a line in a pipe."""

    def pretty() -> Table:
        made = Table("head")
        made.add_row(Text("bräcket", style="red"))
        return made

    session.output.show(
        Document(
            schema="kadmin.test.table/1",
            body=lambda: {"cells": ("bräcket", True, None)},
            columns=("text", "fact", "nothing"),
            rows=lambda: [("bräcket", True, None)],
            lines=lambda: ["bräcket"],
            pretty=pretty,
        )
    )


if __name__ == "__main__":
    CATALOG.update(EXTRA)
    main()
