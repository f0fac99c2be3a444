"""One trial: the rounds of a plan under load, then the cluster heals, and everything is judged."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from cluster.model.ids import OFFSETS_TOPIC
from tests.faults import network
from tests.faults.cluster import FaultyCluster, running_cluster
from tests.faults.commits import Groups
from tests.faults.kinds import Ground
from tests.faults.moves import PARTITIONS, REPLICAS, TOPIC
from tests.faults.network import Network
from tests.faults.pace import Pace
from tests.faults.plan import Members, Round
from tests.faults.referee import Referee, different_replicas, not_proven_equal
from tests.support.waiting import OUTER_LIMIT_S, PAUSE_S, wait_until

MEMBERS: Final = Members(brokers=(1, 2, 3, 4), zookeepers=(1, 2, 3))
WHOLE_S: Final = 30
"""A cluster is whole again within so many seconds; a machine that others use may take longer."""

Say = Callable[[str], None]


class Result(NamedTuple):
    """What came of a trial; *wrong* is empty when nothing is."""

    faults: int
    rounds: int
    acknowledged: int
    committed: int
    """How many commits of groups were answered."""
    worst_s: float
    """Of all records, how long the slowest took."""
    healing_s: float
    """Of all rounds, how long the slowest took to be whole again."""
    wrong: tuple[str, ...]


@contextmanager
def prepared(directory: Path, net: Network, ground: Ground) -> Iterator[FaultyCluster]:
    """A cluster with the topic of the trial."""
    with running_cluster(directory, MEMBERS, net, ground) as cluster:
        wait_until(lambda: cluster.controller_id() is not None, what="a controller")
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
        # Those that serve have said so in ZooKeeper; the controller has perhaps not heard of all.
        wait_until(
            lambda: len(admin.list_topics(timeout=OUTER_LIMIT_S).brokers) == len(MEMBERS.brokers),
            what="a controller that knows all brokers",
        )
        topic = NewTopic(TOPIC, PARTITIONS, replication_factor=REPLICAS)
        for future in admin.create_topics([topic]).values():
            future.result(OUTER_LIMIT_S)
        wait_until(lambda: cluster.is_whole(TOPIC), what="a whole ISR")
        yield cluster


def run_trial(
    directory: Path,
    rounds: Iterable[Round],
    net: Network,
    ground: Ground,
    say: Say,
) -> Result:
    """Play *rounds*, one after the other, and judge what is there afterwards."""
    with prepared(directory, net, ground) as cluster:
        referee = Referee(cluster.bootstrap, directory)
        groups = Groups(cluster.bootstrap)
        played: list[Round] = []
        healed_s: list[float] = []
        wrong: list[str] = []
        referee.start()
        groups.start()
        try:
            what = "groups that commit"
            wait_until(lambda: is_whole(cluster) and not groups.behind(0), what=what)
            for one in rounds:
                played.append(one)
                healed_s.append(play(cluster, referee, groups, one, say, wrong))
                # Faults without a load would find nothing.
                if wrong or referee.producer.has_given_up:
                    break
        finally:
            groups.end()
            referee.end()
        acknowledged = referee.producer.acknowledged
        wait_until(lambda: is_whole(cluster), what="whole ISRs")
        wrong += referee.problems() + groups.problems()
        for broker_id in MEMBERS.brokers:
            cluster.stop(broker_id)
        wrong += different_replicas(cluster)
        homes = ((one, directory / network.broker(one)) for one in MEMBERS.brokers)
        wrong += not_proven_equal(homes)
        return Result(
            faults=sum(len(one.faults) for one in played),
            rounds=len(played),
            acknowledged=acknowledged.count,
            committed=groups.count,
            worst_s=acknowledged.worst_s,
            healing_s=max(healed_s, default=0),
            wrong=tuple(wrong),
        )


def is_whole(cluster: FaultyCluster) -> bool:
    return cluster.is_whole(TOPIC) and cluster.is_whole(OFFSETS_TOPIC)


def play(
    cluster: FaultyCluster,
    referee: Referee,
    groups: Groups,
    one: Round,
    say: Say,
    wrong: list[str],
) -> float:
    """Let the faults of a round come and go, and wait until the cluster is whole again.

    Returns how many seconds that took.
    """
    time.sleep(one.calm_s)
    for begun in one.faults:
        time.sleep(begun.after_s)
        brokers = [cluster.resolve(target) for target in begun.fault.brokers]
        say(f"  {begun.fault} {brokers}")
        begun.fault.begin(cluster, brokers)
    time.sleep(one.lasts_s)
    cluster.heal()
    healed_s = time.monotonic()
    pace = Pace()
    while not (is_whole(cluster) and not referee.behind(healed_s) and not groups.behind(healed_s)):
        took_s = time.monotonic() - healed_s
        pace.sample()
        wrong += cluster.keep_up()
        if took_s > OUTER_LIMIT_S or wrong or referee.producer.has_given_up:
            behind = [*referee.behind(healed_s), *groups.behind(healed_s)]
            wrong.append(f"not whole {took_s:.1f} s after {one}; nothing for {behind}")
            return took_s
        time.sleep(PAUSE_S)
    took_s = time.monotonic() - healed_s
    beside = f" on a machine that is {pace.slowness:.1f} times as slow" if took_s > 1 else ""
    say(f"{one}, for {one.lasts_s:.1f} s; whole again after {took_s:.1f} s{beside}")
    if took_s > WHOLE_S * pace.slowness:
        wrong.append(f"whole again after {took_s:.1f} s only{beside}: {one}")
    time.sleep(one.rests_s)
    return took_s
