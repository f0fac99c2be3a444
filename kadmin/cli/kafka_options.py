"""Options of Kafka's own tools that kadmin has not: what stands for each?

Knows the options of Kafka 0.8 to 3.9 that runbooks are full of, and which command stands for their
tool.
"""

from collections.abc import Mapping
from typing import Final

OF_ANY_COMMAND: Final = {
    "--admin.config": "--broker-tls, --broker-sasl and the other broker security options in"
    " 'kadmin --help'",
    "--command-config": "--broker-tls, --broker-sasl and the other broker security options in"
    " 'kadmin --help'",
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
    ("--describe", "--broker"),
    "kadmin brokers --describe, or kadmin check; 'kadmin cluster' runs clusters of this machine",
)

OF_COMMAND: Final[Mapping[str, Mapping[str, str]]] = {
    "acls": {
        "--authorizer": "the rules of AclAuthorizer are meant, by --zookeeper or by brokers",
        "--authorizer-properties": "--zookeeper HOST:PORT/CHROOT",
        "--bootstrap-controller": "--bootstrap-server HOST:PORT",
    },
    "config": OF_CONFIGS,
    "cluster": OF_BROKERS,
    "configs": {
        "--use": "kadmin config use NAME; 'kadmin configs' has the configs of topics and brokers"
    },
    "consume": {
        **ADDRESSES,
        "--group": "kadmin reads partitions itself, in no group: --offset says from where",
        "--include": "--topic NAME, which may be given again",
        "--whitelist": "--topic NAME, which may be given again",
        "--formatter": "--format, or --property print.key=true and its like",
    },
    "dump-log": {
        "--key-decoder-class": AS_TEXT,
        "--value-decoder-class": AS_TEXT,
        "--cluster-metadata-decoder": "no cluster coordinated by ZooKeeper has such a log",
        "--remote-log-metadata-decoder": AS_TEXT,
        "--share-group-state-decoder": "no cluster coordinated by ZooKeeper has such a log",
    },
    "offsets": {
        **ADDRESSES,
        "--topic-partitions": "--topic NAME --partitions N,N",
        "--offsets": "an offset for each segment is told no more; --time WHEN",
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
    },
}
"""Options that mean something to the tool of one command alone, or to a neighbour of like name."""


def instead_of(option: str, command: str | None) -> str | None:
    """What to give *command* instead of *option*, as a hint; None where nothing stands for it."""
    return {**OF_ANY_COMMAND, **OF_COMMAND.get(command or "", {})}.get(option)
