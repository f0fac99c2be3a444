"""What stands above the configs of whom, in Kafka's words."""

import pytest

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from kadmin.render.configs import describe_all_document


@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        (Entity(EntityKind.TOPICS, "t"), "All configs for topic t are:"),
        (Entity(EntityKind.BROKERS, "1"), "All configs for broker 1 are:"),
        (Entity(EntityKind.BROKERS, None), "Default configs for brokers in the cluster are:"),
        (Entity(EntityKind.TOPICS, None), "Default configs for topics in the cluster are:"),
    ],
)
def test_each_heading_says_whose_configs_follow(entity: Entity, expected: str) -> None:
    document = describe_all_document({ConfigEntity(entity): []}, [])

    assert document.lines is not None
    assert [expected] == list(document.lines())
