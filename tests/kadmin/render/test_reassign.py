"""How much of a plan is shown before moves are given up?"""

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment
from kadmin.plan.reassignment.moves import Move, MovePlan
from kadmin.plan.reassignment.targets import Target
from kadmin.render.reassign import cancellation_lines, cancelled_document

OLD, NEW = BrokerId(1), BrokerId(2)


def moves_under_way(count: int) -> MovePlan:
    moves = tuple(
        Move(
            partition=TopicPartition("t", number),
            before=PartitionAssignment((OLD, NEW), adding=(NEW,), removing=(OLD,)),
            target=Target((OLD,)),
            leader=OLD,
            heading=(NEW,),
        )
        for number in range(count)
    )
    return MovePlan(moves=moves, before={})


def test_a_question_shows_some_of_what_is_given_up_and_a_dry_run_all() -> None:
    many = moves_under_way(23)

    asked = list(cancellation_lines(many))
    dry_run = list(cancelled_document(many, (), (), None, is_dry_run=True).lines())

    assert "  … and 3 more (--dry-run shows all)" == asked[-1]
    assert 1 + 20 + 1 == len(asked)
    assert [
        "plan: 23 moves are given up, and the replicas of before stay",
        *(f"  t-{number}: 1,2 -> 1" for number in range(23)),
    ] == dry_run
