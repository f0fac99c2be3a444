"""The action on ACLs: add rules, or remove some."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kadmin.app.actions.action import Action
from kadmin.app.session import Session
from kadmin.execute.acls import AclChange
from kadmin.plan.acls import AclPlan, AclRequest, plan_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAcls(Action):
    """Rules of *request*; *options* are those of the command that means the same."""

    request: AclRequest
    options: str

    @property
    def verb(self) -> str:
        return "Remove ACLs" if self.request.is_removal else "Add ACLs"

    @property
    def command(self) -> str:
        return f"kadmin acls --{'remove' if self.request.is_removal else 'add'} {self.options}"

    @contextmanager
    def change(self, session: Session, rollback_path: str) -> Iterator[AclChange]:
        with session.acls() as admin:
            yield AclChange(admin, self.request, session)

    def lines(self, plan: AclPlan) -> Iterable[str]:
        return plan_lines(plan)
