"""The requests that each broker serves, by ApiVersions."""

from collections.abc import Sequence
from typing import Final

from kafka.errors import for_code
from kafka.protocol.api_key import ApiKey
from kafka.protocol.metadata import ApiVersionsRequest

from cluster.model.ids import BrokerId
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.plan.api_versions import Versions

SINCE: Final = "0.10"

API_NAMES: Final = {int(key): key.name for key in ApiKey}
"""Kafka's names of its APIs, by number."""


def read_api_versions(
    connection: WireConnection, brokers: Sequence[BrokerId]
) -> dict[BrokerId, dict[int, Versions]]:
    """Return what each of *brokers* serves, by the API's number.

    One that does not answer is left out.

    Raises:
        NotServed: the brokers are older than 0.10.
        KafkaError: a broker's error.
    """
    if not connection.serves(ApiVersionsRequest):
        hint = "look up their release in the documentation of Kafka's protocol"
        raise NotServed(connection.settings.bootstrap, "the versions of requests", SINCE, hint)
    # The first version, which every broker knows: they may be of several releases.
    answers = connection.ask_each(ApiVersionsRequest(max_version=0), brokers)
    found = {}
    for broker in sorted(answers):
        answer = answers[broker]
        if answer.error_code != 0:
            raise for_code(answer.error_code)(f"broker {broker}")
        found[broker] = {
            api.api_key: Versions(api.min_version, api.max_version)
            for api in sorted(answer.api_keys, key=lambda api: int(api.api_key))
        }
    return found
