"""The options --topic, --regex and --partitions: which partitions are meant?"""

from collections.abc import Mapping
from typing import Any

from kadmin.cli.options import Decorator, declared, option


def partition_options(section: str, *, topic_help: str = "") -> Decorator:
    """Declare the three options; *topic_help* explains what no topic means, if anything."""

    return declared(
        option(
            "--topic",
            "topics",
            multiple=True,
            metavar="NAME",
            section=section,
            completes="topics",
            help="A topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [)."
            + topic_help,
        ),
        option(
            "--regex", is_flag=True, section=section, help="Take --topic as regular expressions."
        ),
        option(
            "--partitions",
            "--partition",
            "partitions",
            multiple=True,
            metavar="N,N",
            section=section,
            help="Only the partitions N of each topic; several by comma or by repeating.",
        ),
    )


def partition_numbers(options: Mapping[str, Any]) -> frozenset[int] | None:
    """Return what --partitions names; None for all.

    Raises:
        UsageError: what is no number.
    """
    from kadmin.arguments.moments import parse_numbers

    texts = options["partitions"]
    return parse_numbers(",".join(texts)) if texts else None
