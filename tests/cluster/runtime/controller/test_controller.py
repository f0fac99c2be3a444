"""The controller of real brokers over a real ZooKeeper: topics come and go, and processes die."""

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from kafka import KafkaAdminClient
from kazoo.exceptions import BadVersionError
from kazoo.protocol.states import KazooState

from cluster.controller.active_controller import ActiveController
from cluster.controller.events import BrokersChanged, TopicsChanged
from cluster.model.admin import PartitionList
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import RECOVERING
from cluster.runtime.broker import read_properties
from cluster.runtime.controller.controller import Controller
from cluster.runtime.process import BrokerProcess
from cluster.settings.broker_settings import BrokerSettings
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from cluster.wire.messages.producers import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from cluster.zk import paths
from cluster.zk.admin import encode_preferred_election
from cluster.zk.topics import encode_state
from kadmin.errors import ExitCode
from kadmin.execute import waiting
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.support.brokers import running_broker, write_properties
from tests.support.cli import done, kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.quick_time import QuickTime
from tests.support.waiting import until, wait_until
from tests.support.zookeeper import client_of

pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("controller"),
]

PREFERRED: Final = 0
UNCLEAN: Final = 1
"""Kafka's numbers of the types of elections."""

RECORDS = [Sent(b"%d" % number) for number in range(50)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


@pytest.fixture
def fleet(shared: Fleet) -> Iterator[Fleet]:
    """Three brokers that run; what a test killed runs again afterwards."""
    yield shared
    missing = [one for one in shared.broker_ids if one not in shared.brokers]
    shared.start(*missing)
    wait_until(lambda: shared.controller() is not None, what="a controller")
    assert shared.misunderstood() == []


def create(fleet: Fleet, topic: str, *placement: str) -> None:
    """Make a topic through ZooKeeper; one word for each partition, as `1:2:3`."""
    done(*words_to_create(fleet, topic, *placement))


def words_to_create(fleet: Fleet, topic: str, *placement: str) -> tuple[str, ...]:
    words = ("--create", "--topic", topic, "--replica-assignment", ",".join(placement))
    return ("topics", "--zookeeper", fleet.connect, *words)


def without(fleet: Fleet, broker_id: int) -> list[int]:
    return [one for one in fleet.broker_ids if one != broker_id]


def wait_for_another_controller(fleet: Fleet, before: tuple[int, int]) -> None:
    def is_there() -> bool:
        now = fleet.controller()
        return now is not None and now[1] > before[1]

    wait_until(is_there, what="another controller")


# Topics.


def test_a_topic_made_and_enlarged_through_zookeeper_is_served(fleet: Fleet) -> None:
    create(fleet, "made", "1", "2", "3")
    fleet.wait_for_leaders("made", 3)
    words = ["--alter", "--topic", "made", "--partitions", "4"]
    done("topics", "--zookeeper", fleet.connect, *words)
    fleet.wait_for_leaders("made", 4)
    client = Confluent(fleet.bootstrap)
    for partition in range(4):
        records = [one._replace(partition=partition) for one in RECORDS]
        assert list(range(50)) == client.produce("made", records)
        assert records == [got.record for got in client.consume("made", partition, 0, 50)]


def test_a_deleted_topic_leaves_neither_znodes_nor_logs(fleet: Fleet) -> None:
    client = Confluent(fleet.bootstrap)
    client.create_topic("doomed", 3, {"retention.ms": "1000000"})
    fleet.wait_for_leaders("doomed", 3)
    client.produce("doomed", RECORDS)
    assert fleet.client.exists("/config/topics/doomed")
    done("topics", "--zookeeper", fleet.connect, "--delete", "--topic", "doomed", "--yes")

    def is_gone() -> bool:
        nodes = ("/brokers/topics/doomed", "/config/topics/doomed", "/admin/delete_topics/doomed")
        return not any(fleet.client.exists(node) for node in nodes)

    wait_until(is_gone, what="the znodes to go")
    left = [path.name for path in fleet.directory.glob("broker-*/data/doomed-*")]
    assert 3 == len(left)
    assert all(name.endswith("-delete") for name in left)
    assert [{}] * 3 == [fleet.leaders(broker, "doomed") for broker in fleet.brokers.values()]

    create(fleet, "doomed", "2")
    fleet.wait_for_leaders("doomed", 1)
    assert [0] == client.produce("doomed", RECORDS[:1])


def test_replicas_are_removed_by_the_znode_with_their_logs(fleet: Fleet) -> None:
    create(fleet, "moved", "1:2")
    fleet.wait_for_leaders("moved", 1)
    request = {"topic": "moved", "partition": 0, "replicas": [2]}

    with client_of(fleet.connect) as zookeeper:
        zookeeper.create(
            "/admin/reassign_partitions",
            json.dumps({"version": 1, "partitions": [request]}).encode(),
        )
        wait_until(
            lambda: zookeeper.exists("/admin/reassign_partitions") is None,
            what="the end of the reassignment",
        )
        data, node = zookeeper.get("/brokers/topics/moved")
        state, state_node = zookeeper.get("/brokers/topics/moved/partitions/0/state")

    topic = json.loads(data)
    assert topic["partitions"] == {"0": [2]}
    assert (topic["adding_replicas"], topic["removing_replicas"]) == ({}, {})
    # U1 and B6; B3 and B4, as the real Kafka 2.8.2 writes them.
    assert (json.loads(state)["leader"], json.loads(state)["isr"]) == (2, [2])
    assert (json.loads(state)["leader_epoch"], state_node.version) == (2, 2)
    assert node.version >= 2
    logs = {one: (fleet.brokers[one].data / "moved-0").exists() for one in fleet.broker_ids}
    assert logs == {1: False, 2: True, 3: False}


def test_a_topic_that_a_producer_asks_for_comes_into_being(fleet: Fleet) -> None:
    client = Confluent(fleet.bootstrap)
    assert [0] == client.produce("wanted", RECORDS[:1])
    fleet.wait_for_leaders("wanted", 1)


def test_the_controller_gives_each_broker_that_asks_another_block_of_producer_ids(
    fleet: Fleet,
) -> None:
    controller_id = fleet.controller_id()
    other_id = without(fleet, controller_id)[0]
    epoch = fleet.get(f"/brokers/ids/{other_id}")[1].czxid

    def ask(broker_id: int, epoch: int) -> AllocateProducerIdsResponse:
        request = AllocateProducerIdsRequest(other_id, epoch)
        with fleet.brokers[broker_id].client() as client:
            answer = client.ask(
                ApiKey.ALLOCATE_PRODUCER_IDS, 0, request, AllocateProducerIdsResponse
            )
        assert isinstance(answer, AllocateProducerIdsResponse)
        return answer

    blocks = [ask(controller_id, epoch) for _ in range(2)]

    assert [(ErrorCode.NONE, 1000)] * 2 == [(one.error_code, one.producer_id_len) for one in blocks]
    assert blocks[0].producer_id_start + 1000 == blocks[1].producer_id_start
    assert ErrorCode.STALE_BROKER_EPOCH == ask(controller_id, epoch - 1).error_code
    assert ErrorCode.NOT_CONTROLLER == ask(other_id, epoch).error_code


def test_a_damaged_topic_keeps_no_other_from_being_led(fleet: Fleet) -> None:
    fleet.client.create("/brokers/topics/damaged", b'{"version":3,"partitions":{"0":"one"}}')
    create(fleet, "sound", "1")
    fleet.wait_for_leaders("sound", 1)
    log = fleet.brokers[fleet.controller_id()].log("controller.log")
    fleet.client.delete("/brokers/topics/damaged")

    assert any("ERROR" in line and "/brokers/topics/damaged" in line for line in log.splitlines())


@pytest.mark.parametrize(("kind", "value"), [("topics", "TRUE"), ("brokers", "true")])
def test_a_leader_outside_the_isr_is_elected_as_soon_as_its_topic_or_all_brokers_allow_it(
    fleet: Fleet, kind: str, value: str
) -> None:
    last, outside = without(fleet, fleet.controller_id())
    topic = f"unclean-{kind}"
    create(fleet, topic, f"{last}:{outside}")
    fleet.wait_for_leaders(topic, 1, [last])
    fleet.stop(outside)
    fleet.stop(last)
    fleet.start(outside)
    fleet.wait_for_leaders(topic, 0)
    before = fleet.states(topic)[0]
    whose = ["--entity-default"] if kind == "brokers" else ["--entity-name", topic]
    alter = ["configs", "--zookeeper", fleet.connect, "--alter", "--entity-type", kind, *whose]
    if kind == "brokers":
        alter.append("--allow-running-brokers")
    done(*alter, "--add-config", f"unclean.leader.election.enable={value}", "--yes")
    fleet.wait_for_leaders(topic, 1, [outside])
    done(*alter, "--delete-config", "unclean.leader.election.enable")

    assert (-1, (last,)) == (before.leader, before.isr)
    assert (outside,) == fleet.states(topic)[0].isr


def with_preferred_leader_back(fleet: Fleet, topic: str) -> tuple[int, int]:
    """A topic whose preferred leader was away, and is in the ISR again; and who leads instead."""
    preferred, other = without(fleet, fleet.controller_id())
    create(fleet, topic, f"{preferred}:{other}")
    fleet.wait_for_leaders(topic, 1, [preferred])
    fleet.stop(preferred)
    fleet.wait_for_leaders(topic, 1, [other])
    fleet.start(preferred)
    path = paths.state(topic, 0)

    def is_back() -> bool:
        state = fleet.states(topic)[0]
        if preferred not in state.isr:
            whole = state._replace(isr=(*state.isr, BrokerId(preferred)))
            with suppress(BadVersionError):
                fleet.client.set(path, encode_state(whole), version=state.zk_version)
        return preferred in state.isr

    wait_until(is_back, what="the preferred leader to catch up")
    return preferred, other


def elected(fleet: Fleet, kind: int, topic: str, *partitions: int) -> dict[int, int]:
    """What a client is told of each partition."""
    admin = KafkaAdminClient(bootstrap_servers=fleet.bootstrap)
    try:
        answer = admin.elect_leaders(kind, {topic: list(partitions)}, raise_errors=False)
    finally:
        admin.close()
    return {one.partition_id: one.error_code for one in results_of(answer, topic)}


def results_of(answer: Any, topic: str) -> list[Any]:
    return [
        one
        for found in answer.replica_election_results
        for one in found.partition_result
        if found.topic == topic
    ]


def test_a_client_elects_preferred_leaders(fleet: Fleet) -> None:
    preferred, _ = with_preferred_leader_back(fleet, "chosen")
    first = elected(fleet, PREFERRED, "chosen", 0, 7)
    again = elected(fleet, PREFERRED, "chosen", 0, 7)
    with fleet.brokers[fleet.controller_id()].client() as client:
        asked = ElectLeadersRequest(PREFERRED, topic_partitions=None)
        of_all = client.ask(ApiKey.ELECT_LEADERS, 2, asked, ElectLeadersResponse)

    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert {0: ErrorCode.NONE, 7: unknown} == first
    assert {0: ErrorCode.ELECTION_NOT_NEEDED, 7: unknown} == again
    assert [] == results_of(of_all, "chosen")
    assert preferred == fleet.states("chosen")[0].leader
    fleet.wait_for_leaders("chosen", 1, [preferred])


def test_a_tool_elects_preferred_leaders_by_a_znode_that_goes_afterwards(fleet: Fleet) -> None:
    preferred, _ = with_preferred_leader_back(fleet, "asked")
    request = PartitionList(partitions=(TopicPartition("asked", 0),))
    fleet.client.create(paths.PREFERRED_ELECTION, encode_preferred_election(request))

    wait_until(
        lambda: not fleet.client.exists(paths.PREFERRED_ELECTION),
        what="the elections to be over",
    )

    assert preferred == fleet.states("asked")[0].leader
    fleet.wait_for_leaders("asked", 1, [preferred])


def test_a_client_elects_a_leader_that_lacks_records_if_it_says_so(fleet: Fleet) -> None:
    last, outside = without(fleet, fleet.controller_id())
    create(fleet, "rescued", f"{last}:{outside}")
    fleet.wait_for_leaders("rescued", 1, [last])
    fleet.stop(outside)
    fleet.stop(last)
    fleet.start(outside)
    fleet.wait_for_leaders("rescued", 0)
    assert {0: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE} == elected(fleet, PREFERRED, "rescued", 0)
    assert {0: ErrorCode.NONE} == elected(fleet, UNCLEAN, "rescued", 0)
    state = fleet.states("rescued")[0]
    assert (outside, (outside,), RECOVERING) == (
        state.leader,
        state.isr,
        state.leader_recovery_state,
    )


# Brokers.


def test_the_controller_and_the_leaderships_pass_on_when_the_controller_is_killed(
    fleet: Fleet,
) -> None:
    before = fleet.active_controller()
    victim = before[0]
    others = without(fleet, victim)
    create(fleet, "passed", f"{victim}:{others[0]}:{others[1]}")
    fleet.wait_for_leaders("passed", 1, [victim])
    fleet.lose(victim)
    wait_for_another_controller(fleet, before)
    fleet.wait_for_leaders("passed", 1, others)
    (state,) = fleet.states("passed").values()

    assert state.leader_epoch > 0
    assert before[1] + 1 == state.controller_epoch
    assert set(others) == set(state.isr)


def test_a_killed_broker_has_its_partitions_and_records_again_when_it_starts(fleet: Fleet) -> None:
    controller = fleet.controller_id()
    victim = without(fleet, controller)[0]
    create(fleet, "kept", str(victim))
    fleet.wait_for_leaders("kept", 1)
    client = Confluent(fleet.bootstrap)
    client.produce("kept", RECORDS)
    fleet.lose(victim)
    wait_until(lambda: fleet.states("kept")[0].leader == -1, what="the loss of a leader")
    fleet.start(victim)
    fleet.wait_for_leaders("kept", 1, [victim])
    client = Confluent(fleet.bootstrap)

    assert RECORDS == [got.record for got in client.consume("kept", 0, 0, 50)]
    assert [50] == client.produce("kept", RECORDS[:1])
    assert controller == fleet.controller_id()


def test_a_controller_that_is_started_again_at_once_waits_for_no_session(fleet: Fleet) -> None:
    before = fleet.active_controller()
    create(fleet, "quick", str(before[0]))
    fleet.wait_for_leaders("quick", 1)
    fleet.kill(before[0])
    fleet.start(before[0])
    wait_for_another_controller(fleet, before)
    fleet.wait_for_leaders("quick", 1)

    log = fleet.brokers[before[0]].log()
    assert "Removed /controller, which an earlier session of this broker left" in log


def test_a_zombie_controller_writes_nothing(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it stands still topics come and go, and others take over from it."""
    before = fleet.active_controller()
    zombie = fleet.brokers[before[0]]
    others = without(fleet, zombie.broker_id)
    create(fleet, "haunted", f"{zombie.broker_id}:{others[0]}")
    create(fleet, "past", f"{others[0]}:{others[1]}")
    fleet.wait_for_leaders("haunted", 1, [zombie.broker_id])
    fleet.wait_for_leaders("past", 1, others)
    zombie.process.send_signal(signal.SIGSTOP)
    # kadmin waits for the leader in vain.
    with monkeypatch.context() as patch:
        patch.setattr(waiting, "time", QuickTime())
        created = kadmin(*words_to_create(fleet, "unheard", f"{others[0]}:{others[1]}"))
    fleet.expire(zombie.broker_id)
    wait_for_another_controller(fleet, before)
    del fleet.brokers[zombie.broker_id]
    fleet.wait_for_leaders("haunted", 1, others)
    fleet.wait_for_leaders("unheard", 1, others)
    done("topics", "--zookeeper", fleet.connect, "--delete", "--topic", "past", "--yes")
    wait_until(lambda: not fleet.client.exists("/brokers/topics/past"), what="deletion")
    last_zxid = max(zxid for _, zxid in fleet.all_states().values())
    fleet.brokers[zombie.broker_id] = zombie
    zombie.process.send_signal(signal.SIGCONT)
    resigned = f"controller of epoch {before[1]} no more"
    wait_until(lambda: resigned in zombie.log(), what="the zombie to resign")
    fleet.wait_for_leaders("haunted", 1, others)
    fleet.wait_for_leaders("unheard", 1, others)
    late = [state for state, zxid in fleet.all_states().values() if zxid > last_zxid]
    now = fleet.controller()

    assert ExitCode.IN_PROGRESS == created.exit_code
    assert now is not None
    assert before[1] + 1 == now[1]
    assert {now[1]} >= {state.controller_epoch for state in late}
    assert {} == fleet.leaders(zombie, "past")
    # Whoever leads by now takes it back into the ISR, behind the leader.
    wait_until(
        lambda: fleet.states("haunted")[0].isr == (others[0], zombie.broker_id),
        what="the zombie to follow",
    )


def test_a_broker_that_ends_in_order_has_its_leaderships_moved_away_before(fleet: Fleet) -> None:
    leaving = fleet.controller_id()
    other = without(fleet, leaving)[0]
    create(fleet, "handed-over", f"{leaving}:{other}")
    create(fleet, "bound", str(leaving))
    fleet.wait_for_leaders("handed-over", 1, [leaving])
    fleet.wait_for_leaders("bound", 1, [leaving])
    status = fleet.stop(leaving)
    fleet.wait_for_leaders("handed-over", 1, [other])
    fleet.wait_for_leaders("bound", 0)
    handed, bound = fleet.states("handed-over")[0], fleet.states("bound")[0]

    # One epoch: it was never without a leader, as it is after a failure.
    assert (other, (other,), 1) == (handed.leader, handed.isr, handed.leader_epoch)
    assert (-1, (leaving,)) == (bound.leader, bound.isr)
    assert 0 == status


# ZooKeeper.


def test_a_zookeeper_that_was_away_is_watched_again(fleet: Fleet) -> None:
    create(fleet, "before", "1", "2", "3")
    fleet.wait_for_leaders("before", 3)
    client = Confluent(fleet.bootstrap)
    fleet.server.kill()
    wait_until(lambda: fleet.client.state != KazooState.CONNECTED, what="the outage")
    produced = client.produce("before", RECORDS)
    fleet.restart_zookeeper()
    create(fleet, "behind", "3", "2", "1")
    fleet.wait_for_leaders("behind", 3)
    words = ["--alter", "--topic", "before", "--partitions", "4"]
    done("topics", "--zookeeper", fleet.connect, *words)
    fleet.wait_for_leaders("before", 4)

    assert list(range(50)) == produced


def test_all_brokers_are_killed_and_serve_the_same_when_they_start(fleet: Fleet) -> None:
    create(fleet, "all", "1", "2", "3")
    fleet.wait_for_leaders("all", 3)
    client = Confluent(fleet.bootstrap)
    sent = [[one._replace(partition=index) for one in RECORDS] for index in range(3)]
    for records in sent:
        client.produce("all", records)
    fleet.kill(*fleet.broker_ids)
    fleet.start(*fleet.broker_ids)
    fleet.wait_for_leaders("all", 3)
    client = Confluent(fleet.bootstrap)

    for index, records in enumerate(sent):
        assert records == [got.record for got in client.consume("all", index, 0, 50)]


# A single broker.


def test_a_controller_that_stumbles_begins_anew_under_another_epoch(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_properties(tmp_path, chroot)

    async def active_controller(controller: Controller, epoch: int) -> ActiveController:
        def is_idle() -> bool:
            active = controller._core.active
            return (
                active is not None and active.controller_epoch == epoch and controller._core.is_idle
            )

        await until(is_idle, what=f"the controller of epoch {epoch}")
        active = controller._core.active
        assert active is not None
        return active

    async def stumble(process: BrokerProcess) -> Controller:
        await process.start()
        (controller,) = (one for one in process._membership._members if type(one) is Controller)
        active = await active_controller(controller, 1)
        active.context.brokers = None  # type: ignore[assignment]
        controller._step(BrokersChanged())
        await until(lambda: controller._core.active is not active, what="its end")
        # Watches of before still fire in the pause, and must not keep it from its end.
        controller._step(TopicsChanged())
        await active_controller(controller, 2)
        return controller

    async def main() -> Controller:
        process = BrokerProcess(
            BrokerSettings.parse(read_properties(str(path)), working_directory="/")
        )
        try:
            return await stumble(process)
        finally:
            await process.stop()

    controller = asyncio.run(main())
    assert (None, {}) == (controller._core.active, controller._channels)
    assert "The controller of this broker begins anew after a mistake" in caplog.text


def test_a_broker_that_ends_in_order_leaves_no_controller_behind(
    tmp_path: Path, chroot: str
) -> None:
    with running_broker(tmp_path, chroot) as alone, client_of(chroot) as zookeeper:
        wait_until(
            lambda: zookeeper.exists("/controller") is not None,
            what="a controller",
        )
        status = alone.terminate()

        assert (0, None) == (status, zookeeper.exists("/controller"))
        assert b"1" == zookeeper.get("/controller_epoch")[0]
