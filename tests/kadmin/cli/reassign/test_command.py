"""`kadmin reassign` over a real ZooKeeper, with a controller that the tests pretend to be."""

from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.reassign.steps import controlled, execute, settled, targets_file, verify
from tests.support.cli import done
from tests.support.znodes import all_znodes

pytestmark = pytest.mark.zk
CURRENT = (
    '{"version":1,"partitions":['
    '{"topic":"t","partition":0,"replicas":[0,1],"log_dirs":["any","any"]},'
    '{"topic":"t","partition":1,"replicas":[1,0],"log_dirs":["any","any"]},'
    '{"topic":"t","partition":2,"replicas":[0,2],"log_dirs":["any","any"]}]}'
)


def test_a_proposal_is_made_and_carried_out_and_found_done(small: str) -> None:
    Path("topics.json").write_text('{"topics":[{"topic":"t"}],"version":1}')
    lines = done(
        "reassign", "--generate", "--topics-to-move-json-file", "topics.json",
        "--broker-list", "1,2",
    ).split("\n")  # fmt: skip
    assert "Current partition replica assignment" == lines[0]
    assert CURRENT == lines[1]
    assert ["", "Proposed partition reassignment configuration"] == lines[2:4]
    Path("plan.json").write_text(lines[4])

    with controlled(small):
        started = execute("plan.json")
        settled(small)
    found = verify("plan.json")

    assert ExitCode.DONE == started.exit_code, started
    assert started.stdout.startswith(
        f"Current partition replica assignment\n\n{CURRENT}\n\n"
        "Save this to use as the --reassignment-json-file option during rollback\n"
    )
    assert started.stdout.endswith("Successfully started partition reassignments for t-0,t-1,t-2\n")
    assert ExitCode.DONE == found.exit_code, found
    assert (
        "Status of partition reassignment:\n"
        + "".join(f"Reassignment of partition t-{n} is completed.\n" for n in range(3))
        == found.stdout
    )


def test_the_rollback_file_takes_all_of_it_back(small: str) -> None:
    plan = targets_file(t_0="2,1", t_1="1,2")
    with controlled(small) as controller:
        started = execute(plan, "--rollback-file", "back.json")
        settled(small)
        done("reassign", "--execute", "--reassignment-json-file", "back.json")
        settled(small)

    assert "rollback file: back.json\n" in started.stderr
    assert (
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,1]},'
        b'{"topic":"t","partition":1,"replicas":[1,2]}]}' == controller.requests[0]
    )
    assert ExitCode.DONE == verify("back.json").exit_code
    assert 1 == len(list(Path().glob("reassign-rollback-*.json")))


def test_a_rollback_file_is_never_overwritten_and_without_one_nothing_moves(small: str) -> None:
    plan = targets_file(t_0="2,1")
    Path("back.json").write_text("precious")
    before = all_znodes(small)

    there = execute(plan, "--rollback-file", "back.json", "--throttle", "5")
    nowhere = execute(plan, "--rollback-file", "no/such/back.json")

    assert (ExitCode.REFUSED, "") == (there.exit_code, there.stdout)
    assert "cannot write the rollback file back.json: it is there already" in there.stderr
    assert (ExitCode.REFUSED, "") == (nowhere.exit_code, nowhere.stdout)
    assert "precious" == Path("back.json").read_text()
    assert before == all_znodes(small)


def test_a_dry_run_shows_the_plan_and_writes_nothing(small: str) -> None:
    before = all_znodes(small)
    plan = targets_file(t_0="2,1", t_1="1,0")

    text = done(
        "reassign-partitions", "--execute", "--reassignment-json-file", plan, "--dry-run",
        "--throttle", "1000",
    )  # fmt: skip

    assert (
        "plan: 1 partition gets other replicas, 1 of them with another leader\n"
        "  1 more have theirs already, or are being moved\n"
        "  broker 0: 0 replicas added, 1 removed\n"
        "  broker 2: 1 replica added, 0 removed\n"
        "  t-0: 0,1 -> 2,1, leadership moves off broker 0\n" == text
    )
    assert before == all_znodes(small)
    assert ["plan.json"] == [path.name for path in Path().iterdir()]
