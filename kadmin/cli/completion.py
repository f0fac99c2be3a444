"""`kadmin completion`: what does a shell need to complete kadmin's words?

The script for the shell holds all that never changes; for what only a cluster knows it calls
`kadmin completion --values KIND`, which answers quickly or not at all.
"""

import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import Final

import click

from kadmin.called_name import NAMES, called_name
from kadmin.cli.frame import command
from kadmin.cli.live_values import VALUES
from kadmin.cli.options import argument, option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, KadminError

SHELLS: Final = ("bash", "zsh", "fish")

PATIENCE_S: Final = 1.0
"""The shell waits no longer after Tab: one that hangs is worse than one without completions."""

PLAIN_WORD: Final = re.compile(r"[\w.,:=@%+/-]+")
"""Anything else could be syntax to a shell, and a znode's name can be anything."""


@command("completion", short_help="Print the completion of a shell.", speaks_to_brokers=True)
@argument("shell", required=False, type=click.Choice(SHELLS))
@option("--values", "kind", hidden=True, type=click.Choice(tuple(VALUES)))
@option("--current", default="", hidden=True)
@option("--topic", "topics", multiple=True, hidden=True)
@option("--name", hidden=True)
def completion(
    session: Session,
    shell: str | None,
    kind: str | None,
    current: str,
    topics: tuple[str, ...],
    name: str | None,
) -> None:
    """Print the completion script of SHELL.

    Commands, options and their fixed values are in the script itself. It asks the cluster that the
    line names for topics, broker ids and the like, and leaves them out if the cluster does not
    answer within a second.

    \b
    Examples:
      source <(kadmin completion bash)
      source <(kadmin completion zsh)
      kadmin completion fish | source
    """
    if kind is not None:
        if name is not None:  # As the commands of `kadmin cluster` call it.
            session.flags["cluster"] = name
        print_values(session, kind, current, topics)
    elif shell is not None:
        # Not by the session's output: a shell that starts must not stumble over its settings.
        sys.stdout.write(for_name(script_of(shell), called_name()))
    else:
        raise click.UsageError("for which shell? give one of " + ", ".join(SHELLS))


def for_name(script: str, name: str) -> str:
    """Return *script*, which completes both names of kadmin, for *name*.

    If kadmin is called by its second name, the first may be another program.
    """
    usual, second = NAMES
    if name == usual:
        return script
    script = re.sub(rf"^complete -c {second} .*\n", "", script, flags=re.MULTILINE)
    script = script.replace(f"complete -c {usual} ", f"complete -c {second} ")
    return re.sub(rf"(complete -F _kadmin|compdef _kadmin|#compdef) {usual} ", r"\1 ", script)


def script_of(shell: str) -> str:
    """Return the completion script of *shell*, one of `SHELLS`, made from the tree of commands."""
    from kadmin.cli.main import kadmin
    from kadmin.cli.tree import command_tree

    text = import_module(f"kadmin.cli.shells.{shell}").script(command_tree(kadmin))
    assert isinstance(text, str)
    return text


def print_values(session: Session, kind: str, current: str, topics: Sequence[str]) -> None:
    """Print the values of *kind* that begin as *current* does, one a line; nothing on a failure.
    *topics* are those that the line names.

    Of a list with commas only the last item is completed.
    """
    session.flags["timeout"] = PATIENCE_S
    session.is_mute = True
    given, comma, start = current.rpartition(",")
    values: list[str] = []
    # There is no good place for a complaint while someone types.
    with ending_after(PATIENCE_S), suppress(KadminError):
        values = [
            value
            for value in VALUES[kind](session, topics)
            if value.startswith(start) and PLAIN_WORD.fullmatch(value)
        ]
    for value in sorted(values):
        sys.stdout.write(given + comma + value + "\n")


@contextmanager
def ending_after(seconds: float) -> Iterator[None]:
    """End this process silently when the block takes longer, whatever it waits for."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        os._exit(ExitCode.DONE)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
