"""What does a release write for a template, and what should a parser find in it?

Draws lines with random values, for tests and benchmarks; the same seed gives the same lines.  Knows
none of the parsers: what a line means is said by the values that went into it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from kadmin.statechange.kinds import STATES, TRANSITIONS, Kind, Role
from kadmin.statechange.language import Release, Shape, Template, pieces, release, variants
from kadmin.statechange.parse import StateChange, TopicPartition
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import speaker_of

RELEASES: Final = tuple(
    release(version)
    for version in (
        *("0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0"),
        *("1.0", "1.1", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8"),
        *("3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "4.0"),
    )
)

TOPICS: Final = ("orders", "__consumer_offsets", "a-1", "metrics.v2", "0", "x", "-", "clicks-eu-7")
ERRORS: Final = ("NOT_LEADER_OR_FOLLOWER", "UNKNOWN_SERVER_ERROR", "STALE_BROKER_EPOCH")
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

FIRST_TIME: Final = datetime(2012, 1, 1, tzinfo=UTC)
TIME_SPAN_MS: Final = 20 * 365 * 24 * 3600 * 1000


def releases_of(template: Template) -> tuple[Release, ...]:
    """The releases that write lines of *template*."""
    return tuple(version for version in RELEASES if template.first <= version <= template.last)


@dataclass(slots=True)
class Draft:
    """A line in the making: its text so far, and the values in it by their placeholders."""

    template: Template
    version: Release
    random: Random
    text: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    isr: tuple[int, ...] | None = None
    peers: tuple[int, ...] = ()
    named: list[TopicPartition] = field(default_factory=list)
    quoted: list[TopicPartition] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    item_codes: list[int] = field(default_factory=list)


def draw_example(template: Template, version: Release, random: Random) -> StateChange:
    """A line of *template* as *version* writes it, and what it says."""
    draft = Draft(template, version, random, words=dict(template.sets))
    speaker = speaker_of(template, version)
    if speaker is not None:
        fill_in(draft, speaker.text)
    name, draft.text = draft.text, ""
    fill_in(draft, random.choice(variants(template.text)))
    message = name + template.cased(draft.text, version)
    level = random.choice(template.levels_in(version))
    time = FIRST_TIME + timedelta(milliseconds=random.randrange(TIME_SPAN_MS))
    date = f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}"
    role = Role(draft.words["role"]) if "role" in draft.words else template.role
    broker = draft.numbers.get("broker")
    return StateChange(
        text=f"[{date}] {level} {message} (state.change.logger)",
        message=message,
        kind=template.kind,
        time_ms=round(time.timestamp() * 1000),
        level=level,
        role=role,
        broker=broker,
        controller_id=broker if role is Role.CONTROLLER else draft.numbers.get("controller"),
        controller_epoch=draft.numbers.get("controller_epoch"),
        partitions=tuple(draft.named or draft.quoted),
        from_state=draft.words.get("from"),
        to_state=draft.words.get("to_state"),
        leader=broker if template.kind is Kind.LEADER_START else draft.numbers.get("leader"),
        isr=draft.isr,
        leader_epoch=draft.numbers.get("leader_epoch"),
        zk_version=draft.numbers.get("zk_version"),
        correlation_id=draft.numbers.get("correlation"),
        peer_broker=draft.peers[0] if len(draft.peers) == 1 else draft.numbers.get("peer"),
        error=draft.words.get("error", first_failure(draft.codes + draft.item_codes)),
    )


def first_failure(codes: Iterable[int]) -> str | None:
    return next((f"error_code={code}" for code in codes if code != 0), None)


def fill_in(draft: Draft, variant: str) -> None:
    """Append *variant* with a value for each of its placeholders."""
    parts = list(pieces(variant))
    for index, part in enumerate(parts):
        if isinstance(part, str):
            draft.text += part
            continue
        following = parts[index + 1] if index + 1 < len(parts) else ""
        assert isinstance(following, str), "values stand apart"
        name, placeholder = part
        draft.text += draw_text(draft, name, placeholder.shape, following)


def draw_text(draft: Draft, name: str, shape: Shape, following: str) -> str:
    """A value for placeholder *name*, noted in *draft*, as it is written before *following*."""
    match shape:
        case Shape.INTEGER:
            return draw_integer(draft, name)
        case Shape.CODE:
            draft.codes.append(draft.random.choice((0, 0, 0, 6, -1, 77)))
            return str(draft.codes[-1])
        case Shape.NUMBERS | Shape.BROKER_EPOCHS:
            return draw_numbers(draft, name, following)
        case Shape.STATE:
            return draw_word(draft, "to_state" if name == "to" else name, STATES)
        case Shape.TRANSITION:
            return draw_word(draft, "to_state", TRANSITIONS)
        case Shape.PARTITION | Shape.PARTITIONS | Shape.TOPIC:
            return draw_named(draft, shape)
        case Shape.WORD | Shape.TEXT:
            return draw_free_text(draft, name, following)
        case Shape.PAYLOAD:
            return draw_payload(draft, name)
        case Shape.ITEMS:
            raise AssertionError("a list is filled in with its payload")


def draw_integer(draft: Draft, name: str) -> str:
    if name == "index":
        return str(draft.quoted[-1][1])
    number = draft.random.choice((0, draft.random.randint(1, 9), draft.random.randint(1, 10**9)))
    if name in ("leader", "leader_epoch", "n") and draft.random.random() < 0.1:
        number = draft.random.choice((-1, -2))
    draft.numbers[name] = number
    return str(number)


def draw_numbers(draft: Draft, name: str, following: str) -> str:
    brokers = draw_brokers(draft.random)
    if name == "isr_epochs":
        draft.isr = brokers
        return ", ".join(f"BrokerState(brokerId={broker}, brokerEpoch=-1)" for broker in brokers)
    in_brackets = following.startswith((")", "]"))
    if name == "isr":
        draft.isr = brokers
    elif name == "peers":
        draft.peers = brokers
    elif not in_brackets:
        brokers = brokers or (0,)
    # A list that is printed as it is has blanks; one that was joined has none, but is followed by
    # the separator of the next key.
    text = (", " if in_brackets and draft.random.random() < 0.5 else ",").join(map(str, brokers))
    if following.startswith("Leader"):
        return text + ","
    return text + ", " if following[:1].isalpha() else text


def draw_brokers(random: Random) -> tuple[int, ...]:
    return tuple(random.sample(range(1, 1200), random.randint(0, 4)))


def draw_word(draft: Draft, name: str, words: tuple[str, ...]) -> str:
    draft.words[name] = draft.random.choice(words)
    return draft.words[name]


def draw_named(draft: Draft, shape: Shape) -> str:
    """One partition, several, or only the topic of one that a payload quotes."""
    count = draft.random.randint(1, 4) if shape is Shape.PARTITIONS else 1
    drawn = [draw_partition(draft.random) for _ in range(count)]
    if shape is Shape.TOPIC:
        draft.quoted += drawn
        return drawn[0][0]
    draft.named = drawn
    is_dashed = draft.version >= draft.template.dashed_from
    spelling = "{}-{}" if is_dashed else "[{},{}]"
    return ",".join(spelling.format(*partition) for partition in drawn)


def draw_partition(random: Random) -> TopicPartition:
    made = "".join(random.choice(LETTERS) for _ in range(random.randint(1, 60)))
    return random.choice((*TOPICS, made)), random.choice((0, 3, 49, 100_000))


def draw_free_text(draft: Draft, name: str, following: str) -> str:
    made = "".join(draft.random.choice(LETTERS) for _ in range(22))
    if name == "error":
        # Errors are one word where the line goes on behind them.
        causes = ERRORS if following.startswith(" ") else ("java.io.IOException: No space", made)
        return draw_word(draft, "error", causes)
    return made if name == "word" else draft.random.choice((made, "Set(1, 2)", "List()", "rack 7"))


def draw_payload(draft: Draft, name: str) -> str:
    """One of the forms that the release has for the placeholder *name*."""
    forms = [
        payload
        for payload in PAYLOADS
        if payload.family == name and payload.first <= draft.version <= payload.last
    ]
    payload = draft.random.choice(forms)
    before, draft.text = draft.text, ""
    for index, text in enumerate(draft.random.choice(variants(payload.text)).split("{items}")):
        if index > 0:
            fill_in_items(draft, payload.item, payload.separator)
        fill_in(draft, text)
    text, draft.text = draft.text, before
    return text


def fill_in_items(draft: Draft, item: str, separator: str) -> None:
    for index in range(draft.random.choice((0, 1, 1, 2, 7))):
        if index > 0:
            fill_in(draft, draft.random.choice(variants(separator)))
        # The answer's own code counts before those of its partitions, wherever it stands.
        codes, draft.codes = draft.codes, draft.item_codes
        fill_in(draft, item)
        draft.codes = codes
