"""Replicas beside each other: how is it said whether they are equal?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from kadmin.jobs.verify.collected import Unreadable
from kadmin.jobs.verify.partition import VerifiedPartition, VerifiedReplica
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.segments.compare import Cause, Divergence, Verdict
from kadmin.segments.values import Damage, DamageKind

if TYPE_CHECKING:
    from rich.console import RenderableType

ORDER: Final = {verdict: number for number, verdict in enumerate(Verdict)}
"""The worst first."""

COLUMNS: Final = (
    "topic",
    "partition",
    "verdict",
    "replicas",
    "compared_from",
    "compared_to",
    "first_divergent_offset",
    "cause",
    "suspects",
    "damage",
)

CAUSES: Final = {
    Cause.NOT_TRUNCATED: "not truncated after an election",
    Cause.CORRUPTION: "corruption, since one leader wrote both",
    Cause.LEADER_EPOCHS: "the same record under two leader epochs",
    Cause.UNKNOWN: "not truncated or corruption, which only leader epochs would show",
}

STYLES: Final = {
    Verdict.DIFFER: "bold red",
    Verdict.DAMAGED: "red",
    Verdict.UNREADABLE: "magenta",
    Verdict.SINGLE: "magenta",
    Verdict.UNCOMPARED: "magenta",
    Verdict.LAGGING: "yellow",
    Verdict.UNREPLICATED: "green",
    Verdict.EQUAL: "green",
}


def worst_first(partitions: Sequence[VerifiedPartition]) -> list[VerifiedPartition]:
    return sorted(partitions, key=lambda each: (ORDER[each.verdict], each.partition))


def verified_document(
    partitions: Sequence[VerifiedPartition],
    unreadable: Sequence[Unreadable],
    misplaced: Sequence[Unreadable] = (),
) -> Document:
    """Return all *partitions*, what was *unreadable* besides them, and the log directories of
    others."""
    ordered = worst_first(partitions)
    return Document(
        schema="kadmin.verify-replicas/1",
        body=lambda: {
            "partitions": [partition_body(each) for each in ordered],
            "unreadable": [each._asdict() for each in unreadable],
            "of_other_brokers": [each._asdict() for each in misplaced],
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(map(csv_record, ordered), COLUMNS, ","),
        lines=lambda: (line for each in ordered for line in partition_lines(each)),
        pretty=lambda: pretty_partitions(ordered),
    )


def summary_line(partitions: Sequence[VerifiedPartition]) -> str:
    counts = Counter(each.verdict for each in partitions)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    size = sum(replica.size_bytes for each in partitions for replica in each.replicas)
    number = len(partitions)
    noun = "partition" if number == 1 else "partitions"
    return f"{number} {noun}, {size:,} bytes" + (f": {parts}" if parts else "")


def compaction_note(partitions: Sequence[VerifiedPartition]) -> str | None:
    """Return what may explain offsets that are missing; None where none are."""
    topics = sorted(
        {
            each.partition.topic
            for each in partitions
            for replica in each.replicas
            if any(damage.kind is DamageKind.OFFSET_GAP for damage in replica.damage)
        }
    )
    if not topics:
        return None
    return (
        f"offsets are missing in {len(topics)} of the topics: where it is compacted, that is no"
        f" damage: --compacted {topics[0]}"
    )


def partition_body(each: VerifiedPartition) -> dict[str, object]:
    comparison = each.comparison
    divergence = None if comparison is None else comparison.divergence
    lagging = () if comparison is None else comparison.lagging
    return {
        "topic": each.partition.topic,
        "partition": each.partition.partition,
        "verdict": str(each.verdict),
        "compared_from": None if comparison is None else comparison.start_offset,
        "compared_to": None if comparison is None else comparison.end_offset,
        "first_divergent_offset": None if divergence is None else divergence.offset,
        "cause": None if divergence is None else str(divergence.cause),
        "sides": []
        if divergence is None
        else [
            {"replicas": list(side.replicas), "leader_epoch": side.leader_epoch}
            for side in divergence.sides
        ],
        "is_deep_needed": each.comparison is not None and each.comparison.is_thinned,
        "has_majority": None if divergence is None else divergence.has_majority,
        "suspects": [] if divergence is None else list(divergence.suspects),
        "replicas": [
            replica_body(replica, is_lagging=replica.broker in lagging) for replica in each.replicas
        ],
        "unreadable": [one._asdict() for one in each.unreadable],
    }


def replica_body(replica: VerifiedReplica, *, is_lagging: bool) -> dict[str, object]:
    return {
        "broker": replica.broker,
        "path": replica.label,
        "log_start_offset": replica.log_start_offset,
        "log_end_offset": replica.log_end_offset,
        "high_watermark": replica.high_watermark,
        "is_lagging": is_lagging,
        "batches": replica.batch_count,
        "size_bytes": replica.size_bytes,
        "damage": [{**one._asdict(), "kind": str(one.kind)} for one in replica.damage],
    }


def csv_record(each: VerifiedPartition) -> dict[str, object]:
    """Return the record of *each* in CSV, which counts replicas and what is damaged."""
    return {
        **partition_body(each),
        "replicas": len(each.replicas),
        "damage": sum(len(replica.damage) for replica in each.replicas),
    }


def partition_lines(each: VerifiedPartition) -> Iterator[str]:
    yield f"{each.partition}: {each.verdict}{range_text(each)}"
    yield from (f"  {line}" for line in detail_lines(each))


def range_text(each: VerifiedPartition) -> str:
    """Return how many replicas were compared, and where."""
    if each.comparison is None:
        return ""
    number = len(each.replicas)
    if number == 1:
        is_all = each.verdict is Verdict.UNREPLICATED
        return ", 1 replica" + ("" if is_all else ", which nothing is compared with")
    start, end = each.comparison.start_offset, each.comparison.end_offset
    return f", {number} replicas, offsets {start} to {end}"


def detail_lines(each: VerifiedPartition) -> Iterator[str]:
    """Return what is wrong with a partition; nothing where all is well."""
    if each.comparison is not None:
        if each.comparison.divergence is not None:
            yield from divergence_lines(each.comparison.divergence)
        ends = {replica.broker: replica.log_end_offset for replica in each.replicas}
        for name in each.comparison.lagging:
            yield f"replica {name} is behind: it ends at {ends[name]}"
        if each.comparison.is_thinned:
            yield (
                "compacted differently: what all replicas have is the same; --deep also proves that"
                " none lacks the latest record of a key"
            )
    for replica in each.replicas:
        for damage in replica.damage:
            yield f"replica {replica.broker}: {damage_text(replica, damage)}"
    for path, reason in each.unreadable:
        yield f"unreadable: {path}: {reason}"


def divergence_lines(divergence: Divergence) -> Iterator[str]:
    yield f"first divergent offset {divergence.offset}: {CAUSES[divergence.cause]}"
    for side in divergence.sides:
        epoch = "no leader epoch" if side.leader_epoch < 0 else f"leader epoch {side.leader_epoch}"
        yield f"{epoch}: replicas {', '.join(side.replicas)}"
    if divergence.suspects:
        yield f"wrong: replicas {', '.join(divergence.suspects)}"
    elif divergence.has_majority:
        yield f"the majority, which need not be right: {', '.join(divergence.sides[0].replicas)}"
    else:
        yield "no side has the majority"


def damage_text(replica: VerifiedReplica, damage: Damage) -> str:
    where = f"{replica.label}/{damage.file}, byte {damage.position}, offset {damage.offset}"
    return f"{where}: {damage.kind}: {damage.reason}"


def pretty_partitions(ordered: Sequence[VerifiedPartition]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Shown, table_of

    def compared(each: VerifiedPartition) -> str:
        if each.comparison is None or len(each.replicas) == 1:
            return ""
        return f"{each.comparison.start_offset} to {each.comparison.end_offset}"

    return table_of(
        ordered,
        Shown("partition", lambda each: str(each.partition), least=32),
        Shown("verdict", lambda each: Text(str(each.verdict), STYLES[each.verdict])),
        Shown("replicas", lambda each: ",".join(one.broker for one in each.replicas), worth=2),
        Shown("compared", compared, worth=1),
        Shown("what", lambda each: "\n".join(detail_lines(each)), least=40),
    )
