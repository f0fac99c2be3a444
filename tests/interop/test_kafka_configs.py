"""Is what `scripts.kafka_configs` has recorded of Kafka what a Kafka says?"""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.kafka_configs import GOLDEN, RELEASE, TABLE, answers_of, table_of
from tests.cluster.api.test_described_by_kafka import NOT_COMPARED
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def class_path(maven: Maven) -> str:
    with needing_maven():
        return maven.class_path(KAFKA[RELEASE])


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_table_is_what_the_classes_of_kafka_say(
    java: str, class_path: str, tmp_path: Path
) -> None:
    assert read(TABLE) == table_of(java, class_path, tmp_path)


def test_the_recorded_answers_are_those_of_a_kafka(
    java: str, class_path: str, tmp_path: Path
) -> None:
    answers = answers_of(java, class_path, tmp_path)

    recorded = {name: read(GOLDEN / f"kafka-{RELEASE}-{name}.json") for name in answers}
    for document in (answers, recorded):
        for key in NOT_COMPARED:
            del document["described"]["broker"][key]
        for case, (_, reason) in document["altered"]["verdicts"].items():
            # The port is another one each time.
            if reason is not None and "PLAINTEXT://127.0.0.1" in reason:
                document["altered"]["verdicts"][case][1] = reason.partition("'")[0]
    assert recorded == answers
