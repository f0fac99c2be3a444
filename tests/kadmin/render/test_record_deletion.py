"""Deletions of records: what does an operator read before and afterwards?"""

from cluster.model.ids import TopicPartition
from kadmin.plan.record_deletion import DeletionPlan, DeletionResult, RecordDeletion, Result
from kadmin.render.record_deletion import plan_lines, planned_document, result_document


def deletion(number: int, start: int, before: int, end: int) -> RecordDeletion:
    partition = TopicPartition("t", number)
    return RecordDeletion(partition=partition, start=start, before=before, end=end)


PLAN = DeletionPlan(
    deletions=(deletion(0, 5, 5, 9), deletion(1, 0, 1, 9), deletion(2, 0, 2000, 2000))
)


def test_what_goes_stands_first() -> None:
    assert [
        "plan: delete 2,001 records of 2 partitions; of 1 partition they are already deleted",
        "  t-1: records 0 to 0, 1 record; 8 stay",
        "  t-2: records 0 to 1999, 2,000 records: all that it has",
        "  t-0: it begins at offset 5, and nothing is before 5",
    ] == list(plan_lines(PLAN))


def test_a_long_plan_is_cut_and_a_dry_run_shows_all() -> None:
    plan = DeletionPlan(deletions=tuple(deletion(number, 0, 1, 2) for number in range(22)))

    lines = list(plan_lines(plan))

    assert "plan: delete 22 records of 22 partitions" == lines[0]
    assert "  … and 2 more (--dry-run shows all)" == lines[-1]
    assert 23 == len(list(planned_document([plan]).lines()))


def test_results_are_told_as_kafka_s_tool_tells_them() -> None:
    results = [
        DeletionResult(deletion=each, result=result, low_watermark=each.before, reason=reason)
        for each, result, reason in zip(
            PLAN.deletions,
            (Result.NOTHING, Result.FAILED, Result.DELETED),
            ("", "no", ""),
            strict=True,
        )
    ]

    document = result_document(results)

    assert [
        "Executing records delete operation",
        "Records delete operation completed:",
        "partition: t-0\tlow_watermark: 5",
        "partition: t-1\terror: no",
        "partition: t-2\tlow_watermark: 2000",
    ] == list(document.lines())
    assert ["nothing", "failed", "deleted"] == [row[2] for row in document.rows()]
    assert [] == list(result_document([]).lines())
