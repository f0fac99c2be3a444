"""Flat paths: APIs of which the usual request is answered without a codec."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from cluster.api.dispatch import Services
from cluster.api.flat_commit import LAYOUTS as COMMITS
from cluster.api.flat_commit import FlatCommits
from cluster.api.flat_prefixes import Turnover
from cluster.api.flat_produce import LAYOUTS as PRODUCES
from cluster.api.flat_produce import FlatProduce
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey

FlatPath: TypeAlias = Callable[[memoryview], bytes | None]
"""Answers the request in a frame, or has changed nothing and returns None."""


def flat_paths(
    services: Services, count_errors: Callable[[ApiKey, Sequence[int]], None]
) -> Mapping[tuple[ApiKey, int], FlatPath]:
    """Return those of a broker, by API and version; none where requests need authorization.

    *count_errors* is called with the error codes of each answer that does not only say NONE once.
    """
    of = services
    if of.ports.authorizer is not None:
        return {}

    def produce_refused(error: ErrorCode) -> None:
        count_errors(ApiKey.PRODUCE, (error,))

    def committed(codes: Sequence[int]) -> None:
        count_errors(ApiKey.OFFSET_COMMIT, codes)

    produce = partial(FlatProduce, of.appender, produce_refused, Turnover())
    commits = FlatCommits(of.ports.clock, of.cache, of.group_service, committed)
    return {
        **{(ApiKey.PRODUCE, version): produce(version).answer for version in PRODUCES},
        **{(ApiKey.OFFSET_COMMIT, word & 0xFFFF): commits.answer for word in COMMITS},
    }
