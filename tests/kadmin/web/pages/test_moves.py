"""What the page of moves says of a run."""

from cluster.model.ids import TopicPartition
from kadmin.plan.supervision.stalls import Stall
from kadmin.web.pages.moves import stall_lines


def test_a_reason_is_named_once_with_all_that_wait_for_it() -> None:
    down = [
        Stall(partition=TopicPartition("t", number), reason="broker 3 is not alive", since_ms=0)
        for number in range(7)
    ]
    paused = Stall(partition=None, reason="paused", since_ms=0)

    assert [
        ("broker 3 is not alive", "t-0, t-1, t-2, t-3, t-4, … (7 in all)"),
        ("paused", ""),
    ] == stall_lines([*down, paused])
