"""ControlledShutdown, which the controller answers."""

import pytest

from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.controlled_shutdown import ControlledShutdownRequest
from tests.cluster.api.orders import ORDERS_0
from tests.cluster.api.world import World, versions


@pytest.mark.parametrize("version", versions(ApiKey.CONTROLLED_SHUTDOWN))
def test_the_controller_says_whether_a_broker_may_stop(world: World, version: int):
    world.controller.reply = ControlledShutdownReply(ErrorCode.NONE, (ORDERS_0,))

    body = world.ask_now(ApiKey.CONTROLLED_SHUTDOWN, ControlledShutdownRequest(2, 77), version)

    expected = ControlledShutdown(BrokerId(2), BrokerEpoch(77 if version >= 2 else -1))
    assert [expected] == world.controller.requests
    assert (ErrorCode.NONE, [("orders", 0)]) == (
        body.error_code,
        list(map(tuple, body.remaining_partitions)),
    )
