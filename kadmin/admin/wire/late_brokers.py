"""Brokers beside a session of ZooKeeper, connected only if they are asked.

Their answers are optional: whatever prevents them yields None and no error.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from kadmin.errors import KadminError

if TYPE_CHECKING:
    from kadmin.admin.wire.connection import WireConnection

PATIENCE_S: Final = 3.0
"""So long brokers are waited for."""

PAUSE_S: Final = 30.0
"""So long they are not asked again that have not answered."""

Port = TypeVar("Port")
Answer = TypeVar("Answer")


class LateBrokers(Generic[Port]):
    """A connection that is opened by *connect* when it is asked first; to be closed.

    *port* makes of it what is asked.  *reason* is why the last one did not answer.
    """

    def __init__(
        self,
        connect: "Callable[[], AbstractContextManager[WireConnection]]",
        port: "Callable[[WireConnection], Port]",
    ) -> None:
        self.connect = connect
        self.port = port
        self.opened: Port | None = None
        self.stack = ExitStack()
        self.silent_until_s = float("-inf")
        self.reason = ""

    def ask(self, question: Callable[[Port], Answer]) -> Answer | None:
        if time.monotonic() < self.silent_until_s:
            return None
        # kafka-python is large, and most commands need it for nothing.
        from kafka.errors import KafkaError

        try:
            if self.opened is None:
                self.opened = self.port(self.stack.enter_context(self.connect()))
            return question(self.opened)
        except (KadminError, KafkaError) as error:
            self.reason = error.message if isinstance(error, KadminError) else str(error)
            self.silent_until_s = time.monotonic() + PAUSE_S
            self.close()
            return None

    def close(self) -> None:
        self.opened = None
        self.stack.close()
