"""The API's routes for clusters: which are there, and how are they?"""

from typing import Any

from starlette.responses import Response

from kadmin.web.api.answers import answer
from kadmin.web.clusters import WatchedCluster
from kadmin.web.visit import Visit


def listed(visit: Visit) -> Response:
    """Return the clusters that the visitor may see."""
    return answer(visit, {"clusters": [described(each) for each in visit.clusters]}, None)


def summary(visit: Visit) -> Response:
    look = visit.of.look
    return answer(visit, described(visit.of), None if look is None else look.at_ms)


def described(cluster: WatchedCluster) -> dict[str, Any]:
    look, failure = cluster.look, cluster.failure
    report = None if look is None else look.report
    return {
        "name": cluster.name,
        "read_at_ms": None if look is None else look.at_ms,
        "failure": None if failure is None else failure.message,
        "is_healthy": None if report is None else report.is_healthy,
        "worst": None if report is None else report.worst,
        "broker_count": None if report is None else report.broker_count,
        "controller": None if report is None else report.controller,
        "topic_count": None if report is None else report.topic_count,
        "partition_count": None if report is None else report.partition_count,
    }
