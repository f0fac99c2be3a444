"""A command that somebody kills at one of its writes to ZooKeeper, as Ctrl-C does."""

from typing import Any

import pytest

from cluster.zk.requests import Multi, SingleRequest
from kadmin.admin.zookeeper.runner import Server
from tests.support.waiting import OUTER_LIMIT_S


def interrupt_at_write(monkeypatch: pytest.MonkeyPatch, survived: int, *, is_made: bool) -> None:
    """End whatever runs at its *survived* plus first transaction: before it is sent, or when it has
    been made and nobody has heard of it."""
    begin = Server.begin

    def begin_or_die(server: Server, request: SingleRequest) -> Any:
        nonlocal survived
        if not isinstance(request, Multi):
            return begin(server, request)
        survived -= 1
        if survived >= 0:
            return begin(server, request)
        if is_made:
            begin(server, request).get(timeout=OUTER_LIMIT_S)
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "begin", begin_or_die)
