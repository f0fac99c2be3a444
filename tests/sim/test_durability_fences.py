"""What reassignments and flushes rest on: without it some simulated story ends so.

Of what has to be durable, each part is left out of a flush alone.
"""

from collections.abc import Callable, Generator, Iterable
from typing import Any

import pytest

from cluster.controller import reassignment
from cluster.controller.active_controller import ActiveController
from cluster.controller.procedures import Procedure
from cluster.model.ids import TopicPartition
from cluster.storage.files import Files
from cluster.storage.log.work import FlushWork
from tests.sim.shrinking import violation_of
from tests.sim.story import Plot, Story
from tests.sim.violation import Kind

STORIES_MAX = 150
"""Fixed ones, whatever the commit: one of them has to miss what is left out."""

flush, finish = FlushWork.run, reassignment._finish


def fences_nobody_off(*args: Any) -> Generator[Any, Any, dict[Any, Any]]:
    """U0: who is dropped stays in the ISR."""
    return {}
    yield


def waits_for_nobody(active: ActiveController, some: Iterable[TopicPartition]) -> Procedure[None]:
    """B6, before those that are removed have deleted their logs."""
    partitions = list(some)
    for each in partitions:
        active.context.finishing.get(each, {}).clear()
    return finish(active, partitions)


def flushes_no_names(self: FlushWork, files: Files) -> None:
    """Without the directories in which files are new."""
    flush(self._replace(directories=()), files)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.sim
@pytest.mark.parametrize(
    ("plot", "first", "owner", "name", "instead", "kinds"),
    [
        pytest.param(
            Plot.CLUSTER, 30, reassignment, "_fence_off", fences_nobody_off, {Kind.STATE}, id="U0"
        ),
        pytest.param(
            Plot.CLUSTER,
            0,
            reassignment,
            "_finish",
            waits_for_nobody,
            {Kind.REASSIGNMENT},
            id="B6 after B5",
        ),
        pytest.param(
            Plot.PARTITION,
            0,
            FlushWork,
            "run",
            flushes_no_names,
            {Kind.LOST_RECORD, Kind.HIGH_WATERMARK},
            id="names of files",
        ),
    ],
)
def test_without_this_some_story_ends_so(
    monkeypatch: pytest.MonkeyPatch,
    plot: Plot,
    first: int,
    owner: Any,
    name: str,
    instead: Callable[..., Any],
    kinds: set[Kind],
) -> None:
    """Before the *first* story there is nothing for it to stop, which takes time to tell."""
    monkeypatch.setattr(owner, name, instead)

    violations = (violation_of(Story(seed, plot=plot)) for seed in range(first, STORIES_MAX))

    assert any(one is not None and one.kind in kinds for one in violations)
