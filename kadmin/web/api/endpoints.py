"""The table of the API: each address with its answer, its schema and its parameters.

Routes and the OpenAPI document are made of it, so that neither lacks what the other has.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from kadmin.reports.views.groups import COLUMNS as GROUP_COLUMNS
from kadmin.reports.views.paging import SIZE_DEFAULT, SIZE_MAX
from kadmin.reports.views.topics import COLUMNS as TOPIC_COLUMNS
from kadmin.version import VERSION
from kadmin.web.api import clusters, reading, schemas
from kadmin.web.route import Route
from kadmin.web.visit import Visit

PREFIX: Final = "/api/v1"
CLUSTER: Final = f"{PREFIX}/clusters/{{cluster}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address of the API; *columns* are those by which its pages can be sorted, none where it
    has no pages."""

    path: str
    answer: Callable[[Visit], Response]
    summary: str
    schema: schemas.Schema
    columns: tuple[str, ...] = ()

    @property
    def documented_path(self) -> str:
        """The path as OpenAPI has it."""
        return self.path.replace(":path}", "}")

    @property
    def names(self) -> list[str]:
        """The names in the path."""
        words = self.documented_path.split("/")
        return [word.strip("{}") for word in words if word.startswith("{")]


ENDPOINTS: Final = (
    Endpoint(
        path=f"{PREFIX}/clusters",
        answer=clusters.listed,
        summary="The clusters that may be seen",
        schema=schemas.CLUSTERS,
    ),
    Endpoint(
        path=CLUSTER,
        answer=clusters.summary,
        summary="A cluster in a few numbers",
        schema=schemas.CLUSTER,
    ),
    Endpoint(
        path=f"{CLUSTER}/check",
        answer=reading.check,
        summary="What is wrong, worst first: kadmin check",
        schema=schemas.CHECK,
    ),
    Endpoint(
        path=f"{CLUSTER}/controller",
        answer=reading.controller,
        summary="The controller: kadmin controller",
        schema=schemas.CONTROLLER,
    ),
    Endpoint(
        path=f"{CLUSTER}/brokers",
        answer=reading.brokers,
        summary="The brokers with their load: kadmin brokers --describe",
        schema=schemas.BROKERS,
    ),
    Endpoint(
        path=f"{CLUSTER}/log-dirs",
        answer=reading.log_dirs,
        summary="Log directories and their sizes: kadmin log-dirs --by dir",
        schema=schemas.LOG_DIRS,
    ),
    Endpoint(
        path=f"{CLUSTER}/topics",
        answer=reading.topics,
        summary="Topics, summed up: kadmin topics --describe --summary",
        schema=schemas.TOPICS,
        columns=tuple(TOPIC_COLUMNS),
    ),
    Endpoint(
        path=f"{CLUSTER}/topics/{{topic:path}}",
        answer=reading.topic,
        summary="A topic with its partitions: kadmin topics --describe",
        schema=schemas.TOPIC,
    ),
    Endpoint(
        path=f"{CLUSTER}/spread",
        answer=reading.spread,
        summary="Topics, with their spread over the brokers",
        schema=schemas.SPREAD,
        columns=tuple(TOPIC_COLUMNS),
    ),
    Endpoint(
        path=f"{CLUSTER}/groups",
        answer=reading.groups,
        summary="Groups with the verdict on each: kadmin groups --verdict",
        schema=schemas.GROUPS,
        columns=tuple(GROUP_COLUMNS),
    ),
    Endpoint(
        path=f"{CLUSTER}/groups/{{group:path}}",
        answer=reading.group,
        summary="A group with its lag in each partition: kadmin groups --describe",
        schema=schemas.GROUP,
    ),
    Endpoint(
        path=f"{CLUSTER}/moves",
        answer=reading.moves,
        summary="Replicas that are being moved: kadmin reassign --list",
        schema=schemas.MOVES,
    ),
)


def openapi(visit: Visit) -> Response:
    """Return the OpenAPI document of the whole API."""
    return JSONResponse(openapi_document())


API: Final = (
    *(
        Route(path=each.path, answer=each.answer, name=f"api-{number}")
        for number, each in enumerate(ENDPOINTS)
    ),
    Route(path=f"{PREFIX}/openapi.json", answer=openapi, name="openapi"),
)


def openapi_document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kadmin",
            "version": VERSION,
            "description": "What the page of kadmin serve shows, in the schemas of the commands'"
            " --output json. It only reads, and asks no server: the header Age says how old it is.",
        },
        "security": [{"token": []}],
        "paths": {each.documented_path: {"get": operation(each)} for each in ENDPOINTS},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Problem": schemas.PROBLEM},
        },
    }


def operation(endpoint: Endpoint) -> dict[str, Any]:
    failures = {"401": "No token, or an unknown one", "429": "Too many wrong tokens"}
    if endpoint.names:
        failures |= {"404": "It does not exist, or may not be seen", "503": "Not read yet"}
    if endpoint.columns:
        failures |= {"400": "A parameter that cannot be meant"}
    return {
        "summary": endpoint.summary,
        "parameters": [*map(path_parameter, endpoint.names), *page_parameters(endpoint.columns)],
        "responses": {
            "200": {
                "description": "Answered",
                "headers": {
                    "ETag": {"schema": schemas.TEXT, "description": "Changes with the answer"},
                    "Age": {"schema": schemas.INTEGER, "description": "Seconds since it was read"},
                },
                "content": {"application/json": {"schema": endpoint.schema}},
            },
            "304": {"description": "The client has it, by If-None-Match"},
            **{status: problem(text) for status, text in failures.items()},
        },
    }


def problem(text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": text, "content": {"application/problem+json": {"schema": schema}}}


def path_parameter(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {**schemas.TEXT, "minLength": 1},
    }


def page_parameters(columns: tuple[str, ...]) -> list[dict[str, Any]]:
    if not columns:
        return []
    both = [*columns, *(f"-{column}" for column in columns)]
    return [
        query("filter", schemas.TEXT, "Only names that contain this, whatever the case"),
        query("sort", {"enum": both}, "The column; with a '-' downwards"),
        query("page", {**schemas.INTEGER, "minimum": 1, "maximum": 1_000_000}, "From 1"),
        query(
            "size",
            {**schemas.INTEGER, "minimum": 1, "maximum": SIZE_MAX, "default": SIZE_DEFAULT},
            "How many a page has",
        ),
    ]


def query(name: str, schema: schemas.Schema, text: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": text}
