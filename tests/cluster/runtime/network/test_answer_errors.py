"""Which error codes does an answer have?"""

from typing import Any, cast

import pytest

from cluster.broker.handling import Body, Steps, run
from cluster.runtime.network.answer_errors import (
    error_codes_in_steps,
    error_codes_of,
    shape_of_answer,
)
from cluster.wire.api_keys import MODULES, ApiKey
from cluster.wire.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from cluster.wire.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from cluster.wire.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from cluster.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from cluster.wire.schema import response_schema

PRODUCED = ProduceResponse(
    [
        TopicProduceResponse("a", [PartitionProduceResponse(0, 6), PartitionProduceResponse(1)]),
        TopicProduceResponse("b", [PartitionProduceResponse(0, 10)]),
    ]
)
FETCHED = FetchResponse(
    error_code=70, responses=[FetchableTopicResponse("a", partitions=[PartitionData(0, 1)])]
)
FOUND = FindCoordinatorResponse(error_code=3, coordinators=[Coordinator(error_code=15)])
DESCRIBED = MetadataResponse(
    topics=[MetadataResponseTopic(3), MetadataResponseTopic(0, partitions=[
        MetadataResponsePartition(5), MetadataResponsePartition(0),
    ])]
)  # fmt: skip


@pytest.mark.parametrize(
    ("api_key", "version", "body", "codes"),
    [
        (ApiKey.PRODUCE, 9, PRODUCED, [6, 0, 10]),
        (ApiKey.PRODUCE, 9, ProduceResponse([]), []),
        (ApiKey.FETCH, 12, FETCHED, [70, 1]),
        # Older versions have no error of the whole.
        (ApiKey.FETCH, 6, FETCHED, [1]),
        (ApiKey.FIND_COORDINATOR, 3, FOUND, [3]),
        (ApiKey.FIND_COORDINATOR, 4, FOUND, [15]),
        (ApiKey.METADATA, 9, DESCRIBED, [3, 0, 5, 0]),
    ],
)
def test_an_answer_has_the_codes_of_all_its_parts(
    api_key: ApiKey, version: int, body: tuple[Any, ...], codes: list[int]
) -> None:
    in_steps = cast(Body, run(cast(Steps, error_codes_in_steps(api_key, version, body))))

    assert sorted(error_codes_of(api_key, version, body)) == sorted(codes)
    assert sorted(in_steps) == sorted(codes)


@pytest.mark.parametrize("api_key", MODULES)
def test_every_answer_can_be_looked_at(api_key: ApiKey) -> None:
    schema = response_schema(api_key)
    for version in schema.versions:
        assert shape_of_answer(api_key, version) is not None
        error_codes_of(api_key, version, schema.message())
