"""The forms of all actions: their fields, who may see them, and what they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kadmin.app.actions.action import Action
from kadmin.web.actions import group_forms, move_forms, rule_forms, topic_forms
from kadmin.web.actions.fields import Field, Kind, Values, choices
from kadmin.web.roles import Role
from kadmin.web.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form at the address *name*, for those who have the role *needs*; *verb* names what it
    does, and *read* understands it."""

    name: str
    verb: str
    needs: Role
    fields: tuple[Field, ...]
    read: Callable[[Visit, Values], Action]
    about: str = ""

    @property
    def area(self) -> str:
        """Under which heading it is listed."""
        return next(area for area, names in AREAS.items() if self.name in names)


AREAS: Final = {
    "Topics": ("create-topic", "add-partitions", "delete-topics"),
    "Leaders and moves": ("elect-leaders", "plan-moves", "redirect-run", "release-throttles"),
    "Groups": ("reset-offsets", "delete-groups"),
    "Configs and ACLs": ("change-configs", "change-acls"),
}


TOPICS: Final = Field(
    name="topics",
    label="Topics",
    kind=Kind.LINES,
    is_required=True,
    help="one a line",
)
SOME_TOPICS: Final = Field(
    name="topics", label="Topics", kind=Kind.LINES, help="one a line, or a glob; none means all"
)

KEPT: Final = Field(
    name="kept",
    label="Kept by",
    kind=Kind.CHOICE,
    choices=choices(brokers="brokers", zookeeper="ZooKeeper, for old consumers"),
)

FORMS: Final = (
    Form(
        name="create-topic",
        verb="Create a topic",
        needs=Role.OPERATE,
        fields=(
            Field(name="topic", label="Name", is_required=True),
            Field(name="partitions", label="Partitions", kind=Kind.NUMBER, is_required=True),
            Field(
                name="replication_factor",
                label="Replicas of each partition",
                kind=Kind.NUMBER,
                is_required=True,
            ),
            Field(name="configs", label="Configs", kind=Kind.LINES, help="key=value, one a line"),
        ),
        read=topic_forms.create,
    ),
    Form(
        name="add-partitions",
        verb="Add partitions to topics",
        needs=Role.OPERATE,
        fields=(
            TOPICS,
            Field(
                name="partitions",
                label="Partitions in all",
                kind=Kind.NUMBER,
                is_required=True,
                help="how many each topic has afterwards",
            ),
        ),
        read=topic_forms.add_partitions,
    ),
    Form(
        name="delete-topics",
        verb="Delete topics",
        needs=Role.ADMIN,
        fields=(TOPICS,),
        read=topic_forms.delete,
    ),
    Form(
        name="change-configs",
        verb="Set and remove configs",
        needs=Role.ADMIN,
        fields=(
            Field(
                name="kind",
                label="Of",
                kind=Kind.CHOICE,
                choices=choices("topics", "brokers", "users", "clients", "ips"),
            ),
            Field(
                name="names",
                label="Names",
                alias="topics",
                kind=Kind.LINES,
                help="one a line; none means the default of brokers, users, clients or ips",
            ),
            Field(name="add", label="Set", kind=Kind.LINES, help="key=value, one a line"),
            Field(name="delete", label="Remove", kind=Kind.LINES, help="keys, one a line"),
        ),
        read=rule_forms.configs,
    ),
    Form(
        name="change-acls",
        verb="Add or remove ACLs",
        needs=Role.ADMIN,
        fields=(
            Field(
                name="action",
                label="Do",
                kind=Kind.CHOICE,
                choices=choices(add="add the rules", remove="remove the rules"),
            ),
            Field(
                name="kind",
                label="On",
                kind=Kind.CHOICE,
                choices=choices("topic", "group", "cluster", "transactional-id"),
            ),
            Field(name="names", label="Names", kind=Kind.LINES, help="one a line; * means all"),
            Field(
                name="pattern",
                label="The names are",
                kind=Kind.CHOICE,
                choices=choices(literal="whole names", prefixed="prefixes"),
            ),
            Field(
                name="principals",
                label="Principals",
                kind=Kind.LINES,
                is_required=True,
                help="such as User:ann, one a line",
            ),
            Field(
                name="permission",
                label="May",
                kind=Kind.CHOICE,
                choices=choices(allow="do it", deny="not do it"),
            ),
            Field(
                name="operations",
                label="Operations",
                kind=Kind.LINES,
                help="such as Read, one a line; none means all",
            ),
            Field(name="hosts", label="Hosts", kind=Kind.LINES, help="one a line; none means all"),
        ),
        read=rule_forms.acls,
    ),
    Form(
        name="elect-leaders",
        verb="Elect leaders",
        needs=Role.OPERATE,
        fields=(
            Field(
                name="kind",
                label="Elect",
                kind=Kind.CHOICE,
                choices=choices(
                    preferred="the preferred leaders",
                    unclean="any live replica, at the cost of records",
                ),
            ),
            Field(name="topic", label="Topic", help="none means all partitions that need it"),
            Field(name="partitions", label="Partitions", help="such as 0,1,5; none means all"),
        ),
        read=topic_forms.elect,
    ),
    Form(
        name="reset-offsets",
        verb="Reset the offsets of a group",
        needs=Role.OPERATE,
        fields=(
            Field(name="group", label="Group", is_required=True),
            KEPT,
            Field(
                name="topics",
                label="Topics",
                kind=Kind.LINES,
                help="one a line, orders or orders:0,1; none means all that it has committed to",
            ),
            Field(
                name="to",
                label="To",
                kind=Kind.CHOICE,
                choices=choices(
                    earliest="the start of the logs",
                    latest="the end of the logs",
                    offset="an offset",
                    time="a time",
                    back="so long ago",
                    shift="so many records on, or back",
                ),
            ),
            Field(
                name="value",
                label="Which",
                help="an offset such as 1000; a time such as 2026-11-28T10:00; so long as PT1H;"
                " or so many records as -100",
                shown_by="to",
                shown_for=("offset", "time", "back", "shift"),
            ),
        ),
        read=group_forms.reset,
    ),
    Form(
        name="delete-groups",
        verb="Delete groups",
        needs=Role.ADMIN,
        fields=(
            Field(
                name="groups", label="Groups", kind=Kind.LINES, is_required=True, help="one a line"
            ),
            KEPT,
        ),
        read=group_forms.delete,
    ),
    Form(
        name="plan-moves",
        verb="Plan moves of replicas",
        needs=Role.OPERATE,
        about="A plan copies as little as its goal takes. It is shown before anything is moved.",
        fields=(
            Field(
                name="goal",
                label="Goal",
                kind=Kind.CHOICE,
                choices=(
                    ("balance", "balance: all brokers have as many replicas"),
                    ("drain", "drain: these brokers have no replicas"),
                    ("add", "add: these new brokers get their share"),
                    ("replace", "replace: new brokers take the replicas of old ones"),
                    (
                        "replication-factor",
                        "replication-factor: each partition has so many replicas",
                    ),
                    ("racks", "racks: replicas are spread over the racks"),
                    ("relieve", "relieve: no disk is fuller than so much"),
                    ("leaders", "leaders: preferred leaders are spread, and nothing is copied"),
                ),
            ),
            Field(
                name="brokers",
                label="Brokers",
                help="for drain and add: such as 4,7",
                shown_by="goal",
                shown_for=("drain", "add"),
            ),
            Field(
                name="replace",
                label="Old and new brokers",
                help="for replace: such as 4=9,5=10",
                shown_by="goal",
                shown_for=("replace",),
            ),
            Field(
                name="replication_factor",
                label="Replicas of each partition",
                kind=Kind.NUMBER,
                help="for replication-factor",
                shown_by="goal",
                shown_for=("replication-factor",),
            ),
            Field(
                name="above",
                label="Percent of the disk",
                kind=Kind.NUMBER,
                help="for relieve: from 1 to 100",
                shown_by="goal",
                shown_for=("relieve",),
            ),
            SOME_TOPICS,
            Field(name="exclude_topics", label="Leave these topics alone", kind=Kind.LINES),
            Field(name="exclude_brokers", label="Leave these brokers alone"),
            Field(
                name="throttle",
                label="Throttle in MB/s at each broker",
                kind=Kind.NUMBER,
                help="none means as fast as it goes",
            ),
            Field(
                name="max_moves",
                label="Moves at a broker at the same time",
                kind=Kind.NUMBER,
                initial="5",
            ),
        ),
        read=move_forms.plan,
    ),
    Form(
        name="redirect-run",
        verb="Resume, cancel or roll back a run",
        needs=Role.OPERATE,
        fields=(
            Field(name="run", label="Run", is_required=True),
            Field(
                name="goal",
                label="Do",
                kind=Kind.CHOICE,
                choices=(
                    ("forward", "resume: go on with the moves"),
                    ("cancel", "cancel: give up the moves under way"),
                    ("rollback", "roll back: move the replicas where they were"),
                ),
            ),
        ),
        read=move_forms.redirect,
    ),
    Form(
        name="release-throttles",
        verb="Release throttles",
        needs=Role.OPERATE,
        about="Without brokers and topics, only throttles left behind are released.",
        fields=(
            Field(name="brokers", label="Brokers", help="all throttles of these, such as 1,2"),
            Field(name="topics", label="Topics", kind=Kind.LINES, help="all throttles of these"),
        ),
        read=move_forms.release,
    ),
)
