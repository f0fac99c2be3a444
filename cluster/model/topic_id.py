"""Topic ids: as 16 bytes in the protocol and as 22 characters in znodes and files."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

NO_TOPIC_ID: Final = bytes(16)
"""The value in the protocol for a topic without an id, as in clusters older than 2.8."""

UUID_TEXT: Final = re.compile(r"[A-Za-z0-9_-]{22}(==)?")


def topic_id_text(topic_id: bytes) -> str:
    """The 22 characters for 16 bytes; `AAAAAAAAAAAAAAAAAAAAAA` for no id."""
    assert len(topic_id) == 16
    return urlsafe_b64encode(topic_id)[:22].decode()


def topic_id_bytes(text: str) -> bytes:
    """The 16 bytes for 22 characters; a ValueError for other text."""
    try:
        topic_id = urlsafe_b64decode(text + "==")
    except ValueError:
        topic_id = b""
    # Decoding skips unknown characters, so the result is encoded again and compared.
    if len(topic_id) != len(NO_TOPIC_ID) or topic_id_text(topic_id) != text:
        raise ValueError(f"not a topic id: {text!r}")
    return topic_id


def read_by_kafka(text: str) -> bytes | None:
    """Return the 16 bytes for which Kafka takes *text*, of a znode or a file; None where it takes
    it for no topic id.  The last bits, which are none of the 16 bytes, may be any.

    Source: Kafka's Uuid.fromString.
    """
    return urlsafe_b64decode(f"{text[:22]}==") if UUID_TEXT.fullmatch(text) else None
