"""Configs, and what became of a change of them: how do they look?

The lines are those of kafka-configs 2.8 in ZooKeeper form, with `--all` those of its admin API, but
sorted, and with passwords and keys masked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.fault import Fault
from cluster.zk.configs import config_path
from cluster.zk.paths import DEFAULT_ENTITY
from kadmin.plan.config_plan import ConfigPlan, shown_value
from kadmin.plan.config_values import ConfigValue
from kadmin.plan.entity_options import parts_of
from kadmin.render.faults import fault_bodies
from kadmin.render.output import Document
from kadmin.render.visible import visible

ENTITY_COLUMNS: Final = ("entity_type", "entity_name", "client")
API_NAMES: Final = {EntityKind.TOPICS: "topic", EntityKind.BROKERS: "broker"}
"""How Kafka's admin API calls one of a kind."""


def describe_document(
    configs: Mapping[ConfigEntity, ConfigOverrides], faults: Sequence[Fault]
) -> Document:
    """Return the overrides of entities; *faults* are those that could not be read."""
    shown = {entity: shown_configs(entity, config) for entity, config in configs.items()}
    return Document(
        schema="kadmin.configs.describe/1",
        body=lambda: {
            "entities": [
                {**entity_body(entity), "configs": values} for entity, values in shown.items()
            ],
            "faults": fault_bodies(faults),
        },
        columns=(*ENTITY_COLUMNS, "name", "value"),
        rows=lambda: (
            (*entity_cells(entity), name, "" if value is None else value)
            for entity, values in shown.items()
            for name, value in values.items()
        ),
        lines=lambda: (
            visible(
                f"Configs for {entity} are "
                + ",".join(
                    f"{name}={'null' if value is None else value}" for name, value in values.items()
                )
            )
            for entity, values in shown.items()
        ),
    )


def shown_configs(entity: ConfigEntity, config: ConfigOverrides) -> dict[str, str | None]:
    return {
        name: shown_value(entity.kind, name, value) for name, value in sorted(config.values.items())
    }


def entity_body(entity: ConfigEntity) -> dict[str, object]:
    """Return who it is about; a name of null is the default for the kind."""
    return {
        "entity": [{"type": part.kind, "name": part.name} for part in parts_of(entity)],
        "path": config_path(entity),
    }


def entity_cells(entity: ConfigEntity) -> tuple[str, str, str]:
    client = "" if entity.child is None else entity.child.name or DEFAULT_ENTITY
    return (entity.root.kind, entity.root.name or DEFAULT_ENTITY, client)


def describe_all_document(
    values: Mapping[ConfigEntity, Sequence[ConfigValue]], faults: Sequence[Fault]
) -> Document:
    """Return all configs of topics or brokers, each with the places that give it a value."""
    return Document(
        schema="kadmin.configs.describe-all/1",
        body=lambda: {
            "entities": [
                {**entity_body(entity), "configs": [value_body(value) for value in configs]}
                for entity, configs in values.items()
            ],
            "faults": fault_bodies(faults),
        },
        columns=(*ENTITY_COLUMNS, "name", "value", "source"),
        rows=lambda: (
            (*entity_cells(entity), value.name, value.value or "", source_name(value) or "")
            for entity, configs in values.items()
            for value in configs
        ),
        lines=lambda: describe_all_lines(values),
    )


def value_body(value: ConfigValue) -> dict[str, object]:
    spec = value.spec
    return {
        "name": value.name,
        "value": value.value,
        "source": source_name(value),
        "is_sensitive": value.is_sensitive,
        "synonyms": [
            {"source": synonym.source.name, "name": synonym.name, "value": synonym.value}
            for synonym in value.synonyms
        ],
        "type": None if spec is None else spec.kind,
        "since": None if spec is None else spec.since,
        "defaults_before": {} if spec is None else dict(spec.earlier_defaults),
    }


def source_name(value: ConfigValue) -> str | None:
    """Return Kafka's name of the source that wins; None where no value is set."""
    return None if value.source is None else value.source.name


def describe_all_lines(values: Mapping[ConfigEntity, Sequence[ConfigValue]]) -> Iterator[str]:
    for entity, configs in values.items():
        yield visible(heading(entity.root))
        for value in configs:
            synonyms = ", ".join(map(str, value.synonyms))
            sensitive = "true" if value.is_sensitive else "false"
            shown = "null" if value.value is None else value.value
            yield visible(f"  {value.name}={shown} sensitive={sensitive} synonyms={{{synonyms}}}")


def heading(entity: Entity) -> str:
    if entity.name is None:
        return f"Default configs for {entity.kind} in the cluster are:"
    return f"All configs for {API_NAMES[entity.kind]} {entity.name} are:"


def alter_document(plans: Sequence[ConfigPlan], *, is_dry_run: bool) -> Document:
    """Return finished changes in Kafka's lines; planned ones as the plan."""
    return Document(
        schema="kadmin.configs.alter/1",
        body=lambda: {
            "dry_run": is_dry_run,
            "changes": [
                {
                    **entity_body(plan.entity),
                    "outcome": outcome_of(plan, is_dry_run=is_dry_run),
                    "changes": [
                        {"name": change.name, "before": change.before, "after": change.after}
                        for change in plan.changes
                    ],
                    "may_delete": loss_bodies(plan),
                }
                for plan in plans
            ],
        },
        columns=(*ENTITY_COLUMNS, "outcome", "name", "before", "after"),
        rows=lambda: (
            (
                *entity_cells(plan.entity),
                outcome_of(plan, is_dry_run=is_dry_run),
                change.name,
                "" if change.before is None else change.before,
                "" if change.after is None else change.after,
            )
            for plan in plans
            for change in plan.changes
        ),
        lines=lambda: (
            str(plan) if is_dry_run else f"Completed updating config for entity: {plan.entity}."
            for plan in plans
        ),
    )


def loss_bodies(plan: ConfigPlan) -> list[dict[str, str]]:
    return [{"config": loss.name, "records": loss.records} for loss in plan.losses]


def outcome_of(plan: ConfigPlan, *, is_dry_run: bool) -> str:
    if is_dry_run:
        return "planned"
    return "done" if plan.changes else "unchanged"
