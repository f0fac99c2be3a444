"""The topics that a consumer subscribes to, from its metadata in the protocol `consumer`.

Every version begins as version 0 does, and later ones will: the rest is the members' business.

Source: Kafka's ConsumerProtocol.
"""

from typing import Final

CONSUMER: Final = "consumer"
"""The protocol type of consumers."""


def topics_of(metadata: bytes) -> frozenset[str] | None:
    """Return the topics in a subscription; None where *metadata* is none."""
    # version int16, then the topics: a count int32, each a length int16 and UTF-8.
    count = int.from_bytes(metadata[2:6], "big", signed=True)
    at = 6
    topics = set()
    for _ in range(count):
        begin = at + 2
        at = begin + int.from_bytes(metadata[at:begin], "big", signed=True)
        if not begin <= at <= len(metadata):
            return None
        try:
            topics.add(metadata[begin:at].decode())
        except UnicodeDecodeError:
            return None
    return frozenset(topics) if count >= 0 and at <= len(metadata) else None
