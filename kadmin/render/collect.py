"""A collection: how is it said what is in it, and how far it is?"""

from collections.abc import Iterator, Sequence
from typing import Any

from cluster.model.config_entity import ConfigEntity, ConfigOverrides
from cluster.model.snapshot import ClusterSnapshot
from kadmin.called_name import as_called
from kadmin.jobs.collect import Progress
from kadmin.jobs.collection import CollectedFile, Manifest
from kadmin.jobs.collection_check import Difference
from kadmin.jobs.verify.collected import Unreadable
from kadmin.plan.health import judge_loads
from kadmin.render import brokers, configs, controller
from kadmin.render.output import Document, full_body
from kadmin.render.topics import describe as topics
from kadmin.reports.topics import report_on
from kadmin.wording import amount, counted

COLUMNS = ("broker", "kind", "files", "size_bytes")


def collected_document(
    directory: str, files: Sequence[CollectedFile], missing: Sequence[Unreadable]
) -> Document:
    """Return what there is of each broker in the collection at *directory*, and what is
    *missing*."""
    keys = sorted({(int(each.broker), each.kind) for each in files})
    rows = [
        (broker, kind, len(found), sum(each.size_bytes for each in found))
        for broker, kind in keys
        if (found := [each for each in files if (int(each.broker), each.kind) == (broker, kind)])
    ]
    return Document(
        schema="kadmin.collect/1",
        body=lambda: {
            "directory": directory,
            "brokers": [dict(zip(COLUMNS, row, strict=True)) for row in rows],
            "missing": [each._asdict() for each in missing],
        },
        columns=COLUMNS,
        rows=lambda: rows,
        lines=lambda: (
            f"broker {broker}: {kind.replace('_', ' ')}: {counted(count, 'file')}, {amount(size)}"
            for broker, kind, count, size in rows
        ),
    )


def checked_document(directory: str, manifest: Manifest, found: Sequence[Difference]) -> Document:
    """Return the differences between the collection at *directory* and its manifest."""
    size = sum(file.size_bytes for file in manifest.files.values())

    def lines() -> Iterator[str]:
        yield from (f"{path}: {kind}: {reason}" for path, kind, reason in found)
        yield from (
            f"left out when it was collected: {each['label']}: {each['reason']}"
            for each in manifest.missing
        )
        if not manifest.is_finished:
            yield as_called("it is not finished: the same kadmin collect goes on with it")
        files = counted(len(manifest.files), "file")
        yield f"{files}, {amount(size)}: " + (
            f"{counted(len(found), 'difference')}" if found else "all as in the manifest"
        )

    return Document(
        schema="kadmin.collect.check/1",
        body=lambda: {
            "directory": directory,
            "files": len(manifest.files),
            "size_bytes": size,
            "is_finished": manifest.is_finished,
            "missing": [dict(each) for each in manifest.missing],
            "differences": [{**each._asdict(), "kind": str(each.kind)} for each in found],
        },
        columns=Difference._fields,
        rows=lambda: [(path, str(kind), reason) for path, kind, reason in found],
        lines=lines,
    )


def cluster_body(
    snapshot: ClusterSnapshot, overrides: dict[ConfigEntity, ConfigOverrides]
) -> dict[str, Any]:
    """Return the whole *snapshot*, and the brokers' *overrides*, in the documents of other
    commands."""
    return {
        "schema": "kadmin.collection.cluster/1",
        "controller": full_body(controller.controller_document(snapshot)),
        "brokers": full_body(brokers.describe_document(snapshot, judge_loads(snapshot))),
        "topics": full_body(topics.describe_document(report_on(snapshot, list(snapshot.topics)))),
        "broker_configs": full_body(configs.describe_document(overrides, ())),
    }


def progress_note(progress: Progress) -> str:
    rate = progress.copied_bytes / max(progress.elapsed_s, 0.001)
    left = max(0, progress.total_bytes - progress.done_bytes)
    return (
        f"{amount(progress.done_bytes)} of {amount(progress.total_bytes)}, {amount(rate)}/s,"
        f" about {left / max(rate, 1):.0f} s left"
    )
