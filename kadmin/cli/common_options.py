"""Options that mean the same in several commands: safety, findings, verdicts, addresses."""

import re
from collections.abc import Sequence
from typing import Any, Final

import click

from kadmin.cli.options import Decorator, Number, WholeNumber, option

SAFETY: Final = "Safety"
PORT_MAX: Final = 65_535


def dry_run_option(actions: Sequence[str] | None = None, *, note: str = "") -> Decorator:
    """Declare --dry-run; *note* is what its help adds."""
    return option(
        "--dry-run",
        is_flag=True,
        section=SAFETY,
        actions=actions,
        help=f"Show the plan and write nothing{note}.",
    )


def yes_option(
    actions: Sequence[str] | None = None,
    *,
    section: str = SAFETY,
    help: str = "Do not ask.",
) -> Decorator:
    """Declare --yes, or -y."""
    return option("--yes", "-y", is_flag=True, section=section, actions=actions, help=help)


def force_option(actions: Sequence[str]) -> Decorator:
    """Declare --force, which Kafka's tools have in place of --yes."""
    return option(
        "--force",
        is_flag=True,
        section=SAFETY,
        actions=actions,
        help="The same; this is Kafka's name for it.",
    )


def default_min_isr_option(
    section: str = "Options",
    actions: Sequence[str] | None = None,
    *,
    source: str = "ZooKeeper does not know",
) -> Decorator:
    """Declare --default-min-isr, which *source* does not have."""
    return option(
        "--default-min-isr",
        type=WholeNumber(min=1),
        metavar="N",
        default=1,
        show_default=True,
        section=section,
        actions=actions,
        help=f"The min.insync.replicas in the brokers' own files, which {source}.",
    )


def ignore_option(kinds: Sequence[str], section: str) -> Decorator:
    """Declare --ignore for findings of these *kinds*."""
    return option(
        "--ignore",
        "ignored",
        multiple=True,
        type=click.Choice(kinds),
        metavar="KIND",
        section=section,
        help=f"Leave out findings of this kind; may be repeated: {', '.join(kinds)}.",
    )


def behind_after_option(
    section: str,
    actions: Sequence[str] | None = None,
    *,
    help: str = "How long a record may be unread before a group is behind.",
) -> Decorator:
    """Declare --behind-after of verdicts on groups."""
    return option(
        "--behind-after",
        type=Number(0, 10**9),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        section=section,
        actions=actions,
        help=help,
    )


def window_option(
    section: str,
    default_s: float,
    actions: Sequence[str] | None = None,
    *,
    help: str,
) -> Decorator:
    """Declare --window, the time between two looks that are compared."""
    return option(
        "--window",
        type=Number(0, 3600),
        default=default_s,
        show_default=True,
        metavar="SECONDS",
        section=section,
        actions=actions,
        help=help,
    )


class ListenAddress(click.ParamType):  # type: ignore[type-arg]  # generic only for newer click
    """`HOST:PORT`, `[::1]:PORT`, or `:PORT` of the loopback; port 0 takes a free one."""

    name = "address"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]*):([0-9]{1,5})", str(value).strip())
        if match is None or int(match[2]) > PORT_MAX:
            self.fail(f"'{value}' is not HOST:PORT, such as 127.0.0.1:8090", param, ctx)
        return match[1].strip("[]") or "127.0.0.1", int(match[2])
