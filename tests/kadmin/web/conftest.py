"""A page over the broker that tests share, and its visitors."""

from collections.abc import Iterator
from itertools import count
from typing import Final

import pytest

from kadmin.web.clusters import WatchedCluster
from tests.support.one_broker import OneBroker
from tests.support.page import Browser, Page, running_page, serving_of
from tests.support.waiting import OUTER_LIMIT_S

NUMBERS: Final = count(1)


@pytest.fixture(scope="session")
def page(one_broker: OneBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    cluster = WatchedCluster(
        "one",
        {"zookeeper": one_broker.zookeeper, "bootstrap_server": one_broker.broker.bootstrap},
        interval_s=3600,
    )
    with running_page(serving_of(cluster, tmp_path_factory.mktemp("page"))) as running:
        # Pages wait for the first look.
        cluster.looks.wait_beyond(0, OUTER_LIMIT_S)
        yield running


@pytest.fixture
def ann(page: Page) -> Browser:
    return page.browser("ann")


@pytest.fixture
def name() -> str:
    return f"paged-{next(NUMBERS)}"
