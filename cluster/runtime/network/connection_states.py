"""The states of a connection, and which may follow which.

Muting is no state: it follows when bytes arrive in a state that does not receive.

Source: the ChannelMuteState and ChannelState of Kafka's KafkaChannel, as far as one request at a
time needs them; `AWAITING_MEMORY` is a channel that is muted for its MemoryPool.
"""

from enum import StrEnum
from typing import Final


class ConnectionState(StrEnum):
    RECEIVING = "Receiving"
    """The connection waits for the next request, or has a part of it."""
    AWAITING_MEMORY = "AwaitingMemory"
    """A large request has begun, and the memory pool is used up."""
    HANDLING = "Handling"
    """A request was handed over, and its answer is pending."""
    SENDING = "Sending"
    """Answers wait for the peer to receive them, and its next request waits for that."""
    HANDLING_AND_SENDING = "HandlingAndSending"
    """A request was handed over while earlier answers wait for the peer to receive them."""
    CLOSED = "Closed"
    """It is closed."""


CONNECTION_VALID_PREVIOUS: Final = {
    ConnectionState.RECEIVING: frozenset(
        {ConnectionState.HANDLING, ConnectionState.SENDING, ConnectionState.AWAITING_MEMORY}
    ),
    ConnectionState.AWAITING_MEMORY: frozenset({ConnectionState.RECEIVING}),
    ConnectionState.HANDLING: frozenset(
        {ConnectionState.RECEIVING, ConnectionState.HANDLING_AND_SENDING}
    ),
    ConnectionState.SENDING: frozenset(
        {
            ConnectionState.RECEIVING,
            ConnectionState.AWAITING_MEMORY,
            ConnectionState.HANDLING_AND_SENDING,
        }
    ),
    ConnectionState.HANDLING_AND_SENDING: frozenset({ConnectionState.HANDLING}),
    ConnectionState.CLOSED: frozenset(ConnectionState) - {ConnectionState.CLOSED},
}
"""For each state, those from which it may be entered; a connection begins as RECEIVING."""

assert CONNECTION_VALID_PREVIOUS.keys() == set(ConnectionState)
