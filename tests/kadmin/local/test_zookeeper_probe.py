"""Is a ZooKeeper on a busy machine taken for none?"""

import socket
from threading import Thread

import pytest

from kadmin.local.zookeeper_probe import Answer, ask

pytestmark = pytest.mark.sockets


@pytest.mark.parametrize(("mode", "is_serving"), [("follower", True), ("read-only", False)])
def test_a_server_that_is_late_is_asked_again(mode: str, is_serving: bool) -> None:
    """One that accepts and is silent, then answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer_the_third() -> None:
            for _ in range(2):
                silent.append(listener.accept()[0])
            with listener.accept()[0] as connection:
                connection.recv(4)
                connection.sendall(f"Zookeeper version: 3.8\nMode: {mode}\n".encode())

        silent: list[socket.socket] = []
        late = Thread(target=answer_the_third)
        late.start()
        found = ask("127.0.0.1", listener.getsockname()[1])
        late.join()
        for each in silent:
            each.close()

    assert Answer(is_serving=is_serving, mode=mode) == found


def test_where_no_server_listens_none_is_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    assert ask("127.0.0.1", port) is None
