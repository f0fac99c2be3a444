"""The instructions that a broker takes for one small request, counted by valgrind.

    python -m bench.instructions [requests] [offsets]

From the call for a readable socket to the answer in it: a produce request of one record of 100
bytes with acks=1, or an OffsetCommit request of so many offsets; in process and on a real file.
What else the machine does changes nothing, so a change of one percent shows; the kernel's part is
not counted.  Needs valgrind, and a Python with symbols.
"""

import contextvars
import gc
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, cast

from bench.groups import commit_request
from cluster.api.dispatch import ELEMENTS_MAX, SERVED
from cluster.api.flat_paths import flat_paths
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.handling import Peer
from cluster.broker.ports import ApiSettings
from cluster.metrics.registry import MetricsRegistry
from cluster.metrics.reservoirs import PENDING_MAX
from cluster.model.ids import OFFSETS_TOPIC
from cluster.runtime.disk.files import Disk
from cluster.runtime.moment import Moment
from cluster.runtime.network.connection import Connection
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.plaintext_transport import PlaintextTransport
from cluster.runtime.network.request_metrics import RequestMetrics
from cluster.runtime.network.service import Service
from cluster.runtime.network.turns import Turns
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import encode_request
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.cluster.api.world import World
from tests.cluster.storage.batches import batch

WARM_UP: Final = 2 * PENDING_MAX
EARLIER: Final = 400 * PENDING_MAX
"""How many requests the metrics know already: a sample takes most of the first ones, and one in
hundreds later."""
MEASURED: Final = "context_run"
"""The function of CPython within which instructions count: nothing else here calls it."""
TOPIC: Final = "bench-0"


class Readers:
    """As much of an event loop as a connection needs: what it calls when a socket is readable."""

    def __init__(self) -> None:
        self.calls: dict[int, Callable[[], object]] = {}

    def add_reader(self, connected: socket.socket, call: Callable[[], object]) -> None:
        self.calls[connected.fileno()] = call

    def remove_reader(self, connected: socket.socket) -> None:
        self.calls.pop(connected.fileno(), None)


def produce_request() -> bytes:
    records = bytes(batch([b"v" * 100], times=[time.time_ns() // 1_000_000]))
    body = ProduceRequest(
        None, 1, 30_000, [TopicProduceData(TOPIC, [PartitionProduceData(0, records)])]
    )
    return b"".join(cast(list[bytes], encode_request(ApiKey.PRODUCE, 9, 7, "bench", body)))


def send(requests: int, offsets: int, directory: str) -> None:
    """Send *requests*, one after the other, to a broker with its logs in *directory*: commits of
    *offsets*, or without any produce requests.
    """
    settings, disk = ApiSettings(configs=BrokerConfigs({})), cast(Any, Disk())
    world = World(settings, disk=disk, directories=(directory,))
    world.lead(TOPIC, partitions=max(1, offsets))
    if offsets:
        world.lead(OFFSETS_TOPIC)
        world.settle()
    broker, readers, later = world.broker, Readers(), list[Callable[[], object]]()
    moment = Moment()
    metrics = RequestMetrics(
        MetricsRegistry(monotonic_ns=time.monotonic_ns, random=Random(7).random)
    )
    service = Service(
        handler=world.dispatch.handle,
        served=SERVED,
        refuse_version=lambda error: None,
        elements_max=ELEMENTS_MAX,
        memory=MemoryPool(100_000_000, -1),
        turns=Turns(later.append, time.perf_counter_ns),
        metrics=metrics,
        call_soon=later.append,
        now_ns=time.perf_counter_ns,
        moment=moment,
        flat_paths=flat_paths(broker, metrics.count_errors),
    )
    kind = metrics.kind(ApiKey.OFFSET_COMMIT if offsets else ApiKey.PRODUCE)
    for number in range(EARLIER):
        kind.reservoir.add((20_000 + number % 1000, 20_000, 0, 0, 200, 9))
    client, connected = socket.socketpair()
    connected.setblocking(False)
    transport = PlaintextTransport(cast(Any, readers), connected, Peer("127.0.0.1", 1, "PLAINTEXT"))
    Connection(service, transport, lambda connection, reason: None)
    request = commit_request("group", TOPIC, offsets) if offsets else produce_request()
    context = contextvars.copy_context()
    gc.freeze()
    for number in range(WARM_UP + requests):
        client.send(request)
        readable = readers.calls[connected.fileno()]
        moment.ns = time.perf_counter_ns()
        if number < WARM_UP:
            readable()
        else:
            context.run(readable)
        assert len(client.recv(4096)) > 4, "it is answered at once"


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 2 * PENDING_MAX
    offsets = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as directory:
        if "BENCH_SENDS" in os.environ:
            send(requests, offsets, directory)
            return
        command = (
            *("valgrind", "--tool=callgrind", f"--toggle-collect={MEASURED}"),
            f"--callgrind-out-file={Path(directory) / 'callgrind'}",
            *(sys.executable, "-m", "bench.instructions", str(requests), str(offsets)),
        )
        environment = {**os.environ, "BENCH_SENDS": "1", "PYTHONHASHSEED": "0"}
        done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise SystemExit(done.stderr)
    print(f"{int(found[1]) / requests:,.0f} instructions a request")


if __name__ == "__main__":
    main()
