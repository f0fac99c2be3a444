"""Are throttles read of topics and brokers in one, and does a dead broker cost only its own?"""

from types import SimpleNamespace
from typing import Any

from kafka.protocol.admin import DescribeConfigsResponse

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.outcome import Committed
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.wire_throttles import WireThrottles
from kadmin.plan.config_plan import ConfigPlan
from kadmin.settings.brokers import BrokerSettings

T, GONE = (ConfigEntity(Entity(EntityKind.TOPICS, name)) for name in ("t", "gone"))
ONE, TWO, DEAD = (ConfigEntity(Entity(EntityKind.BROKERS, name)) for name in ("1", "2", "3"))
ALL = ConfigEntity(Entity(EntityKind.BROKERS, None))
RATE, REPLICAS = "leader.replication.throttled.rate", "leader.replication.throttled.replicas"
OWN_OF_TOPIC, OWN_OF_BROKER, OF_ALL_BROKERS = 1, 2, 3


class Brokers(WireConnection):
    """Brokers 1 and 2, and a topic; broker 2 has no config of its own."""

    def __init__(self) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=1))
        self.rate = "5"
        self.lagging = 0

    def serves(self, request: type) -> bool:
        return True

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        return {"brokers": [{"node_id": 1}, {"node_id": 2}]}

    def send(self, request: Any, broker: int | None = None, limit_s: float | None = None) -> Any:
        self.rate = "7"
        self.lagging = 3
        result = SimpleNamespace(error_code=0, error_message=None)
        return SimpleNamespace(responses=[result])

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        self.lagging = max(0, self.lagging - 1)
        result = DescribeConfigsResponse.DescribeConfigsResult
        config = result.DescribeConfigsResourceResult
        values = {
            "t": (0, [(REPLICAS, "0:1", OWN_OF_TOPIC)]),
            "gone": (3, []),
            "1": (0, [(RATE, "5" if self.lagging else self.rate, OWN_OF_BROKER)]),
            "2": (0, [(RATE, "9223372036854775807", 5)]),
            "": (0, [(RATE, "11", OF_ALL_BROKERS)]),
        }
        asked = [name for _, name, _ in request.resources]
        assert broker is None or [str(broker)] == asked
        return DescribeConfigsResponse(
            results=[
                result(
                    error_code=values[name][0],
                    resource_name=name,
                    configs=[
                        config(name=key, value=value, config_source=source, synonyms=[])
                        for key, value, source in values[name][1]
                    ],
                )
                for name in asked
            ]
        )


def refuse(line: str) -> None:
    raise AssertionError(line)


def test_topics_and_brokers_are_read_together_and_what_is_gone_is_left_out() -> None:
    configs, faults = WireThrottles(Brokers(), refuse).read([ONE, T, GONE, TWO, DEAD, ALL])

    assert [
        (ONE, ConfigOverrides(values={RATE: "5"})),
        (T, ConfigOverrides(values={REPLICAS: "0:1"})),
        (TWO, ConfigOverrides(values={})),
        (ALL, ConfigOverrides(values={RATE: "11"})),
    ] == list(configs.items())
    assert [
        (subjects.config(DEAD), "brokers '3': it is not alive, and only it can show its configs")
    ] == [(fault.subject, str(fault)) for fault in faults]


def test_what_is_written_is_told_from_then_on() -> None:
    """A broker hears of its own configs a moment after it has taken them."""
    throttles = WireThrottles(Brokers(), refuse)
    before, after = ConfigOverrides(values={RATE: "5"}), ConfigOverrides(values={RATE: "7"})

    outcome = throttles.write(throttles.fence(), ConfigPlan(entity=ONE, before=before, after=after))

    assert Committed() == outcome
    assert {ONE: after} == throttles.read([ONE])[0]
