"""The option --broker of commands that ask each broker about itself: who is meant?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kadmin.cli.options import Decorator, option
from kadmin.errors import UsageError

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId


def broker_option(section: str) -> Decorator:
    return option(
        "--broker",
        "--broker-list",
        "brokers",
        multiple=True,
        metavar="ID,ID",
        section=section,
        completes="brokers",
        help="Only these brokers; several by comma or by repeating.",
    )


def broker_ids(texts: Sequence[str]) -> "frozenset[BrokerId] | None":
    """Return the brokers that are named; None where none is.

    Raises:
        UsageError: what is no id.
    """
    from cluster.model.ids import BrokerId

    if not texts:
        return None
    words = [word.strip() for text in texts for word in text.split(",")]
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise UsageError(f"'{word}' is no id of a broker", hint="name ids by commas: 0,1")
    return frozenset(BrokerId(int(word)) for word in words)
