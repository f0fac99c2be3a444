"""Topic ids as only a hand can have written them: those that are no UUIDs, and those of several
topics."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic_id import read_by_kafka, topic_id_text
from kadmin.wording import first_listed

SHOWN_MAX: Final = 80
"""How much is shown of a text that is no UUID."""


class WrongId(NamedTuple):
    """An id of *topics*, and why a controller cannot use it."""

    topics: tuple[str, ...]
    reason: str

    @property
    def is_shared(self) -> bool:
        return len(self.topics) > 1


def wrong_ids(topics: Iterable[TopicSnapshot]) -> Iterator[WrongId]:
    """Yield what is wrong with the ids of *topics*; one without an id is not among them."""
    found: dict[bytes, list[str]] = {}
    for topic in topics:
        text = topic.assignment.topic_id
        if text is None:
            continue
        topic_id = read_by_kafka(text)
        if topic_id is None:
            reason = f"the id of topic '{topic.name}' is no UUID: {text[:SHOWN_MAX]}"
            yield WrongId((topic.name,), reason)
        else:
            found.setdefault(topic_id, []).append(topic.name)
    for topic_id, names in found.items():
        if len(names) > 1:
            reason = f"topics {first_listed(names)} have one topic id: {topic_id_text(topic_id)}"
            yield WrongId(tuple(names), reason)
