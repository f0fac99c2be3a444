"""Which worker of xdist takes which tests next: a plugin of pytest, for `--dist loadgroup`.

Tests that wait for servers leave the processors idle, those that compute do not.  All workers but
one begin with the former, groups first; the last one begins with the longest computations.  xdist
itself lets all workers wait together, then compute together, and after each test looks through all
that a worker has done before.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

from tests.support.branches import NOT_FAST

WAIT: Final = frozenset(NOT_FAST) - {"slow"}
"""The marks of tests that wait for servers and processes."""
AT_ONCE_MAX: Final = 32
"""Tests of a module that a worker is sent at once: what they compute first is computed for all, and
each message takes as long as a short test."""
NEAR_THE_END: Final = 200
"""So many units are left when tests are sent one by one, so that all workers end together."""


def rank(item: pytest.Item) -> int:
    """Where *item* belongs: those that wait come first, long computations last."""
    marks = {mark.name for mark in item.iter_markers()}
    return 0 if marks & WAIT else 2 if "slow" in marks else 1


def module_of(scope: str) -> str:
    """The module of a test; a group stands for itself."""
    return scope.partition("::")[0]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort what has been shuffled, in each worker alike."""
    if config.getoption("loadgroup", False):
        items.sort(key=rank)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> "FromBothEnds | None":
    return FromBothEnds(config, log) if config.getvalue("dist") == "loadgroup" else None


class FromBothEnds(LoadGroupScheduling):  # type: ignore[misc]
    """A unit of work is a group of xdist, or a test; what is done is forgotten."""

    @cached_property
    def index_of(self) -> Mapping[str, int]:
        assert self.collection is not None
        return {nodeid: index for index, nodeid in enumerate(self.collection)}

    def _assign_work_unit(self, node: WorkerController) -> None:
        # A worker that replaces one, and has found other tests, would run others than it is sent.
        assert node in self.registered_collections, "it has found the tests of the others"
        from_the_end = len(self.nodes) > 1 and node is self.nodes[-1]
        scope, unit = self.workqueue.popitem(last=from_the_end)
        units = {scope: unit}
        while len(units) < AT_ONCE_MAX and len(self.workqueue) > NEAR_THE_END:
            following = next(reversed(self.workqueue) if from_the_end else iter(self.workqueue))
            if module_of(following) != module_of(scope):
                break
            units[following] = self.workqueue.pop(following)
        self.assigned_work[node].update(units)
        node.send_runtest_some(
            [self.index_of[nodeid] for unit in units.values() for nodeid in unit]
        )

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        assert self.collection is not None
        nodeid = self.collection[item_index]
        scope = self._split_scope(nodeid)
        work = self.assigned_work[node]
        del work[scope][nodeid]
        if not work[scope]:
            del work[scope]
        self._reschedule(node)
