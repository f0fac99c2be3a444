"""The API asked by schemathesis for whatever its own document allows."""

from typing import Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import DataObject, data
from schemathesis.core.result import Ok

from kadmin.web.api.endpoints import openapi_document
from tests.support.page import TOKENS, Page

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    pytest.mark.xdist_group("one-broker"),
    # Threads of the page use `random` as well, possibly while an example is drawn.
    pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies"),
]

SCHEMA: Final = schemathesis.openapi.from_dict(openapi_document())
OPERATIONS: Final = [found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)]
ANN: Final = {"Authorization": f"Bearer {TOKENS['ann']}"}

each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.label)


def ask(page: Page, operation: schemathesis.APIOperation, drawn: DataObject) -> None:
    case = drawn.draw(operation.as_strategy())
    # Most names that are drawn are of no cluster, which says little about what is behind it.
    if "cluster" in (case.path_parameters or {}):
        case.path_parameters["cluster"] = "one"
    case.call_and_validate(base_url=str(page.base.base_url), headers=ANN)


@each_operation
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=data())
def test_answers_are_as_documented(
    page: Page, operation: schemathesis.APIOperation, drawn: DataObject
) -> None:
    ask(page, operation, drawn)


@pytest.mark.long
@each_operation
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=data())
def test_many_answers_are_as_documented(
    page: Page, operation: schemathesis.APIOperation, drawn: DataObject
) -> None:
    ask(page, operation, drawn)
