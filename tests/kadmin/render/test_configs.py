"""What stands above the configs of whom, in Kafka's words."""

from typing import Any

import pytest

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from kadmin.plan.config_plan import HIDDEN, NULL
from kadmin.render.configs import describe_all_document, describe_document


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


def test_null_is_null_and_what_is_hidden_is_masked() -> None:
    entity = ConfigEntity(Entity(EntityKind.BROKERS, "1"))
    overrides = ConfigOverrides(values={"a": NULL, "b": HIDDEN, "log.cleaner.threads": "1"})
    document = describe_document({entity: overrides}, [])
    body: Any = document.body()

    assert ["Configs for brokers '1' are a=null,b=***,log.cleaner.threads=1"] == list(
        document.lines()
    )
    assert {"a": None, "b": "***", "log.cleaner.threads": "1"} == body["entities"][0]["configs"]
    assert [("a", ""), ("b", "***"), ("log.cleaner.threads", "1")] == [
        tuple(row[-2:]) for row in document.rows()
    ]
