"""Options of Kafka's own tools that kadmin has not: what stands for each?

Knows the options of Kafka 0.8 to 3.9 that runbooks are full of, and no command.
"""

from typing import Final

INSTEAD: Final = {
    "--command-config": "--broker-tls, --broker-sasl and the other broker security options in"
    " 'kadmin --help'",
    "--zk-tls-config-file": "--zookeeper-tls and the other ZooKeeper security options in"
    " 'kadmin --help'",
    "--broker-list": "--bootstrap-server HOST:PORT",
    "--group": "kadmin reads partitions itself, in no group: --offset says from where",
    "--include": "--topic NAME, which may be given again",
    "--whitelist": "--topic NAME, which may be given again",
    "--formatter": "--format, or --property print.key=true and its like",
    "--batch-size": "-X batch.size=BYTES",
    "--max-partition-memory-bytes": "-X batch.size=BYTES",
    "--message-send-max-retries": "-X retries=N",
    "--retry-backoff-ms": "-X retry.backoff.ms=MS",
    "--request-timeout-ms": "-X request.timeout.ms=MS; --timeout for all of it",
    "--socket-buffer-size": "-X socket.send.buffer.bytes=BYTES",
}
"""What to give instead, as a hint."""
