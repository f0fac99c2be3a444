"""One network of links that can be cut, for who gets no namespaces.

Each broker reaches each ZooKeeper by a link of its own, but is reached by all other brokers over
one: where the way between two brokers is cut, so are those of the others to the same broker.  There
is none between ZooKeepers, and none to clients.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from kadmin.local.ports import free_ports
from kadmin.local.zookeeper_config import Member
from tests.faults.links import Cut, Links
from tests.faults.network import Node, Way, broker, zookeeper

LOOPBACK: Final = "127.0.0.1"


class LinkedNetwork:
    """All nodes on the loopback."""

    def __init__(self, broker_ids: Sequence[int], zookeepers: Sequence[int]) -> None:
        self._links = Links()
        ports = iter(free_ports(3 * len(zookeepers) + 2 * len(broker_ids), LOOPBACK))
        self._members = {
            number: Member(
                id=number, port=next(ports), quorum_port=next(ports), election_port=next(ports)
            )
            for number in zookeepers
        }
        self._client_ports = {broker_id: next(ports) for broker_id in broker_ids}
        self._peer_ports = {broker_id: next(ports) for broker_id in broker_ids}
        self._to_brokers = {
            broker(broker_id): self._links.to(port) for broker_id, port in self._peer_ports.items()
        }
        self._to_zookeepers = {
            (broker(broker_id), zookeeper(member.id)): self._links.to(member.port)
            for broker_id in broker_ids
            for member in self._members.values()
        }
        self._cut: set[Way] = set()

    @contextmanager
    def inside(self, node: Node) -> Iterator[None]:
        yield

    def member(self, number: int) -> Member:
        return self._members[number]

    def zookeeper_address(self, number: int) -> str:
        return LOOPBACK

    def zookeeper_config(self) -> Mapping[str, str]:
        return {}

    def listeners(self, broker_id: int) -> Mapping[str, str]:
        clients, peers = self._client_ports[broker_id], self._peer_ports[broker_id]
        link = self._to_brokers[broker(broker_id)].port
        return {
            "listeners": f"PLAINTEXT://{LOOPBACK}:{clients},PEERS://{LOOPBACK}:{peers}",
            "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{clients},PEERS://{LOOPBACK}:{link}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PEERS:PLAINTEXT",
            "inter.broker.listener.name": "PEERS",
        }

    def zookeeper_connect(self, broker_id: int) -> str:
        node = broker(broker_id)
        links = [link for (source, _), link in self._to_zookeepers.items() if source == node]
        return ",".join(f"{LOOPBACK}:{link.port}" for link in links)

    def bootstrap(self, broker_id: int) -> str:
        return f"{LOOPBACK}:{self._client_ports[broker_id]}"

    def cut(self, ways: Iterable[Way]) -> None:
        self._cut.update(ways)
        for (source, target), link in self._to_zookeepers.items():
            link.cut = self._cut_of([(source, target)], [(target, source)])
        for node, link in self._to_brokers.items():
            others = [other for other in self._to_brokers if other != node]
            there = [(other, node) for other in others]
            link.cut = self._cut_of(there, [(node, other) for other in others])

    def _cut_of(self, there: Iterable[Way], back: Iterable[Way]) -> Cut:
        requests = not self._cut.isdisjoint(there)
        answers = not self._cut.isdisjoint(back)
        if requests and answers:
            return Cut.WHOLE
        return Cut.REQUESTS if requests else Cut.ANSWERS if answers else Cut.NONE

    def heal(self) -> None:
        self._cut.clear()
        self.cut(())

    def close(self) -> None:
        self._links.close()
