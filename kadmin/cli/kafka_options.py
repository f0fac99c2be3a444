"""Tools of Kafka, and options of theirs, that kadmin has not: what stands for each?

Knows the names and options of Kafka 0.8 to 3.9 that runbooks are full of, and which command stands
for their tool.
"""

from collections.abc import Mapping
from typing import Final

NO_BROKERS: Final = "this command asks no broker: leave it out"
CONTROLLER: Final = "--bootstrap-server HOST:PORT: brokers pass on what only the controller does"
NO_TRANSACTIONS: Final = "leave it out: kadmin writes in no transaction"
JAVA_CLASS: Final = "kadmin runs no Java class"

OF_OTHERS: Final = {
    "--admin.config": NO_BROKERS,
    "--bootstrap-server": NO_BROKERS,
    "--command-config": NO_BROKERS,
    "--version": "kadmin --version",
}
"""Options that other commands have."""

OF_ANY_COMMAND: Final = {
    "--zk-tls-config-file": "--zookeeper-tls and the other ZooKeeper security options in"
    " 'kadmin --help'",
}

ADDRESSES: Final = {"--broker-list": "--bootstrap-server HOST:PORT"}
"""Some of Kafka's tools call addresses so, and others ids."""

AS_TEXT: Final = (
    "--print-data-log, as text, or base64 with --output json; kadmin runs no Java class"
)

OF_CONFIGS: Final = dict.fromkeys(
    (
        *("--describe", "--alter", "--all", "--add-config", "--delete-config"),
        *("--entity-type", "--entity-name", "--entity-default", "--topic", "--broker"),
    ),
    "kadmin configs --describe, or --alter; 'kadmin config' has the settings of kadmin itself",
)
OF_BROKERS: Final = dict.fromkeys(
    ("--describe", "--broker", "--bootstrap-server", "--bootstrap-controller", "--config"),
    "kadmin brokers --describe, or kadmin check; 'kadmin cluster' runs clusters of this machine",
)

OF_COMMAND: Final[Mapping[str, Mapping[str, str]]] = {
    "acls": {
        "--authorizer": "the rules of AclAuthorizer are meant, by --zookeeper or by brokers",
        "--authorizer-properties": "--zookeeper HOST:PORT/CHROOT",
        "--bootstrap-controller": CONTROLLER,
    },
    "config": OF_CONFIGS,
    "cluster": OF_BROKERS,
    "configs": {
        "--use": "kadmin config use NAME; 'kadmin configs' has the configs of topics and brokers",
        "--bootstrap-controller": CONTROLLER,
    },
    "consume": {
        **ADDRESSES,
        "--include": "--topic NAME, which may be given again",
        "--whitelist": "--topic NAME, which may be given again",
        "--formatter": "--format, or --property print.key=true and its like",
        "--formatter-config": "each of its lines as --property NAME=VALUE",
        "--key-deserializer": f"--format: {JAVA_CLASS}, and shows what is no text escaped",
        "--value-deserializer": f"--format: {JAVA_CLASS}, and shows what is no text escaped",
        "--skip-message-on-error": "leave it out: no record ends kadmin, it shows each",
        "--enable-systest-events": "leave it out: notes on standard error show what happens",
    },
    "dump-log": {
        "--key-decoder-class": AS_TEXT,
        "--value-decoder-class": AS_TEXT,
        "--remote-log-metadata-decoder": AS_TEXT,
        "--share-group-state-decoder": "no cluster coordinated by ZooKeeper has such a log",
    },
    "offsets": {
        **ADDRESSES,
        "--topic-partitions": "--topic NAME --partitions N,N",
        "--offsets": "brokers no longer return an offset for each segment; --time WHEN",
        "--max-wait-ms": "--timeout TIME",
    },
    "produce": {
        **ADDRESSES,
        "--batch-size": "-X batch.size=BYTES",
        "--max-partition-memory-bytes": "-X batch.size=BYTES",
        "--message-send-max-retries": "-X retries=N",
        "--retry-backoff-ms": "-X retry.backoff.ms=MS",
        "--request-timeout-ms": "-X request.timeout.ms=MS; --timeout for all of it",
        "--socket-buffer-size": "-X socket.send.buffer.bytes=BYTES",
        "--line-reader": f"--format, or --property parse.key=true and its like: {JAVA_CLASS}",
        "--reader-config": "each of its lines as --property NAME=VALUE",
        "--max-block-ms": "--timeout TIME",
        "--max-memory-bytes": "-X queue.buffering.max.kbytes=KIB",
        "--metadata-expiry-ms": "-X topic.metadata.refresh.interval.ms=MS",
        "--sync": "-X max.in.flight.requests.per.connection=1; kadmin ends when all is answered",
    },
    "perf produce": {
        **ADDRESSES,
        "--topics": "--topic NAME; 'kadmin perf load' writes to several",
        "--transactional-id": NO_TRANSACTIONS,
        "--transaction-duration-ms": NO_TRANSACTIONS,
        "--command-property": "-X NAME=VALUE",
        "--vary-message-size": "--payload-file FILE, with values of several sizes",
        "--batch-size": "-X batch.size=BYTES, or -X batch.num.messages=N",
        "--sync": "-X max.in.flight=1 -X batch.num.messages=1; or kadmin perf end-to-end",
        "--new-producer": "leave it out: librdkafka is the only producer",
        "--compression-codec": "-X compression.type=gzip, snappy, lz4 or zstd",
        "--request-num-acks": "-X acks=0, 1 or all",
        "--request-timeout-ms": "-X request.timeout.ms=MS",
        "--producer-num-retries": "-X retries=N",
        "--producer-retry-backoff-ms": "-X retry.backoff.ms=MS",
        "--initial-message-id": "--payload-monotonic, from 0 on",
        "--message-send-gap-ms": "--throughput RATE",
        "--date-format": "leave it out: lines are those of Kafka 0.8.2 and later, without dates",
        "--show-detailed-stats": "leave it out: there is a line for each --reporting-interval",
        "--hide-header": "leave it out: there is no header",
    },
    "perf consume": {
        **ADDRESSES,
        "--num-fetch-threads": "--processes N: librdkafka reads from all brokers at once",
        "--new-consumer": "leave it out: librdkafka is the only consumer",
        "--include": "--topic NAME",
    },
    "reassign": {"--bootstrap-controller": CONTROLLER},
    "topics": {
        "--partition-size-limit-per-response": "leave it out: kadmin asks for whole topics",
    },
}
"""Options that mean something to the tool of one command alone, or to a neighbour of like name."""


OF_TOOL: Final = {
    "cluster": "kadmin controller, or kadmin brokers --describe; kadmin shows no cluster id",
    "cluster-id": "kadmin shows no cluster id; kafka-cluster cluster-id does",
    "console-consumer": "kadmin consume",
    "console-producer": "kadmin produce",
    "consumer-offset-checker": "kadmin groups --describe --in-zookeeper",
    "consumer-perf-test": "kadmin perf consume",
    "dump-log-segments": "kadmin dump-log",
    "e2e-latency": "kadmin perf end-to-end",
    "features": "kadmin controller, on KRaft, shows the features; kafka-features changes them",
    "get-offset-shell": "kadmin offsets",
    "jmx": "kadmin metrics",
    "log-segments": "kadmin dump-log",
    "metadata-quorum": "kadmin controller, on KRaft",
    "metadata-shell": "kadmin migration diff --metadata-dir DIR; it reads no other metadata log",
    "producer-perf-test": "kadmin perf produce",
    "run-class": "kadmin help: each tool is a command",
    "server-start": "kadmin cluster up, for a cluster of your own on this machine",
    "server-stop": "kadmin cluster down, for a cluster of your own on this machine",
    "zookeeper-server-start": "kadmin cluster up, for a cluster of your own on this machine",
    "zookeeper-server-stop": "kadmin cluster down, for a cluster of your own on this machine",
    "zookeeper-shell": "kadmin topics, configs, acls, …: each shows its own znodes",
    **dict.fromkeys(
        (
            *("client-metrics", "connect", "connect-distributed", "connect-mirror-maker"),
            *("connect-standalone", "delegation-tokens", "mirror-maker"),
            *("share-groups", "storage", "streams-application-reset", "streams-groups"),
            *("transactions", "verifiable-consumer", "verifiable-producer"),
            "zookeeper-security-migration",
        ),
        "kadmin has nothing that stands for this tool: use Kafka's own",
    ),
}
"""Tools by their names without `kafka-` and `.sh`; those whose names are commands or aliases here
are not among them."""


def tool_named(name: str) -> str:
    """Return *name* as it is called without the `kafka-` and the ending of Kafka's scripts."""
    return name.removesuffix(".sh").removesuffix(".bat").removeprefix("kafka-")


def instead_of(option: str, command: str | None) -> str | None:
    """Return what to give *command* instead of *option*, as a hint; None where nothing stands
    for it."""
    return {**OF_OTHERS, **OF_ANY_COMMAND, **OF_COMMAND.get(command or "", {})}.get(option)
