"""The mark of a clean shutdown in a log directory, as Kafka's brokers write and read it."""

import json
from contextlib import suppress
from typing import Final

from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerEpoch
from cluster.storage.files import Files, read_whole, replace_whole

CLEAN_MARK: Final = ".kafka_cleanshutdown"
INTACT_SINCE: Final = "intactSince"
"""A field of this project in the mark's JSON, of which Kafka reads only the broker epoch."""


def intact_since_in_mark(files: Files, directory: str) -> BrokerEpoch:
    """Return the registration since which *directory* is intact by its mark; UNKNOWN_BROKER_EPOCH
    without a mark, and by Kafka's."""
    content = read_whole(files, f"{directory}/{CLEAN_MARK}")
    with suppress(ValueError):
        mark = json.loads(content or b"{}")
        since = mark.get(INTACT_SINCE) if isinstance(mark, dict) else None
        if type(since) is int:
            return BrokerEpoch(since)
    return UNKNOWN_BROKER_EPOCH


def write_clean_mark(files: Files, directory: str, broker_epoch: int, intact_since: int) -> None:
    """Write the mark, durably.

    Raises:
        OSError: the disk failed.
    """
    mark = {"version": 0, "brokerEpoch": broker_epoch}
    if intact_since != UNKNOWN_BROKER_EPOCH:
        mark[INTACT_SINCE] = intact_since
    content = json.dumps(mark, separators=(",", ":")).encode("ascii")
    replace_whole(files, directory, CLEAN_MARK, content)
