"""Flat paths: APIs of which the usual request is answered without a codec."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from cluster.api.dispatch import Services
from cluster.api.flat_commit import FlatCommits
from cluster.api.flat_produce import FlatProduce
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey

FlatPath: TypeAlias = Callable[[memoryview], bytes | None]
"""Answers the request in a frame, or has changed nothing and returns None."""


def flat_paths(
    services: Services, count_errors: Callable[[ApiKey, Sequence[int]], None]
) -> Mapping[int, tuple[ApiKey, FlatPath]]:
    """Return those of a broker, by API; none where requests need authorization.

    *count_errors* is called with the error codes of each answer that does not only say NONE once.
    """
    of = services
    if of.ports.authorizer is not None:
        return {}

    def produce_refused(error: ErrorCode) -> None:
        count_errors(ApiKey.PRODUCE, (error,))

    def committed(codes: Sequence[int]) -> None:
        count_errors(ApiKey.OFFSET_COMMIT, codes)

    produces = FlatProduce(of.appender, produce_refused)
    commits = FlatCommits(of.ports.clock, of.cache, of.group_service, committed)
    return {
        ApiKey.PRODUCE: (ApiKey.PRODUCE, produces.answer),
        ApiKey.OFFSET_COMMIT: (ApiKey.OFFSET_COMMIT, commits.answer),
    }
