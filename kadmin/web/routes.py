"""The table of routes: which function answers which address, and which role may ask?

Pages, the API and actions are rows; `application` makes all of them alike: it finds out who asks,
looks at the role, and checks forms before a function runs.
"""

from typing import Final

from kadmin.web.actions.routes import ACTIONS
from kadmin.web.api import clusters as clusters_api
from kadmin.web.pages import clusters as clusters_pages
from kadmin.web.route import Route

PAGES: Final = (
    Route(path="/", answer=clusters_pages.overview, name="overview"),
    Route(path="/clusters/{cluster}", answer=clusters_pages.summary, name="summary"),
)

API: Final = (
    Route(path="/api/v1/clusters", answer=clusters_api.listed),
    Route(path="/api/v1/clusters/{cluster}", answer=clusters_api.summary),
)

ROUTES: Final = (*PAGES, *API, *ACTIONS)
