"""The states of a connection, and which may come after which.

Whether the peer is mute is none of them: that follows when bytes come in a state that takes none.

Source: the ChannelMuteState and ChannelState of Kafka's KafkaChannel, as far as one request at a
time needs them; `AWAITING_MEMORY` is a channel that is muted for its MemoryPool.
"""

from enum import StrEnum
from typing import Final


class ConnectionState(StrEnum):
    RECEIVING = "Receiving"
    """The next request is awaited, or has come in part."""
    AWAITING_MEMORY = "AwaitingMemory"
    """A large request has begun, and the memory pool is used up."""
    HANDLING = "Handling"
    """A request was handed over, and its answer is awaited."""
    SENDING = "Sending"
    """Answers wait for the peer to take them, and its next request waits for that."""
    HANDLING_AND_SENDING = "HandlingAndSending"
    """A request was handed over while answers to earlier ones wait for the peer to take them."""
    CLOSED = "Closed"
    """It is over."""


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
