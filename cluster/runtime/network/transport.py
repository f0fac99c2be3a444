"""The port between a connection and what carries its bytes: plain TCP, or TLS over it.

File slices are passed to it as such, so that plain TCP has the kernel send them and TLS may read
and encrypt them.  No method blocks: where nothing can be done now, it raises BlockingIOError.
Every other OSError means that the connection is lost.

Source: Kafka's TransportLayer.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from cluster.broker.handling import Peer

Buffer: TypeAlias = bytes | bytearray | memoryview


class Transport(Protocol):
    """One connected peer."""

    @property
    def peer(self) -> Peer:
        """The peer; the result of authentication is there before the first bytes are."""
        ...

    def receive_into(self, buffer: memoryview, /) -> int:
        """Receive into *buffer*, and return how much arrived; 0 at the end of the stream.

        Less than the size of *buffer* means that nothing else is there now.
        """
        ...

    def has_ended(self) -> bool:
        """Whether the end of the stream comes next; consumes no bytes."""
        ...

    def send(self, buffer: Buffer, /) -> int:
        """Send what can be sent of *buffer* now, and return how much.

        After a BlockingIOError the same bytes are passed again, possibly with more behind them.
        """
        ...

    def send_gathered(self, buffers: Sequence[Buffer], *, has_more: bool) -> int:
        """Send several buffers as one; with *has_more* a file slice follows at once."""
        ...

    def send_file(self, descriptor: int, position: int, size: int) -> int:
        """Send a part of an open file; 0 where the file ends at *position* or before."""
        ...

    def on_readable(self, call: Callable[[], None] | None) -> None:
        """Call *call* whenever there are bytes to receive, or mute the peer with None.

        Bytes that arrived and were not received are reported again after the peer was muted.
        """
        ...

    def on_writable(self, call: Callable[[], None] | None) -> None:
        """Call *call* whenever bytes can be sent, until None is passed."""
        ...

    def close(self) -> None:
        """Close the connection, dropping what is not sent; nothing is called any more."""
        ...
