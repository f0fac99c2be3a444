"""Configs of brokers over the wire: which of those that do not answer are none of the cluster?

Brokers that answer in earnest are asked in `tests/kadmin/cli/configs/test_by_wire.py`.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import ALL_BROKERS
from kadmin.admin.wire.wire_configs import BrokerNotAlive, WireConfigs
from kadmin.errors import KadminError
from kadmin.plan.broker_names import NoSuchBroker
from kadmin.settings.brokers import BrokerSettings
from tests.kadmin.builders import ids

DENIED = 29


class Brokers(WireConnection):
    """Broker 1, with a replica of "t", whose other one is on broker 2."""

    def __init__(self) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        partition = {
            "partition_index": 0,
            "leader_id": 1,
            "leader_epoch": 0,
            "replica_nodes": [1, 2],
            "isr_nodes": [1],
            "offline_replicas": [2],
        }
        return {
            "brokers": [{"node_id": 1}],
            "controller_id": 1,
            "topics": [
                {"name": "t", "error_code": 0, "partitions": [partition]},
                {"name": "u", "error_code": DENIED, "partitions": []},
            ],
        }


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (["1"], None),
        ([ALL_BROKERS], None),
        (["1", "2"], BrokerNotAlive("2")),
        (["99"], NoSuchBroker(ids("99"), ids("1,2"))),
        (["2", "99", "1", "98"], NoSuchBroker(ids("98,99"), ids("1,2"))),
    ],
)
def test_a_broker_that_no_partition_names_is_none_of_the_cluster(
    names: list[str], refused: KadminError | None
) -> None:
    admin = WireConfigs(Brokers(), lambda _text: None)

    if refused is None:
        admin.require_alive(names)
        return
    with pytest.raises(type(refused)) as raised:
        admin.require_alive(names)
    assert (refused.message, refused.hint) == (raised.value.message, raised.value.hint)
