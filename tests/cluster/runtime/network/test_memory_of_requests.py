"""The memory of requests that are being received: who holds it for long makes room for others."""

import pytest

from cluster.wire.api_keys import ApiKey
from tests.cluster.runtime.network.test_socket_server import Answering, ask, produce
from tests.support.serving import request_bytes, serving
from tests.support.waiting import wait_until

pytestmark = pytest.mark.sockets

RECEIVING_NS_MAX = 20_000_000


def test_who_holds_memory_for_long_makes_room_for_those_who_wait(
    caplog: pytest.LogCaptureFixture,
) -> None:
    large = request_bytes(ApiKey.PRODUCE, 8, 1, produce(400_000))
    answering = Answering()
    moments = [0]
    with (
        serving(
            answering,
            queued_size_max=300_000,
            receiving_ns_max=RECEIVING_NS_MAX,
            now_ns=lambda: moments[-1],
        ) as running,
        running.client() as slow,
        running.client() as waiting,
    ):
        slow.socket.sendall(large[:200_000])
        wait_until(lambda: running.call(lambda: running.memory.is_full), what="memory")
        # Nobody waits: as long as that is so, it may take its time.
        moments.append(2 * RECEIVING_NS_MAX)
        running.let_pass(2 * RECEIVING_NS_MAX / 1e9)
        assert 2 == running.call(lambda: running.server.connection_count)
        waiting.socket.sendall(large)
        assert ask(waiting, "after") == "after"

        assert slow.is_closed()
        assert running.call(lambda: running.memory.allocated_bytes) == 0
    assert 1 == len(answering.produced)
    assert "its request is not whole after 20 ms" in caplog.text
