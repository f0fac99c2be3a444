"""The columns of a state-change line: their meaning, and the placeholders that have their values.

One table, the fields of `StateChange`.  The placeholders of templates, the values that the parser
keeps, the columns of typed rows and their documentation are made from it; a new column is a new
field here and its placeholder in the templates.  Lines and Arrow are not known here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum, auto
from typing import Annotated, Final, get_args

from kadmin.statechange.kinds import STATE_WORDS, STATES, TRANSITIONS, Kind, Level, Role

TopicPartition = tuple[str, int]


class Shape(Enum):
    """Which texts a placeholder can stand for."""

    INTEGER = auto()
    NUMBERS = auto()
    WORD = auto()
    TEXT = auto()
    STATE = auto()
    TRANSITION = auto()
    PARTITION = auto()
    PARTITIONS = auto()
    TOPIC = auto()
    INDEX = auto()
    BROKER_EPOCHS = auto()
    CODE = auto()
    ITEMS = auto()
    PAYLOAD = auto()


VOCABULARIES: Final = {Shape.STATE: STATES, Shape.TRANSITION: TRANSITIONS}
"""The words of the shapes that stand for one of several."""


class ColumnType(Enum):
    """What the values of a column are, in words for its readers."""

    SOURCE = "name of a source"
    TIME = "time in ms, without a zone"
    INTEGER = "integer"
    INTEGERS = "list of integers"
    WORD = "word"
    TEXT = "text"
    PARTITIONS = "list of topics with partitions"


@dataclass(frozen=True, slots=True)
class Column:
    """The meaning of a column, and the *placeholders* that have its value, with their shapes.

    Of several placeholders the first one that a line has, with a value, counts.  *words* are all
    values of a column of words.  *attribute* is the field of `StateChange`; the column has its name
    unless it has another; without one, the column's value is not in the line.
    """

    type: ColumnType
    meaning: str
    placeholders: Mapping[str, Shape] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    name: str = ""
    attribute: str = ""


def integer(meaning: str, placeholder: str | None = None) -> Column:
    """Make a column of integers that has the value of the placeholder as it is."""
    said = {} if placeholder is None else {placeholder: Shape.INTEGER}
    return Column(ColumnType.INTEGER, meaning, said)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """The values of a line; None where it has none, or where it was not understood.

    *text* is the whole line, *message* stands between the level and the logger's name.  *time_ms*
    is the writer's wall clock as if it were UTC, in ms since 1970.  At a leader's start the
    *broker* is the *leader* as well.  *partitions* are empty where the line names none; an empty
    *isr* was empty in the line.
    """

    text: str
    time_ms: Annotated[
        int | None,
        Column(
            ColumnType.TIME, "the writer's wall clock; in a merge, the common time", name="time"
        ),
    ] = None
    level: Annotated[
        Level | None, Column(ColumnType.WORD, "how grave the writer took it", words=tuple(Level))
    ] = None
    role: Annotated[
        Role | None,
        Column(ColumnType.WORD, "whether the broker wrote as the controller", words=tuple(Role)),
    ] = None
    broker: Annotated[int | None, integer("the broker that wrote the line", "broker")] = None
    controller_id: Annotated[
        int | None, integer("the controller: the writer, or who sent the request", "controller")
    ] = None
    controller_epoch: Annotated[
        int | None, integer("the epoch of that controller", "controller_epoch")
    ] = None
    kind: Annotated[Kind, Column(ColumnType.WORD, "what the line is about", words=tuple(Kind))]
    partitions: Annotated[
        tuple[TopicPartition, ...],
        Column(
            ColumnType.PARTITIONS,
            "all that the line names, in its order; what its payload names, where it names none",
            {
                "partition": Shape.PARTITION,
                "partitions": Shape.PARTITIONS,
                # A partition of the payload is two values.
                "topic": Shape.TOPIC,
                "index": Shape.INDEX,
                "items": Shape.ITEMS,
            },
        ),
    ] = ()
    from_state: Annotated[
        str | None,
        Column(ColumnType.WORD, "the state before", {"from": Shape.STATE}, words=STATE_WORDS),
    ] = None
    to_state: Annotated[
        str | None,
        Column(
            ColumnType.WORD,
            "the state after, or what the replica becomes",
            {"to": Shape.STATE, "transition": Shape.TRANSITION},
            words=STATE_WORDS,
        ),
    ] = None
    leader: Annotated[
        int | None, integer("the partition's leader; -1 for none, -2 for one deleted", "leader")
    ] = None
    isr: Annotated[
        tuple[int, ...] | None,
        Column(
            ColumnType.INTEGERS,
            "the partition's ISR",
            {"isr": Shape.NUMBERS, "isr_epochs": Shape.BROKER_EPOCHS},
        ),
    ] = None
    leader_epoch: Annotated[int | None, integer("the leader's epoch", "leader_epoch")] = None
    zk_version: Annotated[
        int | None,
        integer(
            "the zkVersion of the partition's state; from 3.3 its partition epoch", "zk_version"
        ),
    ] = None
    correlation_id: Annotated[
        int | None, integer("the correlation id of the request", "correlation")
    ] = None
    peer_broker: Annotated[
        int | None,
        Column(
            ColumnType.INTEGER,
            "the broker at the other end; several are only in the message",
            {"peer": Shape.INTEGER, "peers": Shape.NUMBERS},
        ),
    ] = None
    error: Annotated[
        str | None,
        Column(
            ColumnType.TEXT,
            "what went wrong in the line's words, or the first error code that is not 0",
            {"error": Shape.TEXT, "code": Shape.CODE, "items": Shape.ITEMS},
        ),
    ] = None
    message: Annotated[str, Column(ColumnType.TEXT, "what stands behind the level")]


def said_columns() -> tuple[Column, ...]:
    return tuple(
        replace(column, name=column.name or each.name, attribute=each.name)
        for each in fields(StateChange)
        for column in get_args(each.type)[1:]
    )


SAID_COLUMNS: Final = said_columns()
"""The columns whose values are in a line: the annotated fields of `StateChange`, in their order."""

TOPIC: Final = Column(ColumnType.TEXT, "the topic of the first of `partitions`", name="topic")
PARTITION: Final = Column(
    ColumnType.INTEGER, "the number of the first of `partitions`", name="partition"
)

COLUMNS: Final = (
    Column(ColumnType.SOURCE, "whose log it is, as the merge calls it", name="source"),
    Column(ColumnType.SOURCE, "the file of it that the line stands in", name="file"),
    Column(ColumnType.INTEGER, "the line's number in its file, from 1", name="line"),
    *(
        each
        for column in SAID_COLUMNS
        for each in (
            (TOPIC, PARTITION, column) if column.type is ColumnType.PARTITIONS else (column,)
        )
    ),
)
"""All columns of typed rows, in their order."""

assert len({column.name for column in COLUMNS}) == len(COLUMNS)


def columns_of(wanted: ColumnType) -> tuple[Column, ...]:
    """Return the columns of that type whose values are in a line."""
    return tuple(column for column in SAID_COLUMNS if column.type is wanted)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What `{name}` stands for in a template, and the *columns* that ask for it, if any do."""

    shape: Shape
    columns: tuple[str, ...] = ()


SHAPES_WITHOUT_COLUMN: Final = {
    "n": Shape.INTEGER,
    "numbers": Shape.NUMBERS,
    "word": Shape.WORD,
    "text": Shape.TEXT,
    # Their texts have forms of their own, with placeholders in them: see `payloads`.
    "decided": Shape.PAYLOAD,
    "sent": Shape.PAYLOAD,
    "published": Shape.PAYLOAD,
    "received": Shape.PAYLOAD,
    "cached": Shape.PAYLOAD,
    "elected": Shape.PAYLOAD,
    "stored": Shape.PAYLOAD,
    "stopped": Shape.PAYLOAD,
    "node": Shape.PAYLOAD,
    "response": Shape.PAYLOAD,
}


def placeholders() -> dict[str, Placeholder]:
    found = {name: Placeholder(shape) for name, shape in SHAPES_WITHOUT_COLUMN.items()}
    for column in SAID_COLUMNS:
        for name, shape in column.placeholders.items():
            known = found.setdefault(name, Placeholder(shape))
            assert known.shape is shape, name
            assert name not in SHAPES_WITHOUT_COLUMN, name
            found[name] = Placeholder(shape, (*known.columns, column.name))
    return found


PLACEHOLDERS: Final = placeholders()
"""All that may stand in the texts of templates, by name."""
