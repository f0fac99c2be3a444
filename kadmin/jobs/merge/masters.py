"""Is a Spark master there?

Asks only whether its port takes connections.
"""

import socket
from typing import Final

from kadmin.errors import UnreachableError

CONNECT_TIMEOUT_S: Final = 5.0


def check_master(master: str) -> None:
    """See that somebody listens at a standalone master's address, which Spark tries for minutes.

    Raises:
        UnreachableError: nobody does.
    """
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), CONNECT_TIMEOUT_S):
                return
        except (OSError, ValueError, OverflowError) as error:
            reasons.append(f"{address}: {getattr(error, 'strerror', None) or error}".lower())
    raise UnreachableError(
        f"the Spark master {master} does not answer ({'; '.join(reasons)})",
        hint="see whether it runs there, or merge on this machine with --master 'local[*]'",
    )
