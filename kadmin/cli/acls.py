"""`kadmin acls`: who may do what to which resource, and who shall?"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from cluster.model.acl import ResourceType
from kadmin.cli.common_options import dry_run_option, force_option, yes_option
from kadmin.cli.frame import command
from kadmin.cli.options import action, chosen_action, flag, given_options, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option

if TYPE_CHECKING:
    from kadmin.arguments.acls import Whom
    from kadmin.plan.acls import AclPlan, AclRequest, ResourceFilter

ACTIONS: Final = "Actions (exactly one)"
RESOURCES: Final = "Which resources"
RULES: Final = "Which rules"
CONVENIENCE: Final = "Rules of a producer or consumer"
LIST: Final = "List"

ALL: Final = ("list", "add", "remove")
CHANGES: Final = ("add", "remove")

NAMED_BY: Final = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "transactional_id": ResourceType.TRANSACTIONAL_ID,
    "delegation_token": ResourceType.DELEGATION_TOKEN,
    "user_principal": ResourceType.USER,
}
"""Parameter → the type of resource that it names."""

PATTERNS: Final = ("literal", "prefixed", "any", "match")


@command(
    "acls",
    short_help="See and change who may do what.",
    speaks_to_brokers=True,
    # Kafka's tool has a flag of that name.
    without_value={"--cluster": "--kafka-cluster"},
)
@action("--list", "list_", section=ACTIONS, help="List the ACLs of resources, or all.")
@action("--add", section=ACTIONS, help="Add ACLs.")
@action("--remove", section=ACTIONS, help="Remove ACLs.")
@option(
    "--topic",
    multiple=True,
    metavar="NAME",
    section=RESOURCES,
    actions=ALL,
    completes="topics",
    help="A topic; may be repeated, * is every topic.",
)
@option("--group", multiple=True, metavar="NAME", section=RESOURCES, actions=ALL, help="A group.")
@option(
    "--kafka-cluster",
    is_flag=True,
    section=RESOURCES,
    actions=ALL,
    help="The cluster itself; as in Kafka's tool, --cluster without a name says the same.",
)
@option(
    "--transactional-id",
    multiple=True,
    metavar="ID",
    section=RESOURCES,
    actions=ALL,
    help="A transactional id.",
)
@option(
    "--delegation-token",
    multiple=True,
    metavar="ID",
    section=RESOURCES,
    actions=ALL,
    help="A delegation token.",
)
@option(
    "--user-principal",
    multiple=True,
    metavar="PRINCIPAL",
    section=RESOURCES,
    actions=ALL,
    help="A user whose tokens others may ask for; Kafka 3.3 and later.",
)
@option(
    "--resource-pattern-type",
    type=click.Choice(PATTERNS, case_sensitive=False),
    default="literal",
    show_default=True,
    section=RESOURCES,
    actions=ALL,
    help=(
        "What a name means: itself, or all that begin with it; to list and remove, also "
        "either of the two, or all that match a resource of this name."
    ),
)
@option(
    "--principal",
    "principals",
    multiple=True,
    metavar="PRINCIPAL",
    section=RULES,
    actions=("list",),
    help="List only the ACLs of this principal; may be repeated.",
)
@option(
    "--allow-principal",
    multiple=True,
    metavar="PRINCIPAL",
    section=RULES,
    actions=CHANGES,
    help="Who is allowed: User:alice, or User:* for everybody; may be repeated.",
)
@option(
    "--deny-principal",
    multiple=True,
    metavar="PRINCIPAL",
    section=RULES,
    actions=CHANGES,
    help="Who is denied, whatever else is allowed; may be repeated.",
)
@option(
    "--allow-host",
    multiple=True,
    metavar="ADDRESS",
    section=RULES,
    actions=CHANGES,
    help="From which host they are allowed; without it, from every host.",
)
@option(
    "--deny-host",
    multiple=True,
    metavar="ADDRESS",
    section=RULES,
    actions=CHANGES,
    help="From which host they are denied; without it, from every host.",
)
@option(
    "--operation",
    "operations",
    multiple=True,
    metavar="NAME",
    section=RULES,
    actions=CHANGES,
    help=(
        "Which operation: Read, Write, Create, Delete, Alter, Describe, ClusterAction, "
        "DescribeConfigs, AlterConfigs, IdempotentWrite, CreateTokens, DescribeTokens; "
        "without it, All."
    ),
)
@option(
    "--producer",
    is_flag=True,
    section=CONVENIENCE,
    actions=CHANGES,
    help="Write, Describe and Create of each topic, Write and Describe of each transactional id.",
)
@option(
    "--consumer",
    is_flag=True,
    section=CONVENIENCE,
    actions=CHANGES,
    help="Read and Describe of each topic, Read of each group.",
)
@option(
    "--idempotent",
    is_flag=True,
    section=CONVENIENCE,
    actions=CHANGES,
    help="With --producer: IdempotentWrite of the cluster, which Kafka wants before 2.8.",
)
@watch_option(LIST, actions=("list",))
@dry_run_option(CHANGES)
@yes_option(CHANGES)
@force_option(CHANGES)
def acls(session: Session, **options: Any) -> None:
    """See and change who may do what, with the options of kafka-acls.

    It goes through ZooKeeper, where AclAuthorizer and SimpleAclAuthorizer keep their rules, or
    through the brokers (Kafka 2.0 and later) if only --bootstrap-server names the cluster. Rules
    that exist are not added again and rules that do not exist are not removed, so a command can be
    run twice. All rules of one resource change together. It asks before it removes rules; scripts
    need --yes for that. What a list has to leave out, since it may not be
    read or is damaged, is named on standard error and does not change the exit code.

    \b
    Examples:
      kadmin acls --list --topic orders --resource-pattern-type match
      kadmin acls --add --allow-principal User:ann --operation Read --topic orders --group bills
      kadmin acls --add --allow-principal User:app --producer --topic 'orders'
      kadmin acls --add --allow-principal User:ops --topic team- --resource-pattern-type prefixed
      kadmin acls --remove --allow-principal User:ann --operation Read --topic orders
    """
    from kadmin.arguments.acls import match_warnings

    action = chosen_action(options)
    check_options(action, options)
    filters = filters_for(options)
    for warning in match_warnings(
        filters,
        [*options["principals"], *options["allow_principal"], *options["deny_principal"]],
        [*options["allow_host"], *options["deny_host"]] if action == "add" else (),
    ):
        session.output.warn(warning)
    if action == "list":
        principals, seconds = options["principals"], options["watch"]

        def show() -> None:
            list_acls(session, filters, principals, is_watched=seconds is not None)

        watch(session, seconds, show)
    else:
        change_acls(session, request_for(action, filters, options), options)


def check_options(action: str, options: Mapping[str, Any]) -> None:
    """Refuse options that do not go with each other, as Kafka's tool does."""
    used = given_options(options)
    convenience = [name for name in ("producer", "consumer") if options[name]]
    if convenience:
        for name in ("operations", "deny_principal", "deny_host"):
            if name in used:
                word = "--operation" if name == "operations" else flag(name)
                raise click.UsageError(f"{word} does not go with {flag(convenience[0])}")
    if options["idempotent"] and not options["producer"]:
        raise click.UsageError("the --idempotent option is only available if --producer is set")
    if options["producer"] and not options["topic"]:
        raise click.UsageError("with --producer you must specify a --topic")
    if options["consumer"]:
        others = options["kafka_cluster"] or options["transactional_id"]
        is_whole = options["topic"] and options["group"]
        if not is_whole or (others and not options["producer"]):
            raise click.UsageError(
                "with --consumer you must specify a --topic and a --group and no --kafka-cluster"
                " or --transactional-id"
            )
    if action == "add" and options["resource_pattern_type"] not in PATTERNS[:2]:
        raise click.UsageError(
            f"a --resource-pattern-type of {options['resource_pattern_type']} is not valid when"
            " adding acls"
        )
    if action == "list":
        return
    if not any(options[name] for name in (*NAMED_BY, "kafka_cluster")):
        raise click.UsageError(
            "you must specify at least one resource: --topic, --kafka-cluster, --group,"
            " --transactional-id, --delegation-token or --user-principal"
        )
    check_whom(action, options)


def check_whom(action: str, options: Mapping[str, Any]) -> None:
    """Refuse to remove rules of no principal: Kafka removes all rules then, whatever
    else is given."""
    allows, denies = bool(options["allow_principal"]), bool(options["deny_principal"])
    for name, is_there in (("allow", allows), ("deny", denies)):
        if options[f"{name}_host"] and not is_there:
            raise click.UsageError(f"--{name}-host needs --{name}-principal")
    if allows or denies:
        return
    if action == "add":
        raise click.UsageError(
            "you must specify one of: --allow-principal, --deny-principal when trying to add ACLs"
        )
    for name, word in (
        ("operations", "--operation"),
        ("producer", "--producer"),
        ("consumer", "--consumer"),
    ):
        if options[name]:
            raise click.UsageError(f"{word} needs --allow-principal or --deny-principal")


def filters_for(options: Mapping[str, Any]) -> "tuple[ResourceFilter, ...]":
    from kadmin.arguments.acls import filters_of
    from kadmin.plan.acls import CLUSTER_NAME, PatternFilter

    names = {kind: options[name] for name, kind in NAMED_BY.items()}
    if options["kafka_cluster"]:
        names[ResourceType.CLUSTER] = (CLUSTER_NAME,)
    return filters_of(names, PatternFilter(options["resource_pattern_type"]))


def request_for(
    action: str, filters: "Sequence[ResourceFilter]", options: Mapping[str, Any]
) -> "AclRequest":
    from kadmin.arguments.acls import convenient_request, operations_of, plain_request

    is_removal = action == "remove"
    whom = whom_of(options)
    if options["producer"] or options["consumer"]:
        return convenient_request(
            filters,
            whom,
            produces=options["producer"],
            consumes=options["consumer"],
            is_idempotent=options["idempotent"],
            is_removal=is_removal,
        )
    operations = operations_of(options["operations"])
    return plain_request(filters, whom, operations, is_removal=is_removal)


def whom_of(options: Mapping[str, Any]) -> "Whom":
    from kadmin.arguments.acls import Whom, hosts_of, principals_of

    return Whom(
        allowed=principals_of(options["allow_principal"]),
        denied=principals_of(options["deny_principal"]),
        allowed_hosts=hosts_of(options["allow_host"]),
        denied_hosts=hosts_of(options["deny_host"]),
    )


def list_acls(
    session: Session,
    filters: "Sequence[ResourceFilter]",
    principals: Sequence[str],
    *,
    is_watched: bool,
) -> None:
    from kadmin.arguments.acls import principals_of
    from kadmin.plan.acls import rule_of
    from kadmin.render.acls import list_document

    wanted = principals_of(principals)
    with session.acls() as admin:
        snapshot = admin.snapshot()
    shown = {
        resource: list(map(rule_of, acls.entries))
        for resource, acls in snapshot.acls.items()
        if not filters or any(filter_.matches(resource) for filter_ in filters)
    }
    faults = [
        *snapshot.hidden.values(),
        *(
            fault
            for resource, fault in snapshot.damaged.items()
            if not filters or any(filter_.matches(resource) for filter_ in filters)
        ),
        *snapshot.unread,
    ]
    rules = [rule for rules in shown.values() for rule in rules]
    if not faults and not any(not wanted or rule.principal in wanted for rule in rules):
        # With a watch, a topic may be created later.
        if not is_watched:
            require_topics(session, filters)
        session.output.note("there are no such ACLs" if filters or wanted else "there are no ACLs")
    session.output.show(list_document(shown, faults, wanted))
    for fault in faults:
        session.output.warn(f"left out: {fault}")


def require_topics(session: Session, filters: "Sequence[ResourceFilter]") -> None:
    """See that the topics of *filters* exist, of which no ACL is there to be listed.

    Raises:
        NoSuchTopic: one does not.
    """
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.acls import PatternFilter

    named = tuple(
        each.name
        for each in filters
        if each.resource_type is ResourceType.TOPIC and each.pattern is not PatternFilter.PREFIXED
    )
    if named:
        with session.topics() as admin:
            TopicSelection(wanted=named).require_names(admin.names().names)


def change_acls(session: Session, request: "AclRequest", options: Mapping[str, Any]) -> None:
    from kadmin.cli.changing import make
    from kadmin.execute.acls import AclChange
    from kadmin.plan.acls import plan_lines
    from kadmin.render.acls import change_document

    def report(plans: "Sequence[AclPlan]", *, is_dry_run: bool) -> None:
        session.output.show(change_document(plans, is_dry_run=is_dry_run))

    with session.acls() as admin:
        make(
            AclChange(admin, request, session),
            session.output,
            lines=plan_lines,
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"] or options["force"],
        )
