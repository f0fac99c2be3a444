"""The entities whose configs a command line means, as the cluster has them."""

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from kadmin.admin.ports import ConfigAdmin
from kadmin.plan.entities import EntitySelection
from kadmin.plan.select import selection_of


def entities_of(admin: ConfigAdmin, selection: EntitySelection) -> list[ConfigEntity]:
    """The entities that are meant; a topic that is named must exist.

    Raises:
        NoSuchTopic: it does not, or no topic matches.
    """
    root = selection.root.entity
    if selection.root.kind is not EntityKind.TOPICS or root is None:
        return admin.find(selection)
    topics = selection_of([str(root.name)], is_regex=False)
    names = topics.require(admin.topic_names(topics))
    return [ConfigEntity(Entity(EntityKind.TOPICS, name)) for name in names]
