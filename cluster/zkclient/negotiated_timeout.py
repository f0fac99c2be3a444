"""The session timeout that a server has granted, which kazoo does not keep."""

from collections.abc import Callable
from typing import Any


class NegotiatedTimeout:
    """Reads the timeout of each session of a kazoo client as it begins.

    Of a session that had begun before, the timeout is the requested one: a server grants less only
    to clients that ask for more than its `maxSessionTimeout`.
    """

    def __init__(self, client: Any) -> None:
        self.ms: int = client._session_timeout
        invoke = client._connection._invoke

        def invoke_and_note(*arguments: Any, **words: Any) -> Any:
            result = invoke(*arguments, **words)
            # The answer to a connect comes with the transaction that the server has seen.
            if isinstance(result, tuple) and getattr(result[0], "time_out", 0) > 0:
                self.ms = result[0].time_out
            return result

        client._connection._invoke = invoke_and_note


def negotiated_timeout(client: Any) -> Callable[[], int]:
    """Return what returns the timeout of *client*'s present session in ms.

    Best called before the client starts.
    """
    found = getattr(client, "_negotiated_timeout", None)
    if found is None:
        found = client._negotiated_timeout = NegotiatedTimeout(client)
    noted: NegotiatedTimeout = found
    return lambda: noted.ms
