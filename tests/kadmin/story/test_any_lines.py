"""Whatever lines logs hold, and wherever they begin and end: a story is told, and an honest one."""

import json
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kadmin.jobs.merge.summary import Summary
from kadmin.jobs.story.tell import Analysis
from kadmin.render.merge_logs.story import analysis_document, brief_document, story_document
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from kadmin.story.clocks import estimates, order_pairs
from kadmin.story.fold import fold
from kadmin.story.values import Reason
from tests.kadmin.story.lines import Logs, at, online
from tests.support.examples import example_count

SAMPLES = sorted((Path(__file__).parents[1] / "statechange" / "samples").glob("*.log"))
PER_KIND = 6
FOLLOWS = (
    "[Broker id=1] Follower parcels-1 starts at leader epoch 2 from offset 4 with high watermark 4."
    " Previous leader epoch was -1."
)
EMPTY = Summary(sources=(), steps=(), skipped=(), damaged=(), counts={})

Lines = Sequence[tuple[str, str]]


@cache
def lines_by_kind() -> dict[Kind, list[tuple[str, str]]]:
    """Some lines of each kind that real logs have, each with its writer as its source."""
    found: dict[Kind, list[tuple[str, str]]] = {}
    for sample in SAMPLES:
        of_release: dict[Kind, int] = {}
        for text in sample.read_text(encoding="utf-8").splitlines():
            change = parse_line(text)
            of_release[change.kind] = of_release.get(change.kind, 0) + 1
            if of_release[change.kind] <= PER_KIND:
                found.setdefault(change.kind, []).append((str(change.broker), text))
    return found


def analysis(lines: Lines) -> Analysis:
    logs = Logs(lines)
    events = list(logs.events.items())
    stories = [each for name, some in events for each in fold(*name, some, logs.coverage)]
    return Analysis(
        stories=tuple(stories),
        coverage=logs.coverage,
        refusals=(),
        clocks=tuple(estimates(order_pairs(some for _, some in events))),
        summary=EMPTY,
    )


def told(lines: Lines) -> str:
    """All that is said of *lines*, in every form."""
    whole = analysis(lines)
    around_ms = whole.coverage.last_ms
    documents = (
        analysis_document(whole, proves=True),
        brief_document(whole, proves=True),
        story_document(whole, around_ms, proves=True),
    )
    texts = [json.dumps(documents[0].body())]
    for document in documents:
        texts += [*document.lines(), *(str(row) for row in document.rows())]
    return "\n".join(texts)


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(lines_by_kind()))
def test_lines_of_one_kind_alone_and_beside_each_other_are_told(kind: Kind) -> None:
    alone = lines_by_kind()[kind]
    told(alone)
    for line in alone:
        told([line])
    for other in lines_by_kind():
        if other > kind:
            told([*alone[:PER_KIND], *lines_by_kind()[other][:PER_KIND]])


@given(st.data())
@settings(max_examples=example_count(60))
def test_any_lines_in_any_order_are_told(data: st.DataObject) -> None:
    known = [line for lines in lines_by_kind().values() for line in lines]
    told(data.draw(st.lists(st.sampled_from(known), max_size=12)))


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_real_logs_may_begin_and_end_anywhere(sample: Path) -> None:
    lines = [("1", text) for text in sample.read_text(encoding="utf-8").splitlines()]
    step = max(len(lines) // 12, 1)
    for begin, end in combinations(range(0, len(lines) + 1, step), 2):
        told(lines[begin:end])


def test_a_follower_alone_tells_that_somebody_led() -> None:
    lines = [("1", at(1, FOLLOWS))]
    text = told(lines)

    assert "broker 1 followed in epoch 2; who led is not in these logs" in text
    (story,) = analysis(lines).stories
    (leadership,) = story.leaderships
    assert (leadership.leader, leadership.leader_epoch) == (None, 2)
    assert not story.leaderless
    assert story.moves == 0
    assert "some broker led" in text
    assert "not seen without a leader" in text


def test_an_epoch_whose_leader_is_unknown_is_as_one_that_no_line_names() -> None:
    follows = ("2", at(3, FOLLOWS.replace("parcels-1", "t-0").replace("id=1", "id=2")))
    known = [online(1, 1, 1, "1,2"), online(5, 3, 3, "2,3")]
    (unnamed,) = analysis(known).stories
    (named,) = analysis([known[0], follows, known[1]]).stories

    assert [each.leader for each in named.leaderships] == [1, None, 3]
    first, last = unnamed.leaderships
    assert (named.leaderships[2].reason, named.leaderships[2].missed) == (last.reason, last.missed)
    assert last.reason is not Reason.SAME_LEADER
    assert first.before is None
    assert named.leaderships[2].before == 1
