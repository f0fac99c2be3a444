"""What do tests need of a pretended controller: a registration, answers to brokers that stop?"""

from math import inf

from cluster.api.api_versions import advertised
from cluster.broker.handling import Peer, Reply
from cluster.model.broker import Endpoint
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper.registration import registration
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.api_versions import ApiVersionsResponse
from cluster.wire.messages.controlled_shutdown import (
    ControlledShutdownResponse,
    RemainingPartition,
)
from cluster.zk.brokers import encode_broker
from tests.support.serving import SERVED
from tests.support.zookeeper import client_of


class Controller:
    """Answers ControlledShutdown: to the first *kept_times* requests that a leadership remains."""

    def __init__(self, kept_times: float = inf) -> None:
        self.kept_times = kept_times
        self.asked: list[RequestFrame] = []

    def __call__(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        if request.api_key is ApiKey.API_VERSIONS:
            reply(ApiVersionsResponse(api_keys=advertised(SERVED)))
            return
        self.asked.append(request)
        is_kept = len(self.asked) <= self.kept_times
        remaining = [RemainingPartition("orders", 0)] if is_kept else []
        reply(ControlledShutdownResponse(ErrorCode.NONE, remaining))


def be_controller(connect: str, port: int) -> None:
    """Register a controller that listens at *port*, for good."""
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="127.0.0.1", port=port
    )
    with client_of(connect) as zookeeper:
        broker = registration(BrokerId(9), [endpoint], None, 0)
        zookeeper.create("/brokers/ids/9", encode_broker(broker))
        zookeeper.ensure_path("/controller")
        zookeeper.set("/controller", b'{"version":1,"brokerid":9,"timestamp":"1"}')
