"""`kadmin reassign plan`: from saved clusters and a live one, to files that others take."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.app.snapshot_files import write_snapshot_file
from kadmin.arguments.reassignment_files import parse_targets
from kadmin.cli.reassign.plan import GOALS
from kadmin.errors import ExitCode
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog
from kadmin.plan.moves.plan_file import from_json
from kadmin.plan.moves.request import Goal
from kadmin.render.reassign.load_picture import PANEL
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.snapshots.builders import saved
from tests.support.cli import done, kadmin
from tests.support.znodes import all_znodes

SVG = "{http://www.w3.org/2000/svg}"
ORDERS = cluster(brokers("1:a 2:b 3:c 4:a"), topic("orders", "1,2,3 2,3,1 3,1,2"))


@pytest.fixture
def orders(tmp_path: Path) -> str:
    return saved_as(tmp_path, ORDERS)


def saved_as(directory: Path, snapshot: ClusterSnapshot, log_dirs: LogDirs | None = None) -> str:
    path = str(directory / "cluster.json")
    write_snapshot_file(path, saved(snapshot=snapshot, log_dirs=log_dirs or {}))
    return path


def plan(*arguments: str) -> dict[str, object]:
    return dict(json.loads(done("reassign", "plan", *arguments, "--output", "json")))


def test_a_plan_says_what_it_copies_and_that_it_is_the_least(orders: str) -> None:
    text = done("reassign", "plan", "--goal", "drain", "--brokers", "1", "--snapshot", orders)

    assert [
        "drain: 3 partitions to change, 3 replicas to copy, 1 other preferred leader",
        "this is the least: no plan for this goal copies less",
        "  broker 1, rack a: replicas 3 -> 0, preferred leader of 1 -> 0",
        "  broker 4, rack a: replicas 0 -> 3, preferred leader of 0 -> 1",
        "  orders-0: 1,2,3 -> 4,2,3",
        "  orders-1: 2,3,1 -> 2,3,4",
        "  orders-2: 3,1,2 -> 3,4,2",
    ] == text.splitlines()


def test_json_has_the_bounds_and_is_a_plan_file_itself(orders: str) -> None:
    arguments = ("--goal", "replace", "--replace", "1=4", "--snapshot", orders)

    found = plan(*arguments)
    text = done("reassign", "plan", *arguments, "--output", "json")

    assert (3, 3, None, None, True) == tuple(
        found[key]
        for key in (
            "moved_replicas",
            "lower_bound",
            "moved_bytes",
            "lower_bound_bytes",
            "optimal",
        )
    )
    assert {"replace": ["1=4"]} == from_json(text, "-").arguments
    assert 3 == len(from_json(text, "-").moves)


def test_the_file_is_written_once_and_reassign_takes_it(orders: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    arguments = ("reassign", "plan", "--goal", "drain", "--brokers", "1", "--snapshot", orders)

    first = kadmin(*arguments, "--out", str(path))
    again = kadmin(*arguments, "--out", str(path))
    forced = kadmin(*arguments, "--out", str(path), "--force")

    assert ExitCode.DONE == first.exit_code == forced.exit_code
    assert f"next: kadmin simulate --plan {path}; then kadmin reassign run {path}\n" == first.stderr
    assert ExitCode.REFUSED == again.exit_code
    assert f"{path} exists already" in again.stderr
    targets = parse_targets(path.read_text(), "plan.json")
    assert (4, 2, 3) == targets[TopicPartition("orders", 0)].replicas


@pytest.mark.parametrize("goal", sorted(set(Goal) - {Goal.BALANCE, Goal.RELIEVE}))
def test_what_is_balanced_makes_no_difference_to_other_goals(orders: str, goal: Goal) -> None:
    needs = {
        Goal.DRAIN: ("--brokers", "1"),
        Goal.ADD: ("--brokers", "4"),
        Goal.REPLACE: ("--replace", "1=4"),
        Goal.REPLICATION_FACTOR: ("--replication-factor", "2"),
    }
    arguments = ("--goal", str(goal), *needs.get(goal, ()), "--snapshot", orders)

    without, by_bytes = plan(*arguments), plan(*arguments, "--by", "bytes")

    assert {**without, "planned_at_ms": 0} == {**by_bytes, "planned_at_ms": 0}


def test_a_picture_shows_each_broker_before_and_after(orders: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.svg"

    done(
        "reassign", "plan", "--goal", "drain", "--brokers", "1", "--snapshot", orders,
        "--svg", str(path),
    )  # fmt: skip

    titles = [node.text for node in ElementTree.parse(path).iter(f"{SVG}title")]
    assert 2 * 2 * 4 == len(titles)
    assert "broker 1 (rack a): replicas 3 → 0, peak 3" in titles
    assert "broker 4 (rack a): preferred leader of 0 → 1, peak 1" in titles


def test_no_bar_of_a_picture_is_higher_than_its_panel(tmp_path: Path) -> None:
    """Also where a broker leads less afterwards than any did before."""
    path = tmp_path / "plan.svg"
    uneven = saved_as(tmp_path, cluster(brokers("1 2"), topic("orders", "1,2 1,2 1,2 1,2")))

    done("reassign", "plan", "--goal", "leaders", "--snapshot", uneven, "--svg", str(path))

    bars = [bar for bar in ElementTree.parse(path).iter(f"{SVG}rect") if len(bar)]
    assert "broker 1: preferred leader of 4 → 2, peak 4" in [bar[0].text for bar in bars]
    assert float(PANEL) == max(float(bar.get("height", 0)) for bar in bars)


def test_a_file_in_no_directory_is_refused_before_anything_is_read() -> None:
    outcome = kadmin(
        "reassign", "plan", "--goal", "leaders", "--svg", "/no/such/place.svg",
        "--zookeeper", "127.0.0.1:1",
    )  # fmt: skip

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert "its directory does not exist" in outcome.stderr


def test_sizes_are_those_in_the_log_directories(tmp_path: Path) -> None:
    logs = tuple(
        ReplicaLog(partition=TopicPartition("t", number), size_bytes=size, lag_records=0)
        for number, size in enumerate((900, 10, 800, 20))
    )
    directory = LogDir(path="/d", replicas=logs, total_bytes=2000, usable_bytes=270)
    empty = LogDir(path="/d", total_bytes=2000, usable_bytes=2000)
    snapshot = cluster(brokers("0 1"), topic("t", "0 0 0 0"))
    path = saved_as(tmp_path, snapshot, {BrokerId(0): (directory,), BrokerId(1): (empty,)})

    balanced = plan("--goal", "balance", "--snapshot", path)
    relieved = plan("--goal", "relieve", "--above", "85%", "--snapshot", path)
    even = plan("--goal", "balance", "--by", "bytes", "--snapshot", path)

    assert (30, 30) == (balanced["moved_bytes"], balanced["lower_bound_bytes"])
    assert (30, 30, True) == (
        relieved["moved_bytes"],
        relieved["lower_bound_bytes"],
        relieved["optimal"],
    )
    assert even["moved_bytes"] == 800


def test_a_table_of_partitions_is_csv(orders: str) -> None:
    text = done(
        "reassign", "plan", "--goal", "drain", "--brokers", "1", "--snapshot", orders,
        "--output", "csv",
    )  # fmt: skip

    assert [
        "topic,partition,replicas,target,adding,removing,size_bytes",
        'orders,0,"1,2,3","4,2,3",4,1,',
    ] == text.splitlines()[:2]


def test_nothing_to_do_is_a_success(orders: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"

    outcome = kadmin(
        "reassign", "plan", "--goal", "drain", "--brokers", "4", "--snapshot", orders,
        "--out", str(path),
    )  # fmt: skip

    assert (0, "drain: nothing has to move, the goal is reached\n") == (
        outcome.exit_code,
        outcome.stdout,
    )
    assert () == from_json(path.read_text(), "p").moves


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--goal", "drain"), ExitCode.USAGE, "--goal drain needs --brokers"),
        (("--goal", "drain", "--brokers", "x"), ExitCode.USAGE, "--brokers contains what is no"),
        (("--goal", "replace", "--replace", "1"), ExitCode.USAGE, "no pair of brokers: '1'"),
        (("--goal", "replace", "--replace", "1=2,2=3"), ExitCode.USAGE, "more than once: 2"),
        (("--goal", "relieve", "--above", "x"), ExitCode.USAGE, "'x' is not a valid percent"),
        (("--goal", "relieve", "--above", "101%"), ExitCode.USAGE, "101.0 is not in the range"),
        (("--goal", "racks", "--tolerance", "5"), ExitCode.USAGE, "does not take --tolerance"),
        (("--goal", "balance", "--tolerance", "5"), ExitCode.USAGE, "--tolerance needs --by bytes"),
        (("--goal", "leaders", "--no-brokers"), ExitCode.USAGE, "--no-brokers does not go with"),
        (("--goal", "sleep"), ExitCode.USAGE, "'sleep' is not one of"),
        (("--goal", "drain", "--brokers", "9"), ExitCode.FAILED, "there is no broker 9"),
        (("--goal", "leaders", "--topic", "x"), ExitCode.FAILED, "x"),
        (("--goal", "leaders", "--exclude-topic", "x*"), ExitCode.FAILED, "x*"),
        (
            ("--goal", "drain", "--brokers", "1,4"),
            ExitCode.REFUSED,
            "orders-0 is to have 3 replicas, and only 2 brokers may hold them",
        ),
        (
            ("--goal", "drain", "--brokers", "1", "--max-replicas", "2"),
            ExitCode.REFUSED,
            "broker 4 (rack a) may hold no more than 2",
        ),
        (("--goal", "relieve", "--above", "85"), ExitCode.REFUSED, "no broker reports the size of"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    orders: str, arguments: tuple[str, ...], code: ExitCode, message: str
) -> None:
    outcome = kadmin("reassign", "plan", *arguments, "--snapshot", orders)

    assert (code, "") == (outcome.exit_code, outcome.stdout), outcome.stderr
    assert message in outcome.stderr
    assert "hint: " in outcome.stderr


def test_a_cluster_that_is_moving_is_not_planned_for(tmp_path: Path) -> None:
    moving = topic("orders", "1,2,3", adding="3")
    path = saved_as(tmp_path, cluster(brokers("1 2 3"), moving))

    outcome = kadmin("reassign", "plan", "--goal", "leaders", "--snapshot", path)

    assert ExitCode.REFUSED == outcome.exit_code
    assert "1 partition is being reassigned: orders-0" in outcome.stderr


def test_the_option_has_every_goal() -> None:
    assert tuple(Goal) == GOALS


def test_without_scipy_the_line_that_installs_it_is_shown(
    orders: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kadmin.extras.is_installed", lambda module: module != "scipy")

    outcome = kadmin("reassign", "plan", "--goal", "leaders", "--snapshot", orders)

    assert ExitCode.FAILED == outcome.exit_code
    assert "kadmin-kafka[plan], which is not installed" in outcome.stderr


@pytest.mark.zk
def test_a_live_cluster_is_read_and_not_changed(small: str) -> None:
    before = all_znodes(small)

    found = plan("--goal", "drain", "--brokers", "2", "--no-brokers")

    assert before == all_znodes(small)
    (move,) = found["partitions"] if isinstance(found["partitions"], list) else []
    assert ("t", 2, [0, 2], [0, 1]) == tuple(
        move[key] for key in ("topic", "partition", "replicas", "target")
    )
    assert 0 == move["zk_version"]


@pytest.mark.zk
def test_a_plan_goes_from_the_planner_to_a_dry_run(small: str) -> None:
    done("reassign", "plan", "--goal", "drain", "--brokers", "2", "--no-brokers", "--out", "p.json")

    text = done("reassign", "--execute", "--reassignment-json-file", "p.json", "--dry-run")

    assert "t-2: 0,2 -> 0,1" in text
