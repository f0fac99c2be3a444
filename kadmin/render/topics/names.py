"""A list of topics: how does it look?"""

from collections.abc import Sequence
from typing import Final

from kadmin.render.output import Document

MARKED: Final = " - marked for deletion"


def list_document(names: Sequence[str], marked: frozenset[str]) -> Document:
    """Return the names of topics; those of *marked* wait for their deletion."""
    return Document(
        schema="kadmin.topics.list/1",
        body=lambda: {
            "topics": [{"name": name, "marked_for_deletion": name in marked} for name in names]
        },
        columns=("name", "marked_for_deletion"),
        rows=lambda: ((name, name in marked) for name in names),
        lines=lambda: (name + MARKED if name in marked else name for name in names),
    )
