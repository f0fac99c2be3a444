"""The port between a connection and what carries its bytes: plain TCP, or TLS over it.

File slices go through it as such, so that plain TCP has the kernel send them and TLS may read and
encrypt them.  No method waits: where nothing can be done now, it raises BlockingIOError.  Every
other OSError means that the connection is lost.

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
        """Who is connected; what authentication finds out is there before the first bytes are."""
        ...

    def receive_into(self, buffer: memoryview, /) -> int:
        """Receive into *buffer*, and return how much came; 0 at the end of the stream.

        Less than *buffer* takes means that nothing else is there now.
        """
        ...

    def has_ended(self) -> bool:
        """Whether the end of the stream is what comes next; takes nothing of what else there is."""
        ...

    def send(self, buffer: Buffer, /) -> int:
        """Send what can be sent of *buffer* now, and return how much.

        After a BlockingIOError the same bytes are offered again, possibly with more behind them.
        """
        ...

    def send_gathered(self, buffers: Sequence[Buffer], *, has_more: bool) -> int:
        """Send several buffers as one; *has_more* says that a file slice follows at once."""
        ...

    def send_file(self, descriptor: int, position: int, size: int) -> int:
        """Send a part of an open file; 0 where the file ends at *position* or before."""
        ...

    def on_readable(self, call: Callable[[], None] | None) -> None:
        """Call *call* whenever there is something to receive, or mute the peer with None.

        What came and was not received is told of again after the peer was mute.
        """
        ...

    def on_writable(self, call: Callable[[], None] | None) -> None:
        """Call *call* whenever something can be sent, until None is given."""
        ...

    def close(self) -> None:
        """End the connection without waiting for what is not sent; nothing is called any more."""
        ...
