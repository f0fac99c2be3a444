"""Four-letter words: what does a ZooKeeper answer to one?

They need no session.  Knows no word's meaning, and starts no server.
"""

import socket
import ssl


def say(
    word: str, address: str, port: int, *, timeout_s: float, tls: ssl.SSLContext | None = None
) -> str:
    """What the server at *port* of *address* answers to *word*; empty when it hangs up.

    *timeout_s* is for the connection and for each part of the answer.

    Raises:
        OSError: nobody listens there, or nobody answers in time; an ssl.SSLError is one, too.
    """
    answer = b""
    with socket.create_connection((address, port), timeout=timeout_s) as plain:
        connection = plain if tls is None else tls.wrap_socket(plain, server_hostname=address)
        with connection:
            connection.sendall(word.encode("ascii"))
            while part := connection.recv(4096):
                answer += part
    return answer.decode("utf-8", errors="replace")
