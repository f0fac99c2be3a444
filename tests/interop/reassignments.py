"""Files of reassignments, as Kafka's tool and kadmin read them."""

import json
from pathlib import Path


def file_of(directory: Path, topic: str, *wanted: list[int]) -> tuple[str, str]:
    """The option for a file that lets partition 0, 1, … of *topic* have the replicas *wanted*."""
    path = directory / f"{topic}-to-{'-'.join(str(one) for one in wanted[0])}.json"
    entries = [
        {"topic": topic, "partition": number, "replicas": some}
        for number, some in enumerate(wanted)
    ]
    path.write_text(json.dumps({"version": 1, "partitions": entries}))
    return ("--reassignment-json-file", str(path))
