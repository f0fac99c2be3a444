"""An ensemble of ZooKeepers: the report of each server, and the faults among them.

Parses answers to four-letter words, of any release, and figures of the admin server.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kadmin.plan.zookeeper_words import (
    FIGURES,
    MEMBERS,
    NOT_ALLOWED,
    NOT_SERVING,
    READ_ONLY,
    STATE,
    WHITELIST,
    WORDS,
    no_majority,
)
from kadmin.wording import counted, verb_of

STRANGE: Final = "what answers there is no ZooKeeper, or wants TLS"

LEADER: Final = "leader"
STANDALONE: Final = "standalone"


class ServerState(StrEnum):
    """The state of a server; `answers` is one whose four-letter words are not allowed."""

    SERVING = "serving"
    NOT_SERVING = "not serving"
    ANSWERS = "answers"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAnswers:
    """The answer of one server: its *answers* by word, *figures* of its admin server.

    *failure* is the reason of no answer at all, None with any; *admin_failure* of no figures.
    """

    server: str
    answers: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    failure: str | None = None
    admin_failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerReport:
    """The report of one server; None is what it does not report.

    *reason* explains why it is down.  *voters* is how many members vote, by this server.  Latencies
    are of requests, in ms, since it was started.
    """

    server: str
    state: ServerState
    reason: str | None = None
    id: int | None = None
    mode: str | None = None
    version: str | None = None
    latency_min_ms: float | None = None
    latency_avg_ms: float | None = None
    latency_max_ms: float | None = None
    outstanding: int | None = None
    connections: int | None = None
    sessions: int | None = None
    znodes: int | None = None
    watches: int | None = None
    data_bytes: int | None = None
    followers: int | None = None
    synced_followers: int | None = None
    zxid: str | None = None
    voters: int | None = None
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsembleReport:
    """The servers of a connect string, in its order, and the problems among them.

    *voters* is how many members vote, None where no server reports it.  *notes* are no faults.
    """

    servers: tuple[ServerReport, ...]
    voters: int | None
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def leader(self) -> str | None:
        return next((each.server for each in self.servers if each.mode == LEADER), None)

    @property
    def is_split(self) -> bool:
        """Whether some of the servers hold data of their own."""
        modes = [each.mode for each in self.servers]
        return modes.count(LEADER) > 1 or (len(modes) > 1 and STANDALONE in modes)

    @property
    def lacks_majority(self) -> bool:
        """Whether none of the servers serves."""
        return lacks_majority(self.servers)

    @property
    def down(self) -> tuple[str, ...]:
        return tuple(each.server for each in self.servers if each.state is ServerState.DOWN)


def lacks_majority(servers: Sequence[ServerReport]) -> bool:
    return not any(each.state in (ServerState.SERVING, ServerState.ANSWERS) for each in servers)


def report_on(answers: Sequence[ServerAnswers]) -> EnsembleReport:
    servers = tuple(map(server_report, answers))
    voters = next((each.voters for each in servers if each.voters is not None), None)
    return EnsembleReport(
        servers=servers,
        voters=voters,
        problems=tuple(problems_of(servers)),
        notes=(
            *notes_of(servers, voters),
            *(f"no admin server at {each.admin_failure}" for each in answers if each.admin_failure),
        ),
    )


def server_report(answers: ServerAnswers) -> ServerReport:
    if answers.failure is not None:
        return ServerReport(server=answers.server, state=ServerState.DOWN, reason=answers.failure)
    if is_other_server(answers):
        return ServerReport(server=answers.server, state=ServerState.DOWN, reason=STRANGE)
    conf = answers.answers.get(MEMBERS, "")
    figures = {
        **figures_of_srvr(answers.answers.get(STATE, "")),
        **figures_of_mntr(answers.answers.get(FIGURES, "")),
        **answers.figures,
    }
    members = voters_of(conf)
    voters = whole(figures, "quorum_size") if members is None else members
    return ServerReport(
        server=answers.server,
        state=state_of(figures, [*answers.answers.values(), *answers.figures.values()]),
        id=server_id(conf),
        mode=figures.get("server_state"),
        version=None if "version" not in figures else re.split("[-,]", figures["version"])[0],
        latency_min_ms=number(figures, "min_latency"),
        latency_avg_ms=number(figures, "avg_latency"),
        latency_max_ms=number(figures, "max_latency"),
        outstanding=whole(figures, "outstanding_requests"),
        connections=whole(figures, "num_alive_connections"),
        sessions=sessions_of(figures),
        znodes=whole(figures, "znode_count"),
        watches=whole(figures, "watch_count"),
        data_bytes=whole(figures, "approximate_data_size"),
        followers=followers_of(figures, voters),
        synced_followers=whole(figures, "synced_followers"),
        zxid=figures.get("zxid"),
        voters=voters,
        forbidden=tuple(word for word, text in answers.answers.items() if NOT_ALLOWED in text),
    )


def is_other_server(answers: ServerAnswers) -> bool:
    """Return whether no answer is a ZooKeeper's; one that is ill, or forbids words, is
    recognised."""
    texts = answers.answers.values()
    known = ("Zookeeper version", "zk_version", "clientPort=", NOT_SERVING, NOT_ALLOWED)
    return not answers.figures and not any(word in text for text in texts for word in known)


def figures_of_srvr(text: str) -> dict[str, str]:
    """Return the figures in an answer to `srvr`, by their names in `mntr`."""
    lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    latencies = lines.get("Latency min/avg/max", "").split("/")
    found = {
        "version": lines.get("Zookeeper version"),
        "server_state": lines.get("Mode"),
        "outstanding_requests": lines.get("Outstanding"),
        "num_alive_connections": lines.get("Connections"),
        "znode_count": lines.get("Node count"),
        "zxid": lines.get("Zxid"),
    }
    if len(latencies) == 3:
        names = ("min_latency", "avg_latency", "max_latency")
        found |= dict(zip(names, latencies, strict=True))
    return {name: text.strip() for name, text in found.items() if text is not None}


def figures_of_mntr(text: str) -> dict[str, str]:
    """Return the figures in an answer to `mntr`, without the prefix, as the admin server names
    them."""
    pairs = (line.split("\t", 1) for line in text.splitlines() if line.startswith("zk_"))
    return {pair[0].removeprefix("zk_"): pair[1].strip() for pair in pairs if len(pair) == 2}


def state_of(figures: Mapping[str, str], texts: Sequence[str]) -> ServerState:
    if figures.get("server_state") == READ_ONLY or any(NOT_SERVING in text for text in texts):
        return ServerState.NOT_SERVING
    return ServerState.SERVING if "server_state" in figures else ServerState.ANSWERS


def server_id(conf: str) -> int | None:
    """Return the server's own id, which one that stands alone has not."""
    found = re.search(r"^serverId=(\d+)$", conf, re.MULTILINE)
    return None if found is None or found[1] == "0" else int(found[1])


def voters_of(conf: str) -> int | None:
    """Return how many of the members vote that a server's configuration names; None where none
    is."""
    members = re.findall(r"^server\.\d+=(.+)$", conf, re.MULTILINE)
    return sum(":observer" not in member for member in members) if members else None


def sessions_of(figures: Mapping[str, str]) -> int | None:
    """Return the number of sessions, shared and local to this server; reported since 3.6."""
    shared = whole(figures, "global_sessions")
    own = whole(figures, "local_sessions")
    return shared if shared is None or own is None else shared + own


def followers_of(figures: Mapping[str, str], voters: int | None) -> int | None:
    """Return how many followers a leader should have; since 3.6 only those in sync are reported."""
    count = whole(figures, "followers")
    if count is not None or voters is None or figures.get("server_state") != LEADER:
        return count
    return voters - 1


def whole(figures: Mapping[str, str], name: str) -> int | None:
    found = number(figures, name)
    return None if found is None else int(found)


def number(figures: Mapping[str, str], name: str) -> float | None:
    text = figures.get(name, "")
    # 3.5 and earlier round latencies; a locale may write a comma for the point.
    return float(text.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", text) else None


def problems_of(servers: Sequence[ServerReport]) -> list[str]:
    """Return what is wrong, worst first, each in a sentence that names the servers."""
    leaders = [each.server for each in servers if each.mode == LEADER]
    alone = [each.server for each in servers if each.mode == STANDALONE]
    tells_modes = any(each.mode is not None for each in servers)
    down = [each for each in servers if each.state is ServerState.DOWN]
    idle = [each.server for each in servers if each.state is ServerState.NOT_SERVING]
    problems = []
    if len(leaders) > 1:
        problems.append(f"{', '.join(leaders)} lead at the same time: they are no one ensemble")
    if alone and len(servers) > 1:
        verb, own = ("stands", "its own") if len(alone) == 1 else ("stand", "their own")
        problems.append(f"{', '.join(alone)} {verb} alone, with data of {own}: no one ensemble")
    if tells_modes and not leaders and not alone and not down:
        problems.append("none of them leads")
    if lacks_majority(servers) and (idle or len(servers) > 1):
        problems.append(no_majority(len(idle), len(servers)))
    if idle and 2 * len(idle) <= len(servers):
        verb = verb_of(idle, "does")
        problems.append(f"{', '.join(idle)} {verb} not serve: most of the ensemble is not there")
    problems += [f"{each.server} is down: {each.reason}" for each in down]
    for each in servers:
        if each.followers is not None and each.synced_followers is not None:
            # Those that are down are named already.
            behind = each.followers - each.synced_followers - len(down)
            verb = "is" if behind == 1 else "are"
            if behind > 0:
                problems.append(
                    f"{counted(behind, 'follower')} of {each.server} {verb} not in sync"
                )
    return problems


def notes_of(servers: Sequence[ServerReport], voters: int | None) -> list[str]:
    """Return notes on what is not reported, and how to enable it; and on servers that the connect
    string leaves out."""
    notes = []
    if voters is not None and voters > len(servers) > 1:
        notes.append(
            f"{counted(voters, 'server')} vote in the ensemble, and {len(servers)} of them are"
            " named: with all of them in --zookeeper, kadmin finds one that serves"
        )
    missing = {
        word: [each.server for each in servers if word in each.forbidden]
        for word in (STATE, FIGURES, MEMBERS)
        # Another source has the same figures.
        if word != MEMBERS or voters is None
    }
    for word, who in missing.items():
        if who:
            notes.append(
                f"'{word}' is not allowed on {', '.join(who)}: {WHITELIST}={','.join(WORDS)} in"
                " its zoo.cfg allows it after a restart, and --admin-port asks the admin server"
            )
    return notes
