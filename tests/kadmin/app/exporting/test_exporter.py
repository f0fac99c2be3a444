"""An exporter without a cluster: what it says of its polls, and to how old an answer it keeps."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kadmin.app.exporting.exporter import CLUSTER, Exporter, News, Page, Settings, page
from kadmin.app.exporting.reading import Wanted
from kadmin.app.polling import Poll, Reading
from kadmin.app.session import Session
from kadmin.arguments.name_filter import NameFilter
from kadmin.errors import UnreachableError
from kadmin.render.exposition.text import NO_LABELS, Family

NEVER_S = 3600.0
NUMBERS = page([Family("numbers", "help", {NO_LABELS: 7})])


class Listening(Session):
    """A session that keeps what it says, and whose brokers do not answer."""

    def __init__(self) -> None:
        super().__init__({})
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.said.append(f"warning: {text}")

    @contextmanager
    def connect_brokers(self, by: Any = None) -> Iterator[Any]:
        raise UnreachableError("no broker answers")
        yield


def exporter_of(session: Session, age_max_s: float = NEVER_S) -> Exporter:
    wanted = Wanted(topics=NameFilter(), groups=NameFilter(), behind_ms=0)
    return Exporter(
        lambda: session,
        Settings(
            wanted=wanted,
            interval_s=NEVER_S,
            age_max_s=age_max_s,
            window_s=0,
            check_interval_s=None,
        ),
    )


def answering(ask: Callable[[], Page], age_max_s: float) -> Exporter:
    exporter = exporter_of(Listening(), age_max_s)
    exporter.poller.polls[CLUSTER] = poll = Poll(CLUSTER, ask, NEVER_S)
    poll.attempt()
    return exporter


def test_before_the_first_answer_a_scrape_says_only_that() -> None:
    text = exporter_of(Listening()).scrape(is_zipped=False).decode()

    assert 'kafka_exporter_up{poll="cluster"} 0\n' in text
    assert 'kafka_exporter_polls_total{poll="cluster"} 0\n' in text
    assert "kafka_exporter_age_seconds{" not in text


def test_a_scrape_has_the_last_answer_and_its_age() -> None:
    exporter = answering(lambda: NUMBERS, NEVER_S)
    text = exporter.scrape(is_zipped=False).decode()

    assert text.startswith("# HELP numbers help\n# TYPE numbers gauge\nnumbers 7\n# HELP ")
    assert 'kafka_exporter_up{poll="cluster"} 1\n' in text
    assert 'kafka_exporter_age_seconds{poll="cluster"} 0' in text
    zipped = gzip.decompress(exporter.scrape(is_zipped=True)).decode()
    assert text.partition("age_seconds{")[0] == zipped.partition("age_seconds{")[0]


def test_scrapers_also_learn_what_the_exporter_itself_takes() -> None:
    exporter = answering(lambda: NUMBERS, NEVER_S)
    text = exporter.answer(is_zipped=False).decode()
    zipped = gzip.decompress(exporter.answer(is_zipped=True)).decode()

    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"numbers", "kafka_exporter_up", "process_resident_memory_bytes"} <= names
    assert "\nprocess_cpu_seconds_total " in zipped
    # node_exporter, which reads a file of it, has these of its own.
    assert "process_" not in exporter.scrape(is_zipped=False).decode()


def test_an_answer_that_is_too_old_is_left_out() -> None:
    text = answering(lambda: NUMBERS, -1).scrape(is_zipped=False).decode()

    assert "numbers" not in text.partition("# HELP kafka_exporter_age_seconds")[0]
    assert 'kafka_exporter_age_seconds{poll="cluster"} ' in text


def test_one_read_returns_its_error_and_says_nothing_else() -> None:
    session = Listening()
    error = exporter_of(session).read_once()

    assert isinstance(error, UnreachableError)
    assert [] == session.said


def reading(**values: Any) -> Reading[Page]:
    return Reading(number=1, answers=1, **values)


LACKING = Page(b"", b"", {"brokers": 0, "groups": 3, "partitions": 2})
WHOLE = Page(b"", b"", {"brokers": 0, "groups": 0, "partitions": 0})


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        ([reading(answer=WHOLE)], []),
        (
            [reading(error=UnreachableError("all are gone"))] * 3,
            ["warning: poll cluster: all are gone; trying again"],
        ),
        (
            [reading(error=UnreachableError("gone")), reading(answer=WHOLE)],
            ["warning: poll cluster: gone; trying again", "poll cluster: all is read again"],
        ),
        (
            [reading(answer=LACKING)],
            ["warning: poll cluster: no answer about 3 groups, 2 partitions"],
        ),
        (
            [reading(answer=WHOLE, took_s=20)],
            [
                "warning: poll cluster takes longer than its interval of 15 s: numbers are older"
                " than that"
            ],
        ),
    ],
)
def test_news_of_a_poll_are_said_once(readings: list[Reading[Page]], said: list[str]) -> None:
    session = Listening()
    news = News(CLUSTER, session, 15)
    for each in readings:
        news.note(each)

    assert said == session.said
