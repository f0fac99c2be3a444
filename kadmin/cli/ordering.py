"""The options --sort-by and --limit: which rows of a long list come first, and how many?

Knows no command.
"""

from collections.abc import Callable, Sequence
from typing import Any

import click

from kadmin.cli.options import Decorator, WholeNumber, option


def order_options(
    section: str, orders: Sequence[str], help: str, *, actions: Sequence[str] | None = None
) -> Decorator:
    """Declare both options; *help* explains *orders*, of which None takes the first."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        sort_by = option(
            "--sort-by",
            type=click.Choice(orders),
            section=section,
            actions=actions,
            help=help,
        )
        limit = option(
            "--limit",
            type=WholeNumber(min=1),
            metavar="N",
            section=section,
            actions=actions,
            help="At most N rows.",
        )
        return sort_by(limit(function))

    return declare
