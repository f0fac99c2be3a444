"""The table of routes: which function answers which address, and which role may ask?

Pages, the API and actions are rows; `application` makes all of them alike: it finds out who asks,
looks at the role, and checks forms before a function runs.
"""

from typing import Final

from kadmin.web.actions.routes import ACTIONS
from kadmin.web.api.endpoints import API
from kadmin.web.pages import audit as audit_pages
from kadmin.web.pages import brokers as brokers_pages
from kadmin.web.pages import clusters as clusters_pages
from kadmin.web.pages import groups as groups_pages
from kadmin.web.pages import moves as moves_pages
from kadmin.web.pages import rules as rules_pages
from kadmin.web.pages import topics as topics_pages
from kadmin.web.route import Route

PAGES: Final = (
    Route(path="/", answer=clusters_pages.overview, name="overview"),
    Route(path="/clusters/{cluster}", answer=clusters_pages.summary, name="summary"),
    Route(path="/clusters/{cluster}/brokers", answer=brokers_pages.listed, name="brokers"),
    Route(path="/clusters/{cluster}/brokers/{broker}", answer=brokers_pages.one, name="broker"),
    Route(path="/clusters/{cluster}/topics", answer=topics_pages.listed, name="topics"),
    Route(path="/clusters/{cluster}/topics/{topic:path}", answer=topics_pages.one, name="topic"),
    Route(path="/clusters/{cluster}/groups", answer=groups_pages.listed, name="groups"),
    Route(path="/clusters/{cluster}/groups/{group:path}", answer=groups_pages.one, name="group"),
    Route(path="/clusters/{cluster}/old-groups", answer=groups_pages.old_listed, name="old-groups"),
    Route(
        path="/clusters/{cluster}/old-groups/{group:path}",
        answer=groups_pages.old_one,
        name="old-group",
    ),
    Route(path="/clusters/{cluster}/moves", answer=moves_pages.listed, name="moves"),
    Route(path="/clusters/{cluster}/configs", answer=rules_pages.configs, name="configs"),
    Route(path="/clusters/{cluster}/acls", answer=rules_pages.acls, name="acls"),
    Route(path="/clusters/{cluster}/audit", answer=audit_pages.log, name="audit"),
    Route(path="/timeline", answer=audit_pages.timeline, name="timeline"),
)

ROUTES: Final = (*PAGES, *API, *ACTIONS)
