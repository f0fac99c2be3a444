"""News: a stream of server-sent events, one for each look at a cluster.

An event only names the look; the page then loads what it shows.  Many readers cost one poll.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kadmin.web.clusters import WatchedCluster
from kadmin.web.login import LoginNeeded, identify, still_known
from kadmin.web.roles import Role
from kadmin.web.serving import Serving

BEAT_S: Final = 15.0
"""A stream that is silent for longer is taken for dead by proxies."""
STREAM_COUNT_MAX: Final = 500
RETRY_MS: Final = 5000


async def stream(request: Request) -> Response:
    """Send an event for each look at the cluster, until the reader goes."""
    serving: Serving = request.app.state.serving
    try:
        found = identify(request, serving.access)
    except LoginNeeded:
        return Response(status_code=401)
    cluster = serving.clusters.get(request.path_params["cluster"])
    if cluster is None or not found.visitor.may(Role.READ, cluster.name):
        return Response(status_code=404)
    if len(cluster.listeners) >= STREAM_COUNT_MAX:
        return Response(status_code=503, headers={"Retry-After": "60"})
    headers = {"X-Accel-Buffering": "no"}

    def may_read() -> bool:
        visitor = still_known(request, serving.access, found)
        return visitor is not None and visitor.may(Role.READ, cluster.name)

    return StreamingResponse(
        events(serving, cluster, may_read), media_type="text/event-stream", headers=headers
    )


async def events(
    serving: Serving, cluster: WatchedCluster, may_read: Callable[[], bool]
) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    has_news = asyncio.Event()

    def listener() -> None:
        loop.call_soon_threadsafe(has_news.set)

    cluster.listeners.append(listener)
    try:
        yield f"retry: {RETRY_MS}\n\n"
        while may_read() and not serving.is_closing.is_set():
            yield event_of(cluster)
            has_news.clear()
            while not has_news.is_set() and not serving.is_closing.is_set():
                try:
                    await asyncio.wait_for(has_news.wait(), BEAT_S)
                except TimeoutError:
                    yield ": no news\n\n"
    finally:
        cluster.listeners.remove(listener)


def event_of(cluster: WatchedCluster) -> str:
    reading = cluster.looks.reading
    value = {"attempt": reading.number, "failed": reading.error is not None}
    return f"event: look\ndata: {json.dumps(value)}\n\n"
