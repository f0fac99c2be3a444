"""What a terminal shows: the words that a person acts on, and the marks on them."""

from dataclasses import replace
from typing import Any

from cluster.model.ids import BrokerId, ControllerEpoch
from kadmin.plan.health import Finding, judge_loads
from kadmin.render.brokers import describe_document as describe_brokers
from kadmin.render.output import Output
from kadmin.render.tables import FittedTable, Screen, shortened, shortened_paths
from kadmin.render.topics.describe import describe_document
from kadmin.reports.topics import folded, report_on
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.render.terminal import FakeTerminal

SICK = cluster(
    brokers("0:a 1:b 2:c"),
    topic(
        "orders",
        "0,1,2 1,2,0 2,7,0 0,1,2 0,1,2",
        {
            0: state(0, "0,1,2"),
            1: state(2, "2,0"),
            2: state(-1, "7"),
            3: state(0, "0,1,2", leader_recovery_state=1),
        },
        configs={"min.insync.replicas": "2"},
        adding="2",
    ),
)


def shown(document, *, color=False, width=120) -> str:
    assert document.pretty is not None
    stream = FakeTerminal()
    console = Output(stdout=stream, color=color).console()
    console.width = width
    console.print(document.pretty())
    return stream.getvalue()


def rows_of(text: str) -> dict[str, str]:
    lines = [line.strip() for line in text.splitlines()]
    return {line.split()[0]: line for line in lines if line[:1].isdigit() and "live" not in line}


def test_every_ailment_is_said_in_words_that_name_brokers():
    rows = rows_of(shown(describe_document(report_on(SICK, ["orders"])), width=160))

    assert "reassigning +2" in rows["0"]
    assert "2 (preferred 1)" in rows["1"]
    assert "out of ISR: 1, at min ISR (2)" in rows["1"]
    assert "none" in rows["2"]
    needs = "needs broker 7 (the only ISR member)"
    assert f"no leader: {needs}, under min ISR (1 of 2), out of ISR: 2, 0" in rows["2"]
    assert "recovering from an unclean election" in rows["3"]
    assert "not taken up by a controller" in rows["4"]
    assert "c - a" in rows["2"]


def test_a_state_that_is_ahead_of_every_controller_is_bad():
    told = state(0, "0")._replace(controller_epoch=ControllerEpoch(9))
    snapshot = cluster(brokers("0"), topic("orders", "0", {0: told}))

    text = shown(describe_document(report_on(snapshot, ["orders"])))

    assert "controller epoch 9 is ahead: elections fail" in rows_of(text)["0"]
    assert "1 controller epoch ahead" in text


def test_the_heading_counts_what_is_wrong():
    heading = " ".join(shown(describe_document(report_on(SICK, ["orders"]))).split())

    assert heading.startswith("1 topic, 5 partitions on 3 live brokers, controller 0")
    assert "2 unavailable" in heading
    assert "1 not preferred" in heading


def test_the_heading_breaks_between_what_it_counts_and_not_within():
    lines = shown(describe_document(report_on(SICK, ["orders"])), width=75).splitlines()

    assert [
        "1 topic, 5 partitions on 3 live brokers, controller 0  1 no state yet",
        "2 unavailable  2 under min ISR  3 under-replicated  1 not preferred",
        "",
    ] == lines[:3]


def test_a_healthy_topic_says_so():
    snapshot = cluster(brokers("0 1"), topic("t", "0,1 1,0"))

    text = shown(describe_document(report_on(snapshot, ["t"])))

    assert "all in sync" in text
    assert "leaders 0:1 1:1 (skew 0)" in text
    assert "racks" not in text


def test_each_topic_has_a_heading_with_all_that_is_true_of_it():
    doomed = topic("t", "0,1 1,0", configs={"k": "v"}, marked=True)
    snapshot = cluster(brokers("0:a 1:b"), doomed)

    lines = shown(describe_document(report_on(snapshot, ["t"]))).splitlines()

    topic_id = doomed.assignment.topic_id
    assert [
        f"t  2 partitions × 2 replicas  id {topic_id}  marked for deletion",
        "leaders 0:1 1:1 (skew 0)",
        "configs k=v",
    ] == lines[2:5]
    assert ["partition", "leader", "replicas", "racks", "status"] == lines[5].split()


def test_the_columns_of_brokers_have_names():
    head, *_ = shown(describe_brokers(SICK, judge_loads(SICK))).splitlines()

    assert "broker endpoints rack epoch since (UTC) replicas leaders preferred" == " ".join(
        head.split()
    )


def test_replicas_out_of_the_isr_and_dead_ones_are_struck():
    text = shown(
        describe_document(report_on(SICK, ["orders"], only=Finding.UNDER_REPLICATED)), color=True
    )

    assert "\x1b[9;33m1\x1b[0m" in text  # Struck and yellow: alive, out of the ISR.
    assert "\x1b[9;31m7\x1b[0m" in text  # Struck and red: dead.


def test_brokers_show_skew_and_death():
    text = shown(describe_brokers(SICK, judge_loads(SICK)))

    assert "0 controller" in text
    assert "7 dead" in text
    assert "PLAINTEXT://127.0.0.1:9093" in text


def test_texts_of_the_cluster_are_no_markup():
    """A rack may have any name, and IPv6 addresses stand in brackets."""
    odd = brokers("0:[/red] 1::fire: 2:[bold]")
    endpoint = replace(odd[BrokerId(0)].endpoints[0], host="fe80::1")
    odd[BrokerId(0)] = replace(odd[BrokerId(0)], endpoints=(endpoint,))
    snapshot = cluster(odd, topic("t", "0,1,2"))

    described = shown(describe_brokers(snapshot, judge_loads(snapshot)))
    partitions = shown(describe_document(report_on(snapshot, ["t"])))

    assert "PLAINTEXT://[fe80::1]:9092" in described
    for rack in ("[/red]", ":fire:", "[bold]"):
        assert rack in described
        assert rack in partitions


def test_a_leaderless_partition_with_enough_in_its_isr_is_not_said_to_lack_any():
    snapshot = cluster(brokers("0"), topic("t", "0 3", {0: state(0, "0"), 1: state(-1, "3")}))

    text = shown(describe_document(report_on(snapshot, ["t"])))

    assert rows_of(text)["1"].endswith("no leader: needs broker 3 (the only ISR member)")
    assert "leaders 0:1 3:0 (skew 1)" in text


def test_the_isr_stands_in_digits_where_it_differs_from_the_replicas():
    made = {0: state(0, "0,1"), 1: state(1, "1"), 2: state(-1, "")}
    sick = report_on(cluster(brokers("0 1"), topic("t", "0,1 1,0 0,1", made)), ["t"])
    sound = report_on(cluster(brokers("0 1"), topic("t", "0,1 1,0")), ["t"])

    rows = rows_of(shown(describe_document(sick)))

    assert ["0", "0", "0", "1", "0", "1"] == rows["0"].split()[:6]
    assert ["1", "1", "1", "0", "1"] == rows["1"].split()[:5]
    assert ["2", "none", "0", "1", "none"] == rows["2"].split()[:5]
    assert " isr " not in shown(describe_document(sound))


def test_what_is_not_found_is_told_with_how_many_were_looked_at():
    snapshot = cluster(brokers("0 1"), topic("t", "0,1 1,0"))

    none_sick = report_on(snapshot, ["t"], only=Finding.UNDER_REPLICATED)
    no_overrides = report_on(snapshot, ["t"], with_overrides=True)

    assert "none of 2 partitions: under-replicated\n" == shown(describe_document(none_sick))
    assert "none of 1 topic has configs of its own\n" == shown(describe_document(no_overrides))
    assert report_on(snapshot, ["t"]).emptiness is None


def fitted(width: int, *tables: FittedTable) -> list[str]:
    stream = FakeTerminal()
    console = Output(stdout=stream, color=False).console()
    console.width = width
    console.print(Screen(tables))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def made(*cells: str) -> FittedTable:
    table = FittedTable("key")
    table.add_column("dear", worth=2)
    table.add_column("cheap", worth=1)
    table.add_column("what", least=6)
    table.add_row(*cells)
    return table


def test_a_table_that_fits_is_whole():
    assert ["key   dear   cheap   what", "a     b      c       d"] == fitted(
        25, made("a", "b", "c", "d")
    )[::2]


def test_the_columns_that_are_worth_least_are_left_out_first_and_named():
    lines = fitted(20, made("a", "b", "c", "d"))
    narrower = fitted(12, made("a", "b", "c", "d"))

    assert ["key   dear   what", "a     b      d"] == lines[:3:2]
    assert "left out at 20 columns: cheap" in " ".join(lines)
    assert ["key   what", "a     d"] == narrower[:3:2]
    assert "left out at 12 columns: dear, cheap" in " ".join(narrower)


def test_what_may_be_broken_is_before_a_column_goes():
    lines = fitted(27, made("a", "b", "c", "two words"))

    assert ["a     b      c       two", "                     words"] == lines[2:4]


def test_what_several_tables_leave_out_is_said_once():
    lines = fitted(18, made("a", "b", "c", "d"), made("e", "f", "g", "h"))

    assert 1 == "".join(lines).count("left out")


def test_what_must_stay_is_never_left_out():
    table = FittedTable("one", "two")
    table.add_row("1" * 10, "2" * 10)

    assert ["one", "two"] == fitted(24, table)[0].split()


def test_the_status_of_a_partition_stays_on_any_terminal():
    """Words are broken, columns go; nothing is cut."""
    document = describe_document(report_on(SICK, ["orders"]))

    for width in (140, 100, 80, 60):
        text = shown(document, width=width)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        assert "status" in text


def test_brokers_keep_their_load_on_a_narrow_terminal():
    text = shown(describe_brokers(SICK, judge_loads(SICK)), width=60)

    head = text.splitlines()[0].split()
    assert ["broker", "rack", "replicas", "leaders"] == head
    assert "left out at 60 columns: endpoints, epoch, since (UTC), preferred" in " ".join(
        text.split()
    )


def test_what_is_folded_is_counted_and_the_worst_stands_first():
    well = topic("aaa", "0,1 1,0 0,1")
    ill = topic("bbb", "0,1 1,0", {0: state(0, "0,1"), 1: state(1, "1")})
    dead = topic("ccc", "0,1 7,0", {0: state(0, "0"), 1: state(-1, "7")})
    report = report_on(cluster(brokers("0 1"), well, ill, dead), ["aaa", "bbb", "ccc"])

    text = shown(describe_document(folded(report)))

    assert "3 topics, 7 partitions on 2 live brokers" in text
    assert "4 well (--all shows them)" in text
    assert "aaa" not in text
    assert text.index("ccc") < text.index("bbb")
    assert "skew" not in text
    assert ["1", "0", "1"] == [
        line.split()[0] for line in text.splitlines() if line[:1] == " " and line.strip()
    ]


def test_a_partition_tells_since_when_it_has_no_leader():
    made = topic("t", "7", {0: state(-1, "7")})
    dated = replace(made, leaderless_since_ms={0: 1_700_000_000_000})
    report = report_on(cluster(brokers("0"), dated), ["t"])
    body: Any = describe_document(report).body()

    row = rows_of(shown(describe_document(report), width=160))["0"]

    assert "no leader since 2023-11-14 22:13:20 UTC: needs broker 7 (the only ISR member)" in row
    assert "2023-11-14T22:13:20.000+00:00" == body["topics"][0]["partitions"][0]["leaderless_since"]


def test_a_skew_stands_only_where_there_is_somebody_to_compare_with():
    alone = cluster(brokers("0"), topic("t", "0"))
    document = describe_brokers(alone, judge_loads(alone))
    (line,) = document.lines()

    assert "%" not in shown(document)
    assert "Replicas: 1\tLeaders: 1\tPreferredLeaders: 1" in line
    assert "+0%" in shown(describe_brokers(SICK, judge_loads(SICK)))


def test_a_status_says_the_same_in_fewer_words_before_it_is_broken():
    made = {0: state(-1, "7"), 1: state(0, "0")}
    report = report_on(cluster(brokers("0:a 1:b"), topic("t", "7 0,1", made)), ["t"])

    rows = {width: rows_of(shown(describe_document(report), width=width)) for width in (100, 60)}

    assert "no leader: needs broker 7 (the only ISR member)" in rows[100]["0"]
    assert rows[60]["0"].endswith("needs broker 7")
    assert rows[100]["1"].endswith("out of ISR: 1, at min ISR (1)")
    assert rows[60]["1"].endswith("lacks 1, at min ISR")


def test_no_status_is_broken_on_a_terminal_of_60_columns():
    report = report_on(SICK, ["orders"])

    lines = shown(describe_document(report), width=60).splitlines()

    partitions = [line for line in lines if line[:9].strip().isdigit()]
    assert 5 == len(partitions)
    assert lines[-1].startswith(" " * 8 + "4") or "left out" in "".join(lines[-2:])
    assert "needs broker 7, +2" in " ".join(partitions)


def test_words_that_have_no_room_are_counted():
    table = FittedTable("key")
    table.add_column("what", least=5)
    table.add_row("a", shortened([("one",), ("two", "2"), ("three",)]))

    assert [
        ["one, two, three"],
        ["one, 2, three"],
        ["one, 2, +1"],
        ["one, +2"],
    ] == [
        [shortened([("one",), ("two", "2"), ("three",)]).forms[number].plain] for number in range(4)
    ]
    assert "a     one, 2, three" in fitted(19, table)
    assert "a     one, 2, +1" in fitted(18, table)


def test_paths_lose_what_all_of_them_begin_with_and_stay_different():
    forms = shortened_paths(["/var/kafka/1/data", "/var/kafka/2/data"])
    alone = shortened_paths(["/var/kafka/1/data"])
    apart = shortened_paths(["/disk1/data", "/disk2/data"])

    assert ["/var/kafka/1/data", "…/1/data"] == [
        form.plain for form in forms["/var/kafka/1/data"].forms
    ]
    assert "…/1/data" == alone["/var/kafka/1/data"].forms[-1].plain
    assert ["/disk1/data"] == [form.plain for form in apart["/disk1/data"].forms]


def test_a_column_without_a_heading_is_there_only_when_it_says_anything():
    table = FittedTable("key")
    table.add_column("")
    table.add_row("a", "")

    assert ["key", "───", "a"] == fitted(20, table)


def test_the_heading_of_a_topic_is_broken_between_what_it_tells():
    many = {f"key.{number}": "1" for number in range(8)}
    long = topic("a-rather-long-name-of-a-topic", "0,1", configs=many)
    report = report_on(cluster(brokers("0 1"), long), [long.name])

    lines = shown(describe_document(report), width=60).splitlines()

    assert "a-rather-long-name-of-a-topic  1 partition × 2 replicas" in lines
    assert "configs key.0=1,key.1=1,key.2=1,key.3=1,key.4=1,key.5=1," in lines
    assert "        key.6=1,key.7=1" in lines
