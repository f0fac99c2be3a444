"""The way of a change: its form, its plan, its confirmation, and what became of it."""

from functools import partial

from starlette.responses import FileResponse, RedirectResponse, Response

from cluster.model.config_entity import EntityKind
from kadmin.app.actions.acls import ChangeAcls
from kadmin.app.actions.action import Action
from kadmin.app.actions.configs import ChangeConfigs
from kadmin.app.actions.elections import ElectLeaders
from kadmin.app.actions.groups import DeleteGroups, ResetOffsets
from kadmin.app.actions.moves import RedirectRun, RunMoves
from kadmin.app.actions.shown_changes import ShownChange, Stage
from kadmin.app.actions.throttles import ReleaseThrottles
from kadmin.app.actions.topics import AddPartitions, CreateTopic, DeleteTopics
from kadmin.errors import KadminError
from kadmin.plan.election import ElectionType
from kadmin.web.actions.fields import Values, in_words_of_form, texts_of
from kadmin.web.actions.forms import AREAS, FORMS, Form
from kadmin.web.roles import Role
from kadmin.web.visit import Forbidden, NoSuchThing, Visit, status_of


def role_for(action: Action) -> Role:
    """Return the role that *action* needs, whichever form it comes from."""
    match action:
        case DeleteTopics() | DeleteGroups() | ChangeConfigs() | ChangeAcls():
            return Role.ADMIN
        case ElectLeaders(kind=ElectionType.UNCLEAN):
            return Role.ADMIN
        case _:
            return Role.OPERATE


def require_role(visit: Visit, action: Action) -> None:
    """Raise Forbidden unless the visitor may carry *action* out."""
    needed = role_for(action)
    if not visit.may(needed):
        raise Forbidden(action.verb, needed, visit.author)


def owner_of(visit: Visit) -> str:
    """Return whose the changes of this visit are: those of a session, or of a token by itself."""
    if visit.session is not None:
        return f"session {visit.session.csrf}"
    return f"token {visit.visitor.name}"


def form(visit: Visit, of: Form) -> Response:
    """Show the form; values of the address fill it in."""
    query = visit.request.query_params
    given = texts_of({name: query.getlist(name) for name in query})
    for field in of.fields:
        if field.alias in given:
            given.setdefault(field.name, given[field.alias])
    return form_page(visit, of, given)


def form_page(
    visit: Visit, of: Form, given: dict[str, tuple[str, ...]], error: KadminError | None = None
) -> Response:
    values = {
        field.name: "\n".join(given[field.name]) if field.name in given else field.initial
        for field in of.fields
    }
    return visit.page(
        "form.html",
        status=200 if error is None else status_of(error),
        form=of,
        values=values,
        error=error and in_words_of_form(of.fields, error),
    )


def plan(visit: Visit, of: Form) -> Response:
    """Plan what the form asks for and go to its plan; where that fails, show the form again."""
    given = dict(visit.form)
    try:
        action = of.read(visit, Values(of.fields, given))
        require_role(visit, action)
        shown = visit.serving.changes.propose(
            owner_of(visit), visit.of.name, visit.of.flags, action
        )
    except Forbidden:
        raise
    except KadminError as error:
        return form_page(visit, of, given, error)
    return to_change(visit, shown.change_id)


def to_change(visit: Visit, change_id: str) -> Response:
    where = visit.request.url_for("change", cluster=visit.of.name, change=change_id)
    return RedirectResponse(where.path, status_code=303)


def found_change(visit: Visit) -> ShownChange:
    """Return the change in the path.

    Raises:
        NoSuchThing: there is none, it is another's, or it is too old.
    """
    change_id = visit.path("change")
    shown = visit.serving.changes.find(change_id, owner_of(visit))
    if shown is None or shown.cluster != visit.of.name:
        raise NoSuchThing("plan of yours", change_id)
    return shown


def change(visit: Visit) -> Response:
    """Show a plan with its confirmation, or how far it is, or what became of it."""
    return change_page(visit, found_change(visit))


def change_page(visit: Visit, shown: ShownChange, error: KadminError | None = None) -> Response:
    return visit.page(
        "change.html",
        status=200 if error is None else status_of(error),
        shown=shown,
        is_open=shown.stage is Stage.SHOWN and shown.has_changes,
        is_writing=shown.stage is Stage.WRITING,
        may_confirm=visit.may(role_for(shown.action)),
        next_page=next_page(visit, shown.action),
        error=error,
    )


def next_page(visit: Visit, action: Action) -> tuple[str, str]:
    """Return the page that shows what *action* has changed, and its name."""
    match action:
        case CreateTopic(name=name) | AddPartitions(names=(name,)):
            return visit.link("topics", name), f"topic {name}"
        case ElectLeaders(partitions=(first, *_)):
            return visit.link("topics", first.topic), f"topic {first.topic}"
        case AddPartitions() | DeleteTopics():
            return visit.link("topics"), "all topics"
        case ResetOffsets(group=name, in_zookeeper=is_old):
            return visit.link("old-groups" if is_old else "groups", name), f"group {name}"
        case DeleteGroups(in_zookeeper=is_old):
            return visit.link("old-groups" if is_old else "groups"), "all groups"
        case RunMoves() | RedirectRun() | ReleaseThrottles():
            return visit.link("moves"), "moves"
        case ChangeAcls():
            return visit.link("acls"), "ACLs"
        case ChangeConfigs(entities=(entity,)) if entity.kind is EntityKind.TOPICS:
            return visit.link("topics", str(entity.root.name)), f"topic {entity.root.name}"
        case ChangeConfigs():
            return visit.link("configs"), "configs"
        case _:
            return visit.link(), "overview"


def confirm(visit: Visit) -> Response:
    """Write the plan, once, unless it is not what the cluster would get now."""
    shown = found_change(visit)
    require_role(visit, shown.action)
    try:
        visit.serving.changes.confirm(
            shown,
            visit.field("typed"),
            partial(visit.audited, shown.action.verb, shown.lines),
            visit.of.look_soon,
        )
    except KadminError as error:
        return change_page(visit, shown, error)
    return to_change(visit, shown.successor or shown.change_id)


def rollback_file(visit: Visit) -> Response:
    """Send the rollback file of a change, which is kept on this machine, too."""
    shown = found_change(visit)
    path = shown.rollback_file
    if path is None or not path.is_file():
        raise NoSuchThing("rollback file of the change", shown.change_id)
    return FileResponse(path, filename=path.name, media_type="application/octet-stream")


def changes(visit: Visit) -> Response:
    """List the changes that this visitor has planned and that are kept."""
    found = visit.serving.changes.of_owner(owner_of(visit), visit.of.name)
    areas = [
        (area, [form for form in FORMS if form.area == area and visit.may(form.needs)])
        for area in AREAS
    ]
    return visit.page("changes.html", changes=found, areas=areas)
