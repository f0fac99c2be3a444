"""The routes of all changes; each form has one to be shown, and one to be planned."""

from functools import partial
from typing import Final

from kadmin.web.actions import pages
from kadmin.web.actions.forms import FORMS
from kadmin.web.roles import Role
from kadmin.web.route import Route

CLUSTER: Final = "/clusters/{cluster}"

ACTIONS: Final = (
    *(
        Route(
            path=f"{CLUSTER}/actions/{form.name}",
            answer=partial(pages.form, of=form),
            needs=form.needs,
            name=f"form-{form.name}",
        )
        for form in FORMS
    ),
    *(
        Route(
            path=f"{CLUSTER}/actions/{form.name}",
            answer=partial(pages.plan, of=form),
            needs=form.needs,
            method="POST",
            name=f"plan-{form.name}",
        )
        for form in FORMS
    ),
    Route(path=f"{CLUSTER}/changes", answer=pages.changes, needs=Role.OPERATE, name="changes"),
    Route(
        path=f"{CLUSTER}/changes/{{change}}",
        answer=pages.change,
        needs=Role.OPERATE,
        name="change",
    ),
    Route(
        path=f"{CLUSTER}/changes/{{change}}",
        answer=pages.confirm,
        needs=Role.OPERATE,
        method="POST",
        name="confirm",
    ),
    Route(
        path=f"{CLUSTER}/changes/{{change}}/rollback",
        answer=pages.rollback_file,
        needs=Role.OPERATE,
        name="rollback",
    ),
)
