"""What it means to the controller that a watch has fired."""

import pytest

from cluster.controller.events import (
    BrokersChanged,
    ControllerChanged,
    Hint,
    PreferredElectionRequested,
    ReassignmentRequested,
    TopicsWritten,
)
from cluster.controller.hints import hint_of
from cluster.model.ids import BrokerId
from cluster.zk import paths


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (paths.CONTROLLER, ControllerChanged()),
        (paths.BROKER_IDS, BrokersChanged()),
        (paths.broker(BrokerId(3)), BrokersChanged()),
        (paths.topic("t"), TopicsWritten(("t",))),
        (paths.PREFERRED_ELECTION, PreferredElectionRequested()),
        (paths.REASSIGN_PARTITIONS, ReassignmentRequested()),
        (paths.topic_config("t"), None),
    ],
)
def test_a_watch_that_fires_is_a_hint(path: str, hint: Hint | None) -> None:
    assert hint_of(path) == hint
