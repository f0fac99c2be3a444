"""Writes the state-change logs of four brokers, of any size, the same for the same seed.

    python -m bench.statechange_logs DIRECTORY [--bytes 1073741824] [--seed 1]

Lines are those of Kafka 0.9 at TRACE, which its own merger understands too.  Four in five have the
same millisecond as the line before, as in logs of busy clusters.
"""

import argparse
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

BROKERS = 4
TOPICS = 200
PARTITIONS = 50
START_S = int(datetime(2026, 11, 20, 3, tzinfo=UTC).timestamp())
LINES_PER_STEP = 5
BLOCK_LINES = 4000

CONTROLLER = (
    "Controller {me} epoch 7 changed partition [{topic},{partition}] from OnlinePartition to"
    " OnlinePartition with leader {leader}",
    "Controller {me} epoch 7 changed state of replica {leader} for partition [{topic},{partition}]"
    " from OfflineReplica to OnlineReplica",
    "Controller {me} epoch 7 sending become-leader LeaderAndIsr request (Leader:{leader},ISR:{isr},"
    "LeaderEpoch:{epoch},ControllerEpoch:7) to broker {leader} for partition [{topic},{partition}]",
)
BROKER = (
    "Broker {me} received LeaderAndIsr request (LeaderAndIsrInfo:(Leader:{leader},ISR:{isr},"
    "LeaderEpoch:{epoch},ControllerEpoch:7),ReplicationFactor:3),AllReplicas:{isr}) correlation id"
    " {epoch} from controller 1 epoch 7 for partition [{topic},{partition}]",
    "Broker {me} handling LeaderAndIsr request correlationId {epoch} from controller 1 epoch 7"
    " starting the become-follower transition for partition [{topic},{partition}]",
    "Broker {me} cached leader info (LeaderAndIsrInfo:(Leader:{leader},ISR:{isr},"
    "LeaderEpoch:{epoch},ControllerEpoch:7),ReplicationFactor:3),AllReplicas:{isr}) for partition"
    " [{topic},{partition}] in response to UpdateMetadata request sent by controller 1 epoch 7"
    " with correlation id {epoch}",
)


def write_logs(directory: Path, total_bytes: int, seed: int = 1) -> list[Path]:
    """Write one log for each broker below *directory*, of about *total_bytes* together."""
    paths = []
    for broker in range(BROKERS):
        path = directory / f"broker-{broker}" / "state-change.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            left = total_bytes // BROKERS
            for block in blocks(broker, random.Random(f"{seed}/{broker}")):
                file.write(block[:left])
                left -= len(block)
                if left <= 0:
                    break
        paths.append(path)
    return paths


def blocks(broker: int, rng: random.Random) -> Iterator[bytes]:
    """Endless lines, in blocks, each later than the one before."""
    bodies = [body(broker, rng) for _ in range(BLOCK_LINES)]
    now_ms = START_S * 1000 + rng.randrange(1000)
    while True:
        # The same texts in another order: making them anew would take most of the time.
        rng.shuffle(bodies)
        lines = []
        for index in range(0, len(bodies), LINES_PER_STEP):
            now_ms += rng.randrange(1, 4)
            stamp = datetime.fromtimestamp(now_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
            head = f"[{stamp},{now_ms % 1000:03d}] TRACE "
            lines += [head + text for text in bodies[index : index + LINES_PER_STEP]]
        yield "".join(lines).encode()


def body(broker: int, rng: random.Random) -> str:
    template = rng.choice(CONTROLLER + BROKER if broker == 1 else BROKER)
    replicas = [(broker + step) % BROKERS for step in range(3)]
    text = template.format(
        me=broker,
        topic=f"topic-{rng.randrange(TOPICS):03d}",
        partition=rng.randrange(PARTITIONS),
        leader=rng.choice(replicas),
        isr=",".join(map(str, replicas)),
        epoch=rng.randrange(1000),
    )
    return f"{text} (state.change.logger)\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for path in write_logs(arguments.directory, arguments.bytes, arguments.seed):
        print(f"{path} {path.stat().st_size}")


if __name__ == "__main__":
    main()
