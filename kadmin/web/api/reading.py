"""What the API answers about a cluster, from its latest look; no request asks a server."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from kadmin.errors import UnreachableError
from kadmin.plan.broker_names import dead_brokers
from kadmin.plan.groups.verdict import GroupVerdict
from kadmin.plan.health import judge_loads
from kadmin.plan.reassignment.moves import running_moves
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.render.brokers import describe_document as brokers_document
from kadmin.render.check import check_document
from kadmin.render.controller import controller_document
from kadmin.render.groups.lag import lag_document
from kadmin.render.groups.verdicts import verdict_document
from kadmin.render.log_dirs import usage_document
from kadmin.render.reassign.moves import list_document as moves_document
from kadmin.render.topics.describe import describe_document
from kadmin.render.topics.summary import summary_document
from kadmin.reports.groups import GroupLag, GroupsReport, JudgedGroups
from kadmin.reports.log_dir_usage import Grouping, usage_report
from kadmin.reports.topic_summary import TopicSummaries, summary_of
from kadmin.reports.topics import report_on
from kadmin.reports.views.groups import COLUMNS as GROUP_COLUMNS
from kadmin.reports.views.groups import group_rows
from kadmin.reports.views.paging import page_of, parse_page
from kadmin.reports.views.topics import TopicRow
from kadmin.web.api.answers import answer
from kadmin.web.clusters import BEHIND_MS, Groups
from kadmin.web.visit import NoSuchThing, Visit


class NotKnown(UnreachableError):
    """Something has not been read yet."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what} are not known yet{reason}", hint="ask again in a moment")


def check(visit: Visit) -> Response:
    return answer(visit, check_document(visit.look.report), visit.look.at_ms)


def controller(visit: Visit) -> Response:
    document = controller_document(visit.look.observed.snapshot)
    return answer(visit, document, visit.look.at_ms)


def brokers(visit: Visit) -> Response:
    snapshot = visit.look.observed.snapshot
    return answer(visit, brokers_document(snapshot, judge_loads(snapshot)), visit.look.at_ms)


def log_dirs(visit: Visit) -> Response:
    """Answer with the directories of brokers.

    Raises:
        NotKnown: no broker returned any.
    """
    found = visit.look.observed.log_dirs
    if found is None:
        raise NotKnown("log directories", "")
    silent = visit.look.evidence.silent_brokers
    dead = dead_brokers(visit.look.observed.snapshot)
    document = usage_document(usage_report(found, Grouping.DIR, silent=silent, dead=dead))
    return answer(visit, document, visit.look.at_ms)


def moves(visit: Visit) -> Response:
    observed = visit.look.observed
    snapshot = observed.snapshot
    sizes = sizes_of(observed.log_dirs or {})
    document = moves_document(running_moves(snapshot), [], sizes, {}, snapshot.stale_moves)
    return answer(visit, document, visit.look.at_ms)


def topics(visit: Visit) -> Response:
    """Answer with a page of topics, each summed up."""
    observed, table = visit.look.observed, visit.look.topics
    page = table.page(parse_page(visit.request.query_params))
    report = report_on(observed.snapshot, [], default_min_isr=observed.default_min_isr)
    rows = tuple(
        summary_of(
            report, observed.snapshot.topics[row.name], table.sizes, observed.default_min_isr
        )
        for row in page.rows
    )
    summaries = TopicSummaries(
        report=report, rows=rows, hidden_count=page.match_count - len(page.rows)
    )
    return answer(visit, summary_document(summaries), visit.look.at_ms, page)


def spread(visit: Visit) -> Response:
    """Answer with a page of topics, each with its spread over the brokers, in CMAK's measures."""
    page = visit.look.topics.page(parse_page(visit.request.query_params))
    body = {
        "schema": "kadmin.page.spread/1",
        "topics": list(map(spread_record, page.rows)),
        "hidden_topics": page.match_count - len(page.rows),
    }
    return answer(visit, body, visit.look.at_ms, page)


def spread_record(row: TopicRow) -> dict[str, Any]:
    return {
        "topic": row.name,
        "partitions": row.partition_count,
        "brokers": row.broker_count,
        "broker_skew_percent": row.broker_skew_percent,
        "leader_skew_percent": row.leader_skew_percent,
        "spread_percent": row.spread_percent,
        "under_replicated_percent": row.under_replicated_percent,
        "preferred_percent": row.preferred_percent,
        "size_bytes": row.size_bytes,
        "unsized_replicas": row.unsized_count,
        "offsets_sum": row.offsets_sum,
        "unknown_ends": row.endless_count,
        "records_per_s": None if row.rate is None else round(row.rate, 3),
    }


def topic(visit: Visit) -> Response:
    """Answer with one topic.

    Raises:
        NoSuchThing: there is none of that name.
    """
    observed, name = visit.look.observed, visit.path("topic")
    if name not in observed.snapshot.topics:
        raise NoSuchThing("topic", name)
    report = report_on(observed.snapshot, [name], default_min_isr=observed.default_min_isr)
    return answer(visit, describe_document(report), visit.look.at_ms)


def judged(visit: Visit) -> Groups:
    """Return what is known of groups.

    Raises:
        NotKnown: nothing is.
    """
    reading = visit.of.groups.reading
    if reading.answer is None:
        raise NotKnown("groups", "" if reading.error is None else f": {reading.error.message}")
    return reading.answer


def groups(visit: Visit) -> Response:
    """Answer with a page of groups, each with its verdict."""
    found = judged(visit)
    by_name: Mapping[str, GroupVerdict] = {each.group.name: each for each in found.verdicts}
    request = parse_page(visit.request.query_params)
    page = page_of(group_rows((), found.verdicts), request, lambda row: row.name, GROUP_COLUMNS)
    document = verdict_document(
        JudgedGroups(
            groups=tuple(by_name[row.name] for row in page.rows),
            now_ms=found.at_ms,
            behind_ms=BEHIND_MS,
            window_ms=round(1000 * visit.of.groups.interval_s),
            unanswered=found.unanswered,
            hidden_count=page.match_count - len(page.rows),
        )
    )
    return answer(visit, document, found.at_ms, page)


def group(visit: Visit) -> Response:
    """Answer with one group, and its lag in each partition.

    Raises:
        NoSuchThing: there is none of that name.
    """
    found, name = judged(visit), visit.path("group")
    verdict = next((each for each in found.verdicts if each.group.name == name), None)
    if verdict is None:
        raise NoSuchThing("group", name)
    parts = sorted(verdict.partitions, key=lambda part: part.row.partition)
    report = GroupsReport(
        groups=(GroupLag(group=verdict.group, rows=tuple(part.row for part in parts)),),
        now_ms=verdict.time_ms,
        movements={
            (name, part.row.partition): part.movement for part in parts if part.movement is not None
        },
    )
    return answer(visit, lag_document(report), found.at_ms)
