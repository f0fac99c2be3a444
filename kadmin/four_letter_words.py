"""Four-letter words: what does a ZooKeeper answer to one?

They need no session.  Knows no word's meaning, and starts no server.
"""

import socket


def say(word: str, address: str, port: int, *, timeout_s: float) -> str:
    """Return the answer of the server at *port* of *address* to *word*; empty when it hangs up.

    *timeout_s* is for the connection and for each part of the answer.

    Raises:
        OSError: no server listens there, or none answers in time.
    """
    with socket.create_connection((address, port), timeout=timeout_s) as connection:
        return answer_to(word, connection)


def answer_to(word: str, connection: socket.socket) -> str:
    """Return the answer to *word* on *connection*, which has no other use then.

    Raises:
        OSError: no answer arrives in the connection's time.
    """
    answer = b""
    connection.sendall(word.encode("ascii"))
    while part := connection.recv(4096):
        answer += part
    return answer.decode("utf-8", errors="replace")
