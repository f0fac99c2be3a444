"""Each option of Kafka 3.9's tools is taken by the command for it, or told where to go."""

from collections.abc import Mapping
from typing import Final

import click
import pytest

from kadmin.cli.kafka_options import instead_of
from kadmin.cli.main import kadmin as root
from kadmin.errors import ExitCode
from tests.support.cli import kadmin

COMMON: Final = "--help --version"
ADMIN: Final = "--bootstrap-server --command-config"
LINES: Final = "--topic --bootstrap-server --property"
KAFKAS: Final[Mapping[str, str]] = {
    "acls": f"{ADMIN} --bootstrap-controller --authorizer --authorizer-properties --add --remove"
    " --resource-pattern-type --list --producer --consumer --topic --cluster --group"
    " --transactional-id --delegation-token --user-principal --idempotent --allow-principal"
    " --deny-principal --allow-host --deny-host --operation --principal --force"
    " --zk-tls-config-file",
    "api-versions": ADMIN,
    "configs": f"{ADMIN} --bootstrap-controller --zookeeper --zk-tls-config-file --alter --describe"
    " --all --entity-type --entity-name --entity-default --add-config --add-config-file"
    " --delete-config --force --topic --client --client-defaults --user --user-defaults --broker"
    " --broker-defaults --broker-logger --ip --ip-defaults --group --client-metrics",
    "consume": f"{LINES} --whitelist --include --partition --offset --consumer-property"
    " --consumer.config --formatter --formatter-config --from-beginning --max-messages"
    " --timeout-ms --skip-message-on-error --key-deserializer --value-deserializer"
    " --enable-systest-events --isolation-level --group",
    "delete-records": f"{ADMIN} --offset-json-file",
    "dump-log": "--files --print-data-log --verify-index-only --index-sanity-check"
    " --max-message-size --max-bytes --deep-iteration --value-decoder-class --key-decoder-class"
    " --offsets-decoder --transaction-log-decoder --cluster-metadata-decoder"
    " --remote-log-metadata-decoder --share-group-state-decoder --skip-record-metadata",
    "elect": "--bootstrap-server --admin.config --path-to-json-file --topic --partition"
    " --all-topic-partitions --election-type",
    "groups": f"{ADMIN} --list --describe --group --all-groups --topic --state --type --offsets"
    " --members --verbose --timeout --delete --reset-offsets --delete-offsets --all-topics"
    " --dry-run --execute --export --from-file --to-offset --to-datetime --by-duration"
    " --to-earliest --to-latest --to-current --shift-by",
    "log-dirs": f"{ADMIN} --describe --topic-list --broker-list",
    "merge-logs": "--logs --logs-regex --topic --partitions --start-time --end-time",
    "offsets": f"{ADMIN} --broker-list --topic --topic-partitions --partitions --time"
    " --exclude-internal-topics --offsets --max-wait-ms",
    "perf produce": "--topic --num-records --payload-delimiter --throughput --producer-props"
    " --producer.config --print-metrics --transactional-id --transaction-duration-ms --record-size"
    " --payload-file --payload-monotonic"
    # Those of Kafka 0.8.
    " --broker-list --topics --messages --message-size --vary-message-size --batch-size --threads"
    " --sync --new-producer --compression-codec --request-num-acks --request-timeout-ms"
    " --producer-num-retries --producer-retry-backoff-ms --initial-message-id"
    " --message-send-gap-ms --reporting-interval --date-format --show-detailed-stats --hide-header"
    " --csv-reporter-enabled --metrics-dir",
    "perf consume": "--bootstrap-server --topic --messages --group --timeout --fetch-size"
    " --from-latest --socket-buffer-size --reporting-interval --date-format --show-detailed-stats"
    " --hide-header --print-metrics --consumer.config --broker-list --threads --num-fetch-threads"
    " --new-consumer --zookeeper --csv-reporter-enabled --metrics-dir",
    "produce": f"{LINES} --broker-list --sync --compression-codec --batch-size --timeout"
    " --message-send-max-retries --retry-backoff-ms --request-required-acks --request-timeout-ms"
    " --metadata-expiry-ms --max-block-ms --max-memory-bytes --max-partition-memory-bytes"
    " --line-reader --socket-buffer-size --reader-config --producer-property --producer.config",
    "reassign": f"{ADMIN} --bootstrap-controller --zookeeper --verify --generate --execute"
    " --cancel --list --reassignment-json-file --topics-to-move-json-file --broker-list"
    " --disable-rack-aware --throttle --replica-alter-log-dirs-throttle --timeout --additional"
    " --preserve-throttles",
    "topics": f"{ADMIN} --zookeeper --list --create --delete --alter --describe --topic --topic-id"
    " --config --delete-config --partitions --replication-factor --replica-assignment"
    " --under-replicated-partitions --unavailable-partitions --under-min-isr-partitions"
    " --at-min-isr-partitions --topics-with-overrides --if-exists --if-not-exists"
    " --exclude-internal --partition-size-limit-per-response --disable-rack-aware --force",
    "verify-replicas": "--broker-list --fetch-size --max-wait-ms --topic-white-list"
    " --topics-include --time --report-interval-ms",
}


@pytest.mark.parametrize("name", KAFKAS)
def test_no_option_is_refused_without_a_word(name: str) -> None:
    own = click.Context(root, info_name="kadmin")
    command: click.Command | None = root
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(own, word)
        assert command is not None
        own = click.Context(command, info_name=word, parent=own)
    assert command is not None
    taken = {word for param in command.get_params(own) for word in param.opts}

    left = [
        option
        for option in f"{COMMON} {KAFKAS[name]}".split()
        if option not in taken and instead_of(option, name) is None
    ]

    assert [] == left


TOOLS: Final = (
    *("acls", "broker-api-versions", "client-metrics", "cluster", "configs", "console-consumer"),
    *("console-producer", "consumer-groups", "consumer-perf-test", "delegation-tokens"),
    *("delete-records", "dump-log", "e2e-latency", "features", "get-offsets", "jmx"),
    *("leader-election", "log-dirs", "metadata-quorum", "metadata-shell", "mirror-maker"),
    *("preferred-replica-election", "producer-perf-test", "reassign-partitions"),
    *("replica-verification", "run-class", "server-start", "server-stop", "share-groups"),
    *("storage", "streams-application-reset", "topics", "transactions", "verifiable-consumer"),
    "verifiable-producer",
)
"""The scripts in `bin/` of Kafka 3.9, without `kafka-` and `.sh`, but for those of Connect."""


@pytest.mark.parametrize("tool", TOOLS)
def test_each_script_of_kafka_leads_to_what_stands_for_it(tool: str) -> None:
    script, bare = kadmin(f"kafka-{tool}.sh", "--list"), kadmin(tool, "--help")

    assert ExitCode.USAGE == script.exit_code
    assert f"there is no command 'kadmin kafka-{tool}.sh'\nhint: kadmin " in script.stderr
    assert ExitCode.DONE == bare.exit_code or "hint: kadmin " in bare.stderr
