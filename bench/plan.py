"""How much do plans of moves copy, and how long do they take: ours beside others' ideas?

    python -m bench.plan [--partitions 100000] [--brokers 100] [--replicas 3] [--racks 3]

Lays partitions out at random, unevenly, and plans each goal in a process of its own.  Beside it:
Kafka's `--generate`, which lays out afresh, and the greedy idea of topicmappr, which places each
replica that has to go on the broker with the fewest that passes the constraints.  Goal (100,000
partitions of 3 replicas on 100 brokers): 60 s and 2 GiB for each goal.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.layout import ClusterLayout, PlacedPartition
from kadmin.plan.moves.make_plan import make_plan
from kadmin.plan.moves.request import Goal, Request

PER_TOPIC: Final = 100
Targets = Mapping[TopicPartition, tuple[BrokerId, ...]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=100_000)
    parser.add_argument("--brokers", type=int, default=100)
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--racks", type=int, default=3)
    parser.add_argument("--sizes", action="store_true", help="with sizes of replicas")
    parser.add_argument("--only", choices=list(CASES), help="one case, in this process")
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(json.dumps(measure(arguments.only, arguments)))
        return
    print(f"{'':22} {'moved':>9} {'bound':>9} {'leaders':>8} {'spread':>13} {'s':>6} {'MiB':>6}")
    for name in CASES:
        command = [sys.executable, "-m", "bench.plan", *sys.argv[1:], "--only", name]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(ended.stdout)
        print(
            f"{name:22} {found['moved']:9,} {found['bound']:>9} {found['leaders']:8,}"
            f" {found['spread']:>13} {found['seconds']:6.1f} {found['mib']:6,}",
            flush=True,
        )


def measure(name: str, arguments: argparse.Namespace) -> dict[str, object]:
    """Return what the case *name* moves, and what it takes."""
    layout = uneven_layout(arguments)
    begin = time.perf_counter()
    targets, bound = CASES[name](layout)
    seconds = time.perf_counter() - begin
    before = {partition: each.replicas for partition, each in layout.partitions.items()}
    after = {**before, **targets}
    loads = Counter(broker for replicas in after.values() for broker in replicas)
    held = [loads[broker] for broker in layout.brokers if loads[broker]]
    return {
        "moved": sum(len(set(after[p]) - set(before[p])) for p in targets),
        "bound": "-" if bound is None else f"{bound:,}",
        "leaders": sum(after[p][0] != before[p][0] for p in targets),
        "spread": f"{min(held)}…{max(held)}",
        "seconds": seconds,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def uneven_layout(arguments: argparse.Namespace) -> ClusterLayout:
    """Each partition on as many racks as it can be, and some brokers with a third more than
    others; the last broker is new and empty."""
    draw = Random(7)
    count = arguments.brokers
    racks = {BrokerId(n): f"rack-{n % arguments.racks}" for n in range(count)}
    by_rack: dict[str, list[BrokerId]] = {}
    for broker, rack in list(racks.items())[:-1]:
        by_rack.setdefault(rack, []).append(broker)
    weights = {
        rack: [1 + broker / count / 3 for broker in brokers] for rack, brokers in by_rack.items()
    }
    partitions = {}
    for number in range(arguments.partitions):
        chosen: list[BrokerId] = []
        names = draw.sample(sorted(by_rack), len(by_rack))
        while len(chosen) < arguments.replicas:
            rack = names[len(chosen) % len(names)]
            (broker,) = draw.choices(by_rack[rack], weights[rack])
            if broker not in chosen:
                chosen.append(broker)
        partition = TopicPartition(f"topic-{number // PER_TOPIC:05}", number % PER_TOPIC)
        size = int(2 ** draw.uniform(10, 36)) if arguments.sizes else None
        partitions[partition] = PlacedPartition(replicas=tuple(chosen), size_bytes=size)
    return ClusterLayout(brokers=racks, partitions=dict(sorted(partitions.items())))


def planned(goal: Goal, **more: Any) -> Callable[[ClusterLayout], tuple[Targets, int | None]]:
    def plan(layout: ClusterLayout) -> tuple[Targets, int | None]:
        made = make_plan(layout, Request(goal=goal, **more), tool_version="bench", now_ms=0).plan
        return made.targets, made.lower_bound

    return plan


def greedy(
    leaving: frozenset[BrokerId],
) -> Callable[[ClusterLayout], tuple[Targets, int | None]]:
    """topicmappr's rebuild by counts: for each replica that has to go, position by position, the
    broker with the fewest replicas whose id and rack the partition does not have."""

    def plan(layout: ClusterLayout) -> tuple[Targets, int | None]:
        loads = layout.loads
        targets = {}
        for partition, each in layout.partitions.items():
            if not leaving & {*each.replicas}:
                continue
            now = list(each.replicas)
            for position, broker in enumerate(each.replicas):
                if broker in leaving:
                    others = [b for b in now if b != broker]
                    used = {layout.brokers[b] for b in others}
                    fit = [
                        b
                        for b, rack in layout.brokers.items()
                        if b not in leaving and b not in others and rack not in used
                    ]
                    now[position] = min(fit, key=lambda b: (loads[b], b))
                    loads[now[position]] += 1
                    loads[broker] -= 1
            targets[partition] = tuple(now)
        return targets, None

    return plan


TWO: Final = (BrokerId(3), BrokerId(7))
CASES: Final[Mapping[str, Callable[[ClusterLayout], tuple[Targets, int | None]]]] = {
    "drain 2": planned(Goal.DRAIN, brokers=TWO),
    "drain 2, greedy": greedy(frozenset(TWO)),
    "balance": planned(Goal.BALANCE),
    "kafka's --generate": planned(Goal.KAFKA),
    "replace 1": planned(Goal.REPLACE, replacements={BrokerId(3): BrokerId(7)}),
    "leaders": planned(Goal.LEADERS),
    "racks": planned(Goal.RACKS),
    "replication factor 2": planned(Goal.REPLICATION_FACTOR, replication_factor=2),
    "replication factor 4": planned(Goal.REPLICATION_FACTOR, replication_factor=4),
}

if __name__ == "__main__":
    main()
