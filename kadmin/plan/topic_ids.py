"""Topic ids as only a hand can have written them: those that are no UUIDs, and those of several
topics."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic_id import read_by_kafka, topic_id_text

SHOWN_MAX: Final = 80


class WrongIds(NamedTuple):
    """What is *no_uuid*, cut to a length that can be shown, by topic; and the topics of each id
    that is *shared*."""

    no_uuid: dict[str, str]
    shared: dict[str, tuple[str, ...]]


def wrong_ids(topics: Iterable[TopicSnapshot]) -> WrongIds:
    """Return what is wrong with the ids of *topics*; one without an id is not among them."""
    no_uuid: dict[str, str] = {}
    found: dict[bytes, list[str]] = {}
    for topic in topics:
        text = topic.assignment.topic_id
        if text is None:
            continue
        topic_id = read_by_kafka(text)
        if topic_id is None:
            no_uuid[topic.name] = text[:SHOWN_MAX]
        else:
            found.setdefault(topic_id, []).append(topic.name)
    shared = {topic_id_text(each): tuple(names) for each, names in found.items() if len(names) > 1}
    return WrongIds(no_uuid, shared)
