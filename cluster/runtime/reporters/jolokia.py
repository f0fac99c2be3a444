"""The reporter in Jolokia's form: JMX's beans as JSON over HTTP."""

import asyncio
from http import HTTPStatus
from typing import Any, Final

from cluster.metrics.jolokia import JolokiaAgent
from cluster.metrics.json_parts import json_parts
from cluster.runtime.reporters.http_server import Request, Response, refusal

PATH: Final = "/jolokia"


class JolokiaReporter:
    """Answers requests by *agent*, one at a time, in slices between which the loop goes on."""

    def __init__(self, agent: JolokiaAgent) -> None:
        self._agent = agent
        self._answering = asyncio.Lock()

    async def respond(self, request: Request) -> Response:
        path = request.path
        if path != PATH and not path.startswith(f"{PATH}/"):
            return refusal(HTTPStatus.NOT_FOUND)
        if request.method == "POST":
            steps = self._agent.answer_body(request.body)
        else:
            steps = self._agent.answer_path(path.removeprefix(PATH))
        async with self._answering:
            answer: Any = None
            while True:
                try:
                    next(steps)
                except StopIteration as end:
                    answer = end.value
                    break
                await asyncio.sleep(0)
            # Not in a thread: it would keep Python's lock until a long answer is a text.
            body = []
            for part in json_parts(answer):
                body.append(part)
                await asyncio.sleep(0)
        return Response(content_type="application/json; charset=utf-8", body=body)
