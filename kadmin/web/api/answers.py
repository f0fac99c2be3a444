"""Answers of the API: the documents of the commands, with their age and a tag that changes with
them."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from kadmin.app.evidence import now_ms
from kadmin.render.output import Document, full_body
from kadmin.reports.views.paging import Page
from kadmin.web.visit import Visit


def answer(
    visit: Visit,
    body: Document | Mapping[str, object],
    at_ms: int | None,
    page: Page[Any] | None = None,
) -> Response:
    """Return *body*, which was read at *at_ms*; 304 where the client has the same.

    The pages before and behind *page* are links in the header.
    """
    found = full_body(body) if isinstance(body, Document) else body
    # Names may hold bytes that are no UTF-8.
    text = json.dumps(found, ensure_ascii=True, separators=(",", ":"))
    tag = f'"{sha256(text.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if at_ms is not None:
        headers["Age"] = str(max(0, now_ms() - at_ms) // 1000)
    links = [] if page is None else links_of(visit, page)
    if links:
        headers["Link"] = ", ".join(links)
    if tag in known_tags(visit):
        return Response(status_code=304, headers=headers)
    return Response(text, headers=headers, media_type="application/json")


def known_tags(visit: Visit) -> list[str]:
    """Return the tags of the answers that the client has."""
    given = visit.request.headers.get("if-none-match", "")
    return [tag.strip().removeprefix("W/") for tag in given.split(",")]


def links_of(visit: Visit, page: Page[Any]) -> list[str]:
    query = {name: value for name, value in visit.request.query_params.items() if name != "page"}
    path, number = quote(visit.request.url.path), page.request.number
    near = {"prev": number - 1, "next": number + 1}
    return [
        f'<{path}?{urlencode({**query, "page": str(other)})}>; rel="{name}"'
        for name, other in near.items()
        if 1 <= other <= page.page_count
    ]
