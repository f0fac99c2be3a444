"""The schemas of the API's answers, for clusters in which much is missing, ill or moving."""

import json
from dataclasses import replace

import jsonschema_rs
import pytest

from cluster.model.controller import Feature, Quorum, QuorumReplica
from cluster.model.ids import BrokerId
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.judge import judge
from kadmin.plan.health import judge_loads
from kadmin.plan.reassignment.moves import running_moves
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.render.brokers import describe_document as brokers_document
from kadmin.render.check import check_document
from kadmin.render.controller import controller_document
from kadmin.render.log_dirs import usage_document
from kadmin.render.output import Document, full_body
from kadmin.render.reassign.moves import list_document
from kadmin.render.topics.describe import describe_document
from kadmin.reports.log_dir_usage import Grouping, usage_report
from kadmin.reports.topics import report_on
from kadmin.web.api import schemas
from tests.kadmin.reports.views.test_views import OBSERVED, SNAPSHOT

QUORUM = Quorum(
    leader_id=BrokerId(1),
    leader_epoch=1,
    high_watermark=5,
    replicas=(
        QuorumReplica(node_id=BrokerId(1), is_voter=True, log_end_offset=5, last_fetch_ms=5),
        QuorumReplica(node_id=BrokerId(2), is_voter=False, log_end_offset=-1),
    ),
)
FEATURE = Feature(name="metadata.version", level=21, supported_min=1, supported_max=27)
ON_KRAFT = replace(SNAPSHOT, quorum=QUORUM, features=(FEATURE,))
assert OBSERVED.log_dirs is not None


@pytest.mark.parametrize(
    ("document", "schema"),
    [
        (controller_document(SNAPSHOT), schemas.CONTROLLER),
        (controller_document(replace(SNAPSHOT, controller=None)), schemas.CONTROLLER),
        (
            controller_document(ON_KRAFT),
            schemas.CONTROLLER,
        ),
        (brokers_document(SNAPSHOT, judge_loads(SNAPSHOT)), schemas.BROKERS),
        (check_document(judge(Evidence(snapshot=SNAPSHOT, now_ms=1))), schemas.CHECK),
        (describe_document(report_on(SNAPSHOT, list(SNAPSHOT.topics))), schemas.TOPIC),
        (usage_document(usage_report(OBSERVED.log_dirs, Grouping.DIR)), schemas.LOG_DIRS),
        (
            list_document(running_moves(SNAPSHOT), [], sizes_of(OBSERVED.log_dirs), {}),
            schemas.MOVES,
        ),
    ],
)
def test_a_document_has_its_schema(document: Document, schema: schemas.Schema) -> None:
    body = json.loads(json.dumps(full_body(document)))

    errors = jsonschema_rs.Draft202012Validator(schema).iter_errors(body)
    assert [] == [f"{error.instance_path}: {error.message}" for error in errors]
