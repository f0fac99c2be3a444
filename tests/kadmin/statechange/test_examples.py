"""Are drawn lines those of their release, and the same for the same seed?"""

from random import Random

import pytest

from kadmin.statechange.examples import draw_example
from kadmin.statechange.kinds import Kind
from kadmin.statechange.language import Release, release
from kadmin.statechange.templates import TEMPLATES

CACHED = next(template for template in TEMPLATES if template.kind is Kind.CACHED)


def test_the_same_seed_draws_the_same_line() -> None:
    first, second = (draw_example(CACHED, (2, 3), Random(5)) for _ in range(2))

    assert first == second
    assert first != draw_example(CACHED, (2, 3), Random(6))


@pytest.mark.parametrize(
    ("version", "name", "spelling", "payload"),
    [
        ("0.8.2", "Broker ", "[{},{}]", "(LeaderAndIsrInfo:(Leader:"),
        ("0.10.0", "Broker ", "{}-{}", "(LeaderAndIsrInfo:(Leader:"),
        ("1.0", "[Broker id=", "{}-{}", "PartitionState(controllerEpoch="),
        ("3.9", "[Broker id=", "{}-{}", "UpdateMetadataPartitionState(topicName='"),
    ],
)
def test_a_line_is_written_as_its_release_writes_it(
    version: str, name: str, spelling: str, payload: str
) -> None:
    parsed: Release = release(version)
    example = draw_example(CACHED, parsed, Random(1))

    assert example.message.startswith(name)
    assert f" {payload}" in example.message
    ((topic, number),) = example.partitions
    assert f"for partition {spelling.format(topic, number)} in response" in example.message
    assert ("cached" if parsed < (1, 0) else "Cached") + " leader info " in example.message
