# bash completion of kadmin, written by 'kadmin completion bash'; do not edit.

# Sets $commands and $options to what may stand after the command $1.
_kadmin_node() {
    case $1 in
        'kadmin')
            commands='check topics configs acls brokers controller zookeeper api-versions elect reassign throttle log-dirs metrics offsets groups export delete-records lead produce consume perf merge-logs verify-replicas collect dump-log snapshot simulate migration cluster serve config help completion'
            options='
                --version
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin check')
            commands=''
            options='
                --ignore
                --unreadable
                --default-min-isr
                --no-brokers
                --groups
                --behind-after
                --window
                --nagios
                --wait-healthy
                --plain
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin topics')
            commands=''
            options='
                --create
                --list
                --describe
                --alter
                --delete
                --topic
                --regex
                --topic-id
                --exclude-internal
                --if-exists
                --if-not-exists
                --partitions
                --replication-factor
                --replica-assignment
                --config
                --delete-config
                --disable-rack-aware
                --start-index
                --start-shift
                --allow-unknown-brokers
                --allow-many-partitions
                --under-replicated-partitions
                --unavailable-partitions
                --under-min-isr-partitions
                --at-min-isr-partitions
                --non-preferred-leader-partitions
                --topics-with-overrides
                --summary
                --sort-by
                --limit
                --no-sizes
                --exit-code
                --default-min-isr
                --all
                --plain
                --watch
                --dry-run
                --yes
                -y
                --force
                --wait
                --no-wait
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin configs')
            commands=''
            options='
                --describe
                --alter
                --entity-type
                --entity-name
                --entity-default
                --topic
                --broker
                --broker-defaults
                --client
                --client-defaults
                --user
                --user-defaults
                --ip
                --ip-defaults
                --all
                --watch
                --add-config
                --add-config-file
                --delete-config
                --allow-unknown-configs
                --allow-running-brokers
                --allow-unknown-brokers
                --dry-run
                --yes
                -y
                --force
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin acls')
            commands=''
            options='
                --list
                --add
                --remove
                --topic
                --group
                --kafka-cluster
                --transactional-id
                --delegation-token
                --user-principal
                --resource-pattern-type
                --principal
                --allow-principal
                --deny-principal
                --allow-host
                --deny-host
                --operation
                --producer
                --consumer
                --idempotent
                --watch
                --dry-run
                --yes
                -y
                --force
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin brokers')
            commands=''
            options='
                --list
                --describe
                --broker
                --plain
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin controller')
            commands=''
            options='
                --plain
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin zookeeper')
            commands='clients'
            options='
                --admin-port
                --plain
                --watch
                --cluster
            '
            ;;
        'kadmin zookeeper clients')
            commands=''
            options='
                --admin-port
                --plain
                --cluster
            '
            ;;
        'kadmin api-versions')
            commands=''
            options='
                --broker
                --broker-list
                --differences
                --plain
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin elect')
            commands=''
            options='
                --topic
                --partition
                --partitions
                --path-to-json-file
                --all-topic-partitions
                --election-type
                --dry-run
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign')
            commands='plan run resume status cancel rollback list'
            options='
                --generate
                --execute
                --verify
                --cancel
                --list
                --topics-to-move-json-file
                --broker-list
                --disable-rack-aware
                --reassignment-json-file
                --topic
                --partitions
                --partition
                --replicas
                --from-broker
                --to-brokers
                --throttle
                --replica-alter-log-dirs-throttle
                --additional
                --wait
                --preserve-throttles
                --rollback-file
                --dry-run
                --yes
                -y
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign plan')
            commands=''
            options='
                --goal
                --brokers
                --replace
                --replication-factor
                --above
                --disk-size
                --by
                --tolerance
                --topic
                --exclude-topic
                --exclude-brokers
                --max-replicas
                --disable-rack-aware
                --snapshot
                --no-brokers
                --out
                --svg
                --force
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign run')
            commands=''
            options='
                --max-moves
                --max-moves-total
                --throttle
                --override
                --dry-run
                --standby
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign resume')
            commands=''
            options='
                --max-moves
                --max-moves-total
                --throttle
                --override
                --standby
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign status')
            commands=''
            options='
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign cancel')
            commands=''
            options='
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign rollback')
            commands=''
            options='
                --max-moves
                --max-moves-total
                --throttle
                --override
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin reassign list')
            commands=''
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin throttle')
            commands='doctor list release'
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin throttle doctor')
            commands=''
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin throttle list')
            commands=''
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin throttle release')
            commands=''
            options='
                --topic
                --broker
                --rollback-file
                --dry-run
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin log-dirs')
            commands=''
            options='
                --broker
                --broker-list
                --topic
                --topic-list
                --regex
                --exclude-internal
                --describe
                --by
                --sort-by
                --limit
                --plain
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin metrics')
            commands=''
            options='
                --name
                --prometheus-url
                --jolokia-url
                --broker
                --topic
                --metric
                --window
                --plain
                --watch
                --cluster
            '
            ;;
        'kadmin offsets')
            commands=''
            options='
                --topic
                --regex
                --partitions
                --partition
                --exclude-internal
                --exclude-internal-topics
                --time
                --count
                --sort-by
                --limit
                --plain
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin groups')
            commands='migrate-offsets'
            options='
                --list
                --describe
                --verdict
                --reset-offsets
                --delete
                --delete-offsets
                --group
                --all-groups
                --in-zookeeper
                --of-brokers
                --topic
                --all-topics
                --state
                --type
                --offsets
                --members
                --verbose
                --by-host
                --sort-by
                --limit
                --plain
                --watch
                --behind-after
                --window
                --to-earliest
                --to-latest
                --to-current
                --to-offset
                --to-datetime
                --by-duration
                --shift-by
                --from-file
                --export
                --execute
                --dry-run
                --rollback-file
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin groups migrate-offsets')
            commands=''
            options='
                --from-zookeeper
                --to-zookeeper
                --group
                --all-groups
                --to-group
                --topic
                --dry-run
                --rollback-file
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin export')
            commands=''
            options='
                --topic
                --exclude-topic
                --group
                --exclude-group
                --behind-after
                --window
                --interval
                --check-interval
                --max-age
                --listen
                --telemetry-path
                --once
                --output-file
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin delete-records')
            commands=''
            options='
                --topic
                --regex
                --partitions
                --partition
                --before-offset
                --before-time
                --offset-json-file
                --dry-run
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin lead')
            commands=''
            options='
                --status
                --plain
                --unfair
                --wait
                --requeue
                --id
                --cluster
            '
            ;;
        'kadmin produce')
            commands=''
            options='
                --topic
                --partition
                --file
                --format
                --key-separator
                --key
                --header
                --null-marker
                --property
                --max-messages
                --acks
                --request-required-acks
                --compression
                --compression-codec
                --idempotence
                --no-idempotence
                --rate
                -X
                --producer-property
                --property-file
                --producer.config
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin consume')
            commands=''
            options='
                --topic
                --partition
                --partitions
                --isolation-level
                --group
                --in-zookeeper
                --group-instance-id
                --assignor
                --from-beginning
                --offset
                --max-messages
                --until-end
                --timeout-ms
                --format
                --key-separator
                --property
                --rate
                -X
                --consumer-property
                --property-file
                --consumer.config
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin perf')
            commands='produce consume end-to-end load report'
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin perf produce')
            commands=''
            options='
                --topic
                --num-records
                --messages
                --duration
                --record-size
                --message-size
                --payload-file
                --payload-delimiter
                --payload-monotonic
                --keys
                --key-distribution
                --throughput
                --warmup
                --warmup-records
                --processes
                --threads
                --reporting-interval
                --producer-props
                -X
                --producer-property
                --property-file
                --producer.config
                --print-metrics
                --csv
                --metrics-dir
                --csv-reporter-enabled
                --svg
                --hdr
                --create-topic
                --partitions
                --replication-factor
                --topic-config
                --yes
                -y
                --compare
                --rounds
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin perf consume')
            commands=''
            options='
                --topic
                --messages
                --num-records
                --group
                --from-latest
                --timeout-ms
                --latency
                --processes
                --threads
                --fetch-size
                --socket-buffer-size
                --consumer-props
                -X
                --consumer-property
                --property-file
                --consumer.config
                --show-detailed-stats
                --reporting-interval
                --print-metrics
                --hide-header
                --date-format
                --csv
                --metrics-dir
                --csv-reporter-enabled
                --svg
                --hdr
                --compare
                --rounds
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin perf end-to-end')
            commands=''
            options='
                --topic
                --num-records
                --record-size
                --producer-acks
                --acks
                --warmup
                -X
                --producer-property
                --property-file
                --producer.config
                --csv
                --metrics-dir
                --csv-reporter-enabled
                --svg
                --hdr
                --create-topic
                --partitions
                --replication-factor
                --topic-config
                --yes
                -y
                --compare
                --rounds
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin perf load')
            commands=''
            options='
                --topic
                --throughput
                --duration
                --record-size
                --producers
                --consumers
                --outage
                --reporting-interval
                -X
                --producer-property
                --property-file
                --producer.config
                --create-topic
                --partitions
                --replication-factor
                --topic-config
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin perf report')
            commands=''
            options='
                --html
                --only
                --quick
                --duration
                --rounds
                -X
                --producer-property
                --property-file
                --producer.config
                --yes
                -y
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin merge-logs')
            commands=''
            options='
                --logs
                --logs-regex
                --clock-offset
                --time-zone
                --correct-clocks
                --max-unpacked
                --strict
                --topic
                --topic-regex
                --partitions
                --start-time
                --end-time
                --broker
                --controller-epoch
                --kind
                --level
                --only-partitioned
                --keep-duplicates
                --order
                --causal
                --show-source
                --no-show-source
                --format
                --out
                --count
                --list-kinds
                --analyze
                --brief
                --partition
                --around
                --html
                --with-lines
                --master
                --conf
                --properties-file
                --cluster
            '
            ;;
        'kadmin verify-replicas')
            commands=''
            options='
                --log-dir
                --deep
                --brokers
                --max-unpacked
                --parquet
                --broker-list
                --time
                --until-caught-up
                --rounds
                --fetch-size
                --max-rate
                --max-wait-ms
                --report-interval-ms
                --plain
                --topic
                --topics-include
                --topic-white-list
                --compacted
                --master
                --conf
                --properties-file
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin collect')
            commands=''
            options='
                --log-dir
                --logs
                --topic
                --wire
                --max-rate
                --check
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin dump-log')
            commands=''
            options='
                --files
                --deep-iteration
                --print-data-log
                --offsets-decoder
                --transaction-log-decoder
                --cluster-metadata-decoder
                --skip-record-metadata
                --index-sanity-check
                --verify-index-only
                --max-message-size
                --max-bytes
                --cluster
            '
            ;;
        'kadmin snapshot')
            commands='diff save show'
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin snapshot diff')
            commands=''
            options='
                --only
                --no-brokers
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin snapshot save')
            commands=''
            options='
                --groups
                --no-brokers
                --force
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin snapshot show')
            commands=''
            options='
                --default-min-isr
                --cluster
            '
            ;;
        'kadmin simulate')
            commands=''
            options='
                --kill
                --lose-rack
                --add
                --plan
                --unclean
                --snapshot
                --default-min-isr
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin migration')
            commands='check diff preview rollback-check status'
            options='
                --cluster
            '
            ;;
        'kadmin migration check')
            commands=''
            options='
                --ignore
                --default-min-isr
                --no-brokers
                --prometheus-url
                --jolokia-url
                --wait-ready
                --plain
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin migration diff')
            commands=''
            options='
                --bootstrap-controller
                --metadata-dir
                --watch
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin migration preview')
            commands=''
            options='
                --cluster
            '
            ;;
        'kadmin migration rollback-check')
            commands=''
            options='
                --fix
                --dry-run
                --yes
                -y
                --cluster
            '
            ;;
        'kadmin migration status')
            commands=''
            options='
                --plain
                --watch
                --cluster
            '
            ;;
        'kadmin cluster')
            commands='add-broker destroy down kill-broker kill-zookeeper list logs pause-broker pause-zookeeper resume-broker resume-zookeeper start-broker start-zookeeper status stop-broker stop-zookeeper up'
            options='
                --cluster
            '
            ;;
        'kadmin cluster add-broker')
            commands=''
            options='
                --name
                --rack
                --cluster
            '
            ;;
        'kadmin cluster destroy')
            commands=''
            options='
                --name
                --yes
                --cluster
            '
            ;;
        'kadmin cluster down')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster kill-broker')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster kill-zookeeper')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster list')
            commands=''
            options='
                --cluster
            '
            ;;
        'kadmin cluster logs')
            commands=''
            options='
                --name
                --follow
                -f
                --controller
                --state-change
                --cluster
            '
            ;;
        'kadmin cluster pause-broker')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster pause-zookeeper')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster resume-broker')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster resume-zookeeper')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster start-broker')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster start-zookeeper')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster status')
            commands=''
            options='
                --name
                --controller
                --watch
                --cluster
            '
            ;;
        'kadmin cluster stop-broker')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster stop-zookeeper')
            commands=''
            options='
                --name
                --cluster
            '
            ;;
        'kadmin cluster up')
            commands=''
            options='
                --name
                --zookeepers
                --dir
                --port
                --bind
                --brokers
                --racks
                --set
                --use
                --no-use
                --cluster
            '
            ;;
        'kadmin serve')
            commands=''
            options='
                --cluster
                --name
                --every
                --default-min-isr
                --prometheus-url
                --jolokia-url
                --timeline
                --write
                --token-file
                --audit-file
                --auth-header
                --trusted-proxy
                --listen
                --url
                --tls-cert
                --tls-key
                --plain-http
                --bootstrap-server
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin config')
            commands='add list remove show use'
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin config add')
            commands=''
            options='
                --use
                --force
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin config list')
            commands=''
            options='
                --cluster
            '
            ;;
        'kadmin config remove')
            commands=''
            options='
                --cluster
            '
            ;;
        'kadmin config show')
            commands=''
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
        'kadmin config use')
            commands=''
            options='
                --cluster
            '
            ;;
        'kadmin help')
            commands=''
            options='
                --cluster
            '
            ;;
        'kadmin completion')
            commands=''
            options='
                --bootstrap-server
                --cluster
                --broker-sasl
                --broker-user
                --broker-password-file
                --broker-sasl-service
                --broker-keytab
                --broker-oauth-url
                --broker-oauth-scope
                --broker-tls
                --broker-tls-ca
                --broker-tls-cert
                --broker-tls-key
                --broker-tls-no-verify
                --broker-tls-no-host-check
                --command-config
                --admin.config
            '
            ;;
    esac
    options="$options
        --zookeeper
        --output
        --no-color
        --no-pager
        --quiet
        --debug
        --timeout
        --zookeeper-auth
        --zookeeper-user
        --zookeeper-password-file
        --zookeeper-sasl-service
        --zookeeper-tls
        --zookeeper-tls-ca
        --zookeeper-tls-cert
        --zookeeper-tls-key
        --zookeeper-tls-no-verify
        --help
        -h
    "
}

# Sets $kind to what may be the value of option $2 (or argument #N) of the command $1;
# 'flag' when there is none.
_kadmin_kind() {
    case "$1 $2" in
        *' --zookeeper') kind='text' ;;
        *' --output') kind='words text json yaml csv' ;;
        *' --timeout') kind='text' ;;
        *' --zookeeper-auth') kind='words none digest sasl-digest sasl-gssapi' ;;
        *' --zookeeper-user') kind='text' ;;
        *' --zookeeper-password-file') kind='path' ;;
        *' --zookeeper-sasl-service') kind='text' ;;
        *' --zookeeper-tls-ca') kind='path' ;;
        *' --zookeeper-tls-cert') kind='path' ;;
        *' --zookeeper-tls-key') kind='path' ;;
        'kadmin --bootstrap-server') kind='text' ;;
        'kadmin --cluster') kind='live clusters' ;;
        'kadmin --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin --broker-user') kind='text' ;;
        'kadmin --broker-password-file') kind='path' ;;
        'kadmin --broker-sasl-service') kind='text' ;;
        'kadmin --broker-keytab') kind='path' ;;
        'kadmin --broker-oauth-url') kind='text' ;;
        'kadmin --broker-oauth-scope') kind='text' ;;
        'kadmin --broker-tls-ca') kind='path' ;;
        'kadmin --broker-tls-cert') kind='path' ;;
        'kadmin --broker-tls-key') kind='path' ;;
        'kadmin --command-config'|'kadmin --admin.config') kind='path' ;;
        'kadmin check --ignore') kind='words controller offline refused damaged under-min-isr zookeeper log-dir quorum dead-broker silent-broker address at-min-isr under-replicated unreadable recovering unclean internal-topic refuses-records unserved deletion reassignment election throttle stray-log versions racks stuck-group lagging-group not-preferred restarted skew' ;;
        'kadmin check --unreadable') kind='words critical warning note' ;;
        'kadmin check --default-min-isr') kind='text' ;;
        'kadmin check --behind-after') kind='text' ;;
        'kadmin check --window') kind='text' ;;
        'kadmin check --bootstrap-server') kind='text' ;;
        'kadmin check --cluster') kind='live clusters' ;;
        'kadmin check --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin check --broker-user') kind='text' ;;
        'kadmin check --broker-password-file') kind='path' ;;
        'kadmin check --broker-sasl-service') kind='text' ;;
        'kadmin check --broker-keytab') kind='path' ;;
        'kadmin check --broker-oauth-url') kind='text' ;;
        'kadmin check --broker-oauth-scope') kind='text' ;;
        'kadmin check --broker-tls-ca') kind='path' ;;
        'kadmin check --broker-tls-cert') kind='path' ;;
        'kadmin check --broker-tls-key') kind='path' ;;
        'kadmin check --command-config'|'kadmin check --admin.config') kind='path' ;;
        'kadmin topics --topic') kind='live topics' ;;
        'kadmin topics --topic-id') kind='text' ;;
        'kadmin topics --partitions') kind='text' ;;
        'kadmin topics --replication-factor') kind='text' ;;
        'kadmin topics --replica-assignment') kind='text' ;;
        'kadmin topics --config') kind='live topic-configs=' ;;
        'kadmin topics --delete-config') kind='live set-topic-configs' ;;
        'kadmin topics --start-index') kind='text' ;;
        'kadmin topics --start-shift') kind='text' ;;
        'kadmin topics --sort-by') kind='words name size partitions health' ;;
        'kadmin topics --limit') kind='text' ;;
        'kadmin topics --default-min-isr') kind='text' ;;
        'kadmin topics --bootstrap-server') kind='text' ;;
        'kadmin topics --cluster') kind='live clusters' ;;
        'kadmin topics --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin topics --broker-user') kind='text' ;;
        'kadmin topics --broker-password-file') kind='path' ;;
        'kadmin topics --broker-sasl-service') kind='text' ;;
        'kadmin topics --broker-keytab') kind='path' ;;
        'kadmin topics --broker-oauth-url') kind='text' ;;
        'kadmin topics --broker-oauth-scope') kind='text' ;;
        'kadmin topics --broker-tls-ca') kind='path' ;;
        'kadmin topics --broker-tls-cert') kind='path' ;;
        'kadmin topics --broker-tls-key') kind='path' ;;
        'kadmin topics --command-config'|'kadmin topics --admin.config') kind='path' ;;
        'kadmin configs --entity-type') kind='words topics brokers clients users ips' ;;
        'kadmin configs --entity-name') kind='text' ;;
        'kadmin configs --topic') kind='live topics' ;;
        'kadmin configs --broker') kind='live brokers' ;;
        'kadmin configs --client') kind='text' ;;
        'kadmin configs --user') kind='text' ;;
        'kadmin configs --ip') kind='text' ;;
        'kadmin configs --add-config') kind='live topic-configs=' ;;
        'kadmin configs --add-config-file') kind='path' ;;
        'kadmin configs --delete-config') kind='live set-topic-configs' ;;
        'kadmin configs --bootstrap-server') kind='text' ;;
        'kadmin configs --cluster') kind='live clusters' ;;
        'kadmin configs --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin configs --broker-user') kind='text' ;;
        'kadmin configs --broker-password-file') kind='path' ;;
        'kadmin configs --broker-sasl-service') kind='text' ;;
        'kadmin configs --broker-keytab') kind='path' ;;
        'kadmin configs --broker-oauth-url') kind='text' ;;
        'kadmin configs --broker-oauth-scope') kind='text' ;;
        'kadmin configs --broker-tls-ca') kind='path' ;;
        'kadmin configs --broker-tls-cert') kind='path' ;;
        'kadmin configs --broker-tls-key') kind='path' ;;
        'kadmin configs --command-config'|'kadmin configs --admin.config') kind='path' ;;
        'kadmin acls --topic') kind='live topics' ;;
        'kadmin acls --group') kind='text' ;;
        'kadmin acls --transactional-id') kind='text' ;;
        'kadmin acls --delegation-token') kind='text' ;;
        'kadmin acls --user-principal') kind='text' ;;
        'kadmin acls --resource-pattern-type') kind='words literal prefixed any match' ;;
        'kadmin acls --principal') kind='text' ;;
        'kadmin acls --allow-principal') kind='text' ;;
        'kadmin acls --deny-principal') kind='text' ;;
        'kadmin acls --allow-host') kind='text' ;;
        'kadmin acls --deny-host') kind='text' ;;
        'kadmin acls --operation') kind='text' ;;
        'kadmin acls --bootstrap-server') kind='text' ;;
        'kadmin acls --cluster') kind='live clusters' ;;
        'kadmin acls --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin acls --broker-user') kind='text' ;;
        'kadmin acls --broker-password-file') kind='path' ;;
        'kadmin acls --broker-sasl-service') kind='text' ;;
        'kadmin acls --broker-keytab') kind='path' ;;
        'kadmin acls --broker-oauth-url') kind='text' ;;
        'kadmin acls --broker-oauth-scope') kind='text' ;;
        'kadmin acls --broker-tls-ca') kind='path' ;;
        'kadmin acls --broker-tls-cert') kind='path' ;;
        'kadmin acls --broker-tls-key') kind='path' ;;
        'kadmin acls --command-config'|'kadmin acls --admin.config') kind='path' ;;
        'kadmin brokers --broker') kind='live brokers' ;;
        'kadmin brokers --bootstrap-server') kind='text' ;;
        'kadmin brokers --cluster') kind='live clusters' ;;
        'kadmin brokers --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin brokers --broker-user') kind='text' ;;
        'kadmin brokers --broker-password-file') kind='path' ;;
        'kadmin brokers --broker-sasl-service') kind='text' ;;
        'kadmin brokers --broker-keytab') kind='path' ;;
        'kadmin brokers --broker-oauth-url') kind='text' ;;
        'kadmin brokers --broker-oauth-scope') kind='text' ;;
        'kadmin brokers --broker-tls-ca') kind='path' ;;
        'kadmin brokers --broker-tls-cert') kind='path' ;;
        'kadmin brokers --broker-tls-key') kind='path' ;;
        'kadmin brokers --command-config'|'kadmin brokers --admin.config') kind='path' ;;
        'kadmin controller --bootstrap-server') kind='text' ;;
        'kadmin controller --cluster') kind='live clusters' ;;
        'kadmin controller --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin controller --broker-user') kind='text' ;;
        'kadmin controller --broker-password-file') kind='path' ;;
        'kadmin controller --broker-sasl-service') kind='text' ;;
        'kadmin controller --broker-keytab') kind='path' ;;
        'kadmin controller --broker-oauth-url') kind='text' ;;
        'kadmin controller --broker-oauth-scope') kind='text' ;;
        'kadmin controller --broker-tls-ca') kind='path' ;;
        'kadmin controller --broker-tls-cert') kind='path' ;;
        'kadmin controller --broker-tls-key') kind='path' ;;
        'kadmin controller --command-config'|'kadmin controller --admin.config') kind='path' ;;
        'kadmin zookeeper --admin-port') kind='text' ;;
        'kadmin zookeeper --cluster') kind='live clusters' ;;
        'kadmin zookeeper clients --admin-port') kind='text' ;;
        'kadmin zookeeper clients --cluster') kind='live clusters' ;;
        'kadmin api-versions --broker'|'kadmin api-versions --broker-list') kind='live brokers' ;;
        'kadmin api-versions --bootstrap-server') kind='text' ;;
        'kadmin api-versions --cluster') kind='live clusters' ;;
        'kadmin api-versions --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin api-versions --broker-user') kind='text' ;;
        'kadmin api-versions --broker-password-file') kind='path' ;;
        'kadmin api-versions --broker-sasl-service') kind='text' ;;
        'kadmin api-versions --broker-keytab') kind='path' ;;
        'kadmin api-versions --broker-oauth-url') kind='text' ;;
        'kadmin api-versions --broker-oauth-scope') kind='text' ;;
        'kadmin api-versions --broker-tls-ca') kind='path' ;;
        'kadmin api-versions --broker-tls-cert') kind='path' ;;
        'kadmin api-versions --broker-tls-key') kind='path' ;;
        'kadmin api-versions --command-config'|'kadmin api-versions --admin.config') kind='path' ;;
        'kadmin elect --topic') kind='live topics' ;;
        'kadmin elect --partition'|'kadmin elect --partitions') kind='text' ;;
        'kadmin elect --path-to-json-file') kind='path' ;;
        'kadmin elect --election-type') kind='words preferred unclean' ;;
        'kadmin elect --bootstrap-server') kind='text' ;;
        'kadmin elect --cluster') kind='live clusters' ;;
        'kadmin elect --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin elect --broker-user') kind='text' ;;
        'kadmin elect --broker-password-file') kind='path' ;;
        'kadmin elect --broker-sasl-service') kind='text' ;;
        'kadmin elect --broker-keytab') kind='path' ;;
        'kadmin elect --broker-oauth-url') kind='text' ;;
        'kadmin elect --broker-oauth-scope') kind='text' ;;
        'kadmin elect --broker-tls-ca') kind='path' ;;
        'kadmin elect --broker-tls-cert') kind='path' ;;
        'kadmin elect --broker-tls-key') kind='path' ;;
        'kadmin elect --command-config'|'kadmin elect --admin.config') kind='path' ;;
        'kadmin reassign --topics-to-move-json-file') kind='path' ;;
        'kadmin reassign --broker-list') kind='text' ;;
        'kadmin reassign --reassignment-json-file') kind='path' ;;
        'kadmin reassign --topic') kind='live topics' ;;
        'kadmin reassign --partitions'|'kadmin reassign --partition') kind='text' ;;
        'kadmin reassign --replicas') kind='text' ;;
        'kadmin reassign --from-broker') kind='text' ;;
        'kadmin reassign --to-brokers') kind='text' ;;
        'kadmin reassign --throttle') kind='text' ;;
        'kadmin reassign --replica-alter-log-dirs-throttle') kind='text' ;;
        'kadmin reassign --rollback-file') kind='path' ;;
        'kadmin reassign --bootstrap-server') kind='text' ;;
        'kadmin reassign --cluster') kind='live clusters' ;;
        'kadmin reassign --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign --broker-user') kind='text' ;;
        'kadmin reassign --broker-password-file') kind='path' ;;
        'kadmin reassign --broker-sasl-service') kind='text' ;;
        'kadmin reassign --broker-keytab') kind='path' ;;
        'kadmin reassign --broker-oauth-url') kind='text' ;;
        'kadmin reassign --broker-oauth-scope') kind='text' ;;
        'kadmin reassign --broker-tls-ca') kind='path' ;;
        'kadmin reassign --broker-tls-cert') kind='path' ;;
        'kadmin reassign --broker-tls-key') kind='path' ;;
        'kadmin reassign --command-config'|'kadmin reassign --admin.config') kind='path' ;;
        'kadmin reassign plan --goal') kind='words balance drain add replace replication-factor racks relieve leaders kafka' ;;
        'kadmin reassign plan --brokers') kind='live brokers' ;;
        'kadmin reassign plan --replace') kind='text' ;;
        'kadmin reassign plan --replication-factor') kind='text' ;;
        'kadmin reassign plan --above') kind='text' ;;
        'kadmin reassign plan --disk-size') kind='text' ;;
        'kadmin reassign plan --by') kind='words replicas bytes' ;;
        'kadmin reassign plan --tolerance') kind='text' ;;
        'kadmin reassign plan --topic') kind='live topics' ;;
        'kadmin reassign plan --exclude-topic') kind='live topics' ;;
        'kadmin reassign plan --exclude-brokers') kind='live brokers' ;;
        'kadmin reassign plan --max-replicas') kind='text' ;;
        'kadmin reassign plan --snapshot') kind='path' ;;
        'kadmin reassign plan --out') kind='path' ;;
        'kadmin reassign plan --svg') kind='path' ;;
        'kadmin reassign plan --bootstrap-server') kind='text' ;;
        'kadmin reassign plan --cluster') kind='live clusters' ;;
        'kadmin reassign plan --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign plan --broker-user') kind='text' ;;
        'kadmin reassign plan --broker-password-file') kind='path' ;;
        'kadmin reassign plan --broker-sasl-service') kind='text' ;;
        'kadmin reassign plan --broker-keytab') kind='path' ;;
        'kadmin reassign plan --broker-oauth-url') kind='text' ;;
        'kadmin reassign plan --broker-oauth-scope') kind='text' ;;
        'kadmin reassign plan --broker-tls-ca') kind='path' ;;
        'kadmin reassign plan --broker-tls-cert') kind='path' ;;
        'kadmin reassign plan --broker-tls-key') kind='path' ;;
        'kadmin reassign plan --command-config'|'kadmin reassign plan --admin.config') kind='path' ;;
        'kadmin reassign run --max-moves') kind='text' ;;
        'kadmin reassign run --max-moves-total') kind='text' ;;
        'kadmin reassign run --throttle') kind='text' ;;
        'kadmin reassign run --override') kind='words stale-plan unseen-runs other-moves target-down offline min-isr racks disk-room' ;;
        'kadmin reassign run --bootstrap-server') kind='text' ;;
        'kadmin reassign run --cluster') kind='live clusters' ;;
        'kadmin reassign run --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign run --broker-user') kind='text' ;;
        'kadmin reassign run --broker-password-file') kind='path' ;;
        'kadmin reassign run --broker-sasl-service') kind='text' ;;
        'kadmin reassign run --broker-keytab') kind='path' ;;
        'kadmin reassign run --broker-oauth-url') kind='text' ;;
        'kadmin reassign run --broker-oauth-scope') kind='text' ;;
        'kadmin reassign run --broker-tls-ca') kind='path' ;;
        'kadmin reassign run --broker-tls-cert') kind='path' ;;
        'kadmin reassign run --broker-tls-key') kind='path' ;;
        'kadmin reassign run --command-config'|'kadmin reassign run --admin.config') kind='path' ;;
        'kadmin reassign run #1') kind='text' ;;
        'kadmin reassign resume --max-moves') kind='text' ;;
        'kadmin reassign resume --max-moves-total') kind='text' ;;
        'kadmin reassign resume --throttle') kind='text' ;;
        'kadmin reassign resume --override') kind='words stale-plan unseen-runs other-moves target-down offline min-isr racks disk-room' ;;
        'kadmin reassign resume --bootstrap-server') kind='text' ;;
        'kadmin reassign resume --cluster') kind='live clusters' ;;
        'kadmin reassign resume --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign resume --broker-user') kind='text' ;;
        'kadmin reassign resume --broker-password-file') kind='path' ;;
        'kadmin reassign resume --broker-sasl-service') kind='text' ;;
        'kadmin reassign resume --broker-keytab') kind='path' ;;
        'kadmin reassign resume --broker-oauth-url') kind='text' ;;
        'kadmin reassign resume --broker-oauth-scope') kind='text' ;;
        'kadmin reassign resume --broker-tls-ca') kind='path' ;;
        'kadmin reassign resume --broker-tls-cert') kind='path' ;;
        'kadmin reassign resume --broker-tls-key') kind='path' ;;
        'kadmin reassign resume --command-config'|'kadmin reassign resume --admin.config') kind='path' ;;
        'kadmin reassign resume #1') kind='text' ;;
        'kadmin reassign status --bootstrap-server') kind='text' ;;
        'kadmin reassign status --cluster') kind='live clusters' ;;
        'kadmin reassign status --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign status --broker-user') kind='text' ;;
        'kadmin reassign status --broker-password-file') kind='path' ;;
        'kadmin reassign status --broker-sasl-service') kind='text' ;;
        'kadmin reassign status --broker-keytab') kind='path' ;;
        'kadmin reassign status --broker-oauth-url') kind='text' ;;
        'kadmin reassign status --broker-oauth-scope') kind='text' ;;
        'kadmin reassign status --broker-tls-ca') kind='path' ;;
        'kadmin reassign status --broker-tls-cert') kind='path' ;;
        'kadmin reassign status --broker-tls-key') kind='path' ;;
        'kadmin reassign status --command-config'|'kadmin reassign status --admin.config') kind='path' ;;
        'kadmin reassign status #1') kind='text' ;;
        'kadmin reassign cancel --bootstrap-server') kind='text' ;;
        'kadmin reassign cancel --cluster') kind='live clusters' ;;
        'kadmin reassign cancel --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign cancel --broker-user') kind='text' ;;
        'kadmin reassign cancel --broker-password-file') kind='path' ;;
        'kadmin reassign cancel --broker-sasl-service') kind='text' ;;
        'kadmin reassign cancel --broker-keytab') kind='path' ;;
        'kadmin reassign cancel --broker-oauth-url') kind='text' ;;
        'kadmin reassign cancel --broker-oauth-scope') kind='text' ;;
        'kadmin reassign cancel --broker-tls-ca') kind='path' ;;
        'kadmin reassign cancel --broker-tls-cert') kind='path' ;;
        'kadmin reassign cancel --broker-tls-key') kind='path' ;;
        'kadmin reassign cancel --command-config'|'kadmin reassign cancel --admin.config') kind='path' ;;
        'kadmin reassign cancel #1') kind='text' ;;
        'kadmin reassign rollback --max-moves') kind='text' ;;
        'kadmin reassign rollback --max-moves-total') kind='text' ;;
        'kadmin reassign rollback --throttle') kind='text' ;;
        'kadmin reassign rollback --override') kind='words stale-plan unseen-runs other-moves target-down offline min-isr racks disk-room' ;;
        'kadmin reassign rollback --bootstrap-server') kind='text' ;;
        'kadmin reassign rollback --cluster') kind='live clusters' ;;
        'kadmin reassign rollback --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign rollback --broker-user') kind='text' ;;
        'kadmin reassign rollback --broker-password-file') kind='path' ;;
        'kadmin reassign rollback --broker-sasl-service') kind='text' ;;
        'kadmin reassign rollback --broker-keytab') kind='path' ;;
        'kadmin reassign rollback --broker-oauth-url') kind='text' ;;
        'kadmin reassign rollback --broker-oauth-scope') kind='text' ;;
        'kadmin reassign rollback --broker-tls-ca') kind='path' ;;
        'kadmin reassign rollback --broker-tls-cert') kind='path' ;;
        'kadmin reassign rollback --broker-tls-key') kind='path' ;;
        'kadmin reassign rollback --command-config'|'kadmin reassign rollback --admin.config') kind='path' ;;
        'kadmin reassign rollback #1') kind='text' ;;
        'kadmin reassign list --bootstrap-server') kind='text' ;;
        'kadmin reassign list --cluster') kind='live clusters' ;;
        'kadmin reassign list --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin reassign list --broker-user') kind='text' ;;
        'kadmin reassign list --broker-password-file') kind='path' ;;
        'kadmin reassign list --broker-sasl-service') kind='text' ;;
        'kadmin reassign list --broker-keytab') kind='path' ;;
        'kadmin reassign list --broker-oauth-url') kind='text' ;;
        'kadmin reassign list --broker-oauth-scope') kind='text' ;;
        'kadmin reassign list --broker-tls-ca') kind='path' ;;
        'kadmin reassign list --broker-tls-cert') kind='path' ;;
        'kadmin reassign list --broker-tls-key') kind='path' ;;
        'kadmin reassign list --command-config'|'kadmin reassign list --admin.config') kind='path' ;;
        'kadmin throttle --bootstrap-server') kind='text' ;;
        'kadmin throttle --cluster') kind='live clusters' ;;
        'kadmin throttle --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin throttle --broker-user') kind='text' ;;
        'kadmin throttle --broker-password-file') kind='path' ;;
        'kadmin throttle --broker-sasl-service') kind='text' ;;
        'kadmin throttle --broker-keytab') kind='path' ;;
        'kadmin throttle --broker-oauth-url') kind='text' ;;
        'kadmin throttle --broker-oauth-scope') kind='text' ;;
        'kadmin throttle --broker-tls-ca') kind='path' ;;
        'kadmin throttle --broker-tls-cert') kind='path' ;;
        'kadmin throttle --broker-tls-key') kind='path' ;;
        'kadmin throttle --command-config'|'kadmin throttle --admin.config') kind='path' ;;
        'kadmin throttle doctor --bootstrap-server') kind='text' ;;
        'kadmin throttle doctor --cluster') kind='live clusters' ;;
        'kadmin throttle doctor --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin throttle doctor --broker-user') kind='text' ;;
        'kadmin throttle doctor --broker-password-file') kind='path' ;;
        'kadmin throttle doctor --broker-sasl-service') kind='text' ;;
        'kadmin throttle doctor --broker-keytab') kind='path' ;;
        'kadmin throttle doctor --broker-oauth-url') kind='text' ;;
        'kadmin throttle doctor --broker-oauth-scope') kind='text' ;;
        'kadmin throttle doctor --broker-tls-ca') kind='path' ;;
        'kadmin throttle doctor --broker-tls-cert') kind='path' ;;
        'kadmin throttle doctor --broker-tls-key') kind='path' ;;
        'kadmin throttle doctor --command-config'|'kadmin throttle doctor --admin.config') kind='path' ;;
        'kadmin throttle list --bootstrap-server') kind='text' ;;
        'kadmin throttle list --cluster') kind='live clusters' ;;
        'kadmin throttle list --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin throttle list --broker-user') kind='text' ;;
        'kadmin throttle list --broker-password-file') kind='path' ;;
        'kadmin throttle list --broker-sasl-service') kind='text' ;;
        'kadmin throttle list --broker-keytab') kind='path' ;;
        'kadmin throttle list --broker-oauth-url') kind='text' ;;
        'kadmin throttle list --broker-oauth-scope') kind='text' ;;
        'kadmin throttle list --broker-tls-ca') kind='path' ;;
        'kadmin throttle list --broker-tls-cert') kind='path' ;;
        'kadmin throttle list --broker-tls-key') kind='path' ;;
        'kadmin throttle list --command-config'|'kadmin throttle list --admin.config') kind='path' ;;
        'kadmin throttle release --topic') kind='live topics' ;;
        'kadmin throttle release --broker') kind='live brokers' ;;
        'kadmin throttle release --rollback-file') kind='path' ;;
        'kadmin throttle release --bootstrap-server') kind='text' ;;
        'kadmin throttle release --cluster') kind='live clusters' ;;
        'kadmin throttle release --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin throttle release --broker-user') kind='text' ;;
        'kadmin throttle release --broker-password-file') kind='path' ;;
        'kadmin throttle release --broker-sasl-service') kind='text' ;;
        'kadmin throttle release --broker-keytab') kind='path' ;;
        'kadmin throttle release --broker-oauth-url') kind='text' ;;
        'kadmin throttle release --broker-oauth-scope') kind='text' ;;
        'kadmin throttle release --broker-tls-ca') kind='path' ;;
        'kadmin throttle release --broker-tls-cert') kind='path' ;;
        'kadmin throttle release --broker-tls-key') kind='path' ;;
        'kadmin throttle release --command-config'|'kadmin throttle release --admin.config') kind='path' ;;
        'kadmin log-dirs --broker'|'kadmin log-dirs --broker-list') kind='live brokers' ;;
        'kadmin log-dirs --topic'|'kadmin log-dirs --topic-list') kind='live topics' ;;
        'kadmin log-dirs --by') kind='words broker dir topic partition replica' ;;
        'kadmin log-dirs --sort-by') kind='words name size lag' ;;
        'kadmin log-dirs --limit') kind='text' ;;
        'kadmin log-dirs --bootstrap-server') kind='text' ;;
        'kadmin log-dirs --cluster') kind='live clusters' ;;
        'kadmin log-dirs --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin log-dirs --broker-user') kind='text' ;;
        'kadmin log-dirs --broker-password-file') kind='path' ;;
        'kadmin log-dirs --broker-sasl-service') kind='text' ;;
        'kadmin log-dirs --broker-keytab') kind='path' ;;
        'kadmin log-dirs --broker-oauth-url') kind='text' ;;
        'kadmin log-dirs --broker-oauth-scope') kind='text' ;;
        'kadmin log-dirs --broker-tls-ca') kind='path' ;;
        'kadmin log-dirs --broker-tls-cert') kind='path' ;;
        'kadmin log-dirs --broker-tls-key') kind='path' ;;
        'kadmin log-dirs --command-config'|'kadmin log-dirs --admin.config') kind='path' ;;
        'kadmin metrics --name') kind='live local-clusters' ;;
        'kadmin metrics --prometheus-url') kind='text' ;;
        'kadmin metrics --jolokia-url') kind='text' ;;
        'kadmin metrics --broker') kind='text' ;;
        'kadmin metrics --topic') kind='text' ;;
        'kadmin metrics --metric') kind='text' ;;
        'kadmin metrics --window') kind='text' ;;
        'kadmin metrics --cluster') kind='live clusters' ;;
        'kadmin offsets --topic') kind='live topics' ;;
        'kadmin offsets --partitions'|'kadmin offsets --partition') kind='text' ;;
        'kadmin offsets --time') kind='text' ;;
        'kadmin offsets --sort-by') kind='words name offset count' ;;
        'kadmin offsets --limit') kind='text' ;;
        'kadmin offsets --bootstrap-server') kind='text' ;;
        'kadmin offsets --cluster') kind='live clusters' ;;
        'kadmin offsets --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin offsets --broker-user') kind='text' ;;
        'kadmin offsets --broker-password-file') kind='path' ;;
        'kadmin offsets --broker-sasl-service') kind='text' ;;
        'kadmin offsets --broker-keytab') kind='path' ;;
        'kadmin offsets --broker-oauth-url') kind='text' ;;
        'kadmin offsets --broker-oauth-scope') kind='text' ;;
        'kadmin offsets --broker-tls-ca') kind='path' ;;
        'kadmin offsets --broker-tls-cert') kind='path' ;;
        'kadmin offsets --broker-tls-key') kind='path' ;;
        'kadmin offsets --command-config'|'kadmin offsets --admin.config') kind='path' ;;
        'kadmin groups --group') kind='live groups' ;;
        'kadmin groups --topic') kind='live topics' ;;
        'kadmin groups --sort-by') kind='words name lag time' ;;
        'kadmin groups --limit') kind='text' ;;
        'kadmin groups --behind-after') kind='text' ;;
        'kadmin groups --window') kind='text' ;;
        'kadmin groups --to-offset') kind='text' ;;
        'kadmin groups --to-datetime') kind='text' ;;
        'kadmin groups --by-duration') kind='text' ;;
        'kadmin groups --shift-by') kind='text' ;;
        'kadmin groups --from-file') kind='path' ;;
        'kadmin groups --rollback-file') kind='path' ;;
        'kadmin groups --bootstrap-server') kind='text' ;;
        'kadmin groups --cluster') kind='live clusters' ;;
        'kadmin groups --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin groups --broker-user') kind='text' ;;
        'kadmin groups --broker-password-file') kind='path' ;;
        'kadmin groups --broker-sasl-service') kind='text' ;;
        'kadmin groups --broker-keytab') kind='path' ;;
        'kadmin groups --broker-oauth-url') kind='text' ;;
        'kadmin groups --broker-oauth-scope') kind='text' ;;
        'kadmin groups --broker-tls-ca') kind='path' ;;
        'kadmin groups --broker-tls-cert') kind='path' ;;
        'kadmin groups --broker-tls-key') kind='path' ;;
        'kadmin groups --command-config'|'kadmin groups --admin.config') kind='path' ;;
        'kadmin groups migrate-offsets --group') kind='live groups' ;;
        'kadmin groups migrate-offsets --to-group') kind='text' ;;
        'kadmin groups migrate-offsets --topic') kind='live topics' ;;
        'kadmin groups migrate-offsets --rollback-file') kind='path' ;;
        'kadmin groups migrate-offsets --bootstrap-server') kind='text' ;;
        'kadmin groups migrate-offsets --cluster') kind='live clusters' ;;
        'kadmin groups migrate-offsets --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin groups migrate-offsets --broker-user') kind='text' ;;
        'kadmin groups migrate-offsets --broker-password-file') kind='path' ;;
        'kadmin groups migrate-offsets --broker-sasl-service') kind='text' ;;
        'kadmin groups migrate-offsets --broker-keytab') kind='path' ;;
        'kadmin groups migrate-offsets --broker-oauth-url') kind='text' ;;
        'kadmin groups migrate-offsets --broker-oauth-scope') kind='text' ;;
        'kadmin groups migrate-offsets --broker-tls-ca') kind='path' ;;
        'kadmin groups migrate-offsets --broker-tls-cert') kind='path' ;;
        'kadmin groups migrate-offsets --broker-tls-key') kind='path' ;;
        'kadmin groups migrate-offsets --command-config'|'kadmin groups migrate-offsets --admin.config') kind='path' ;;
        'kadmin export --topic') kind='live topics' ;;
        'kadmin export --exclude-topic') kind='live topics' ;;
        'kadmin export --group') kind='live groups' ;;
        'kadmin export --exclude-group') kind='live groups' ;;
        'kadmin export --behind-after') kind='text' ;;
        'kadmin export --window') kind='text' ;;
        'kadmin export --interval') kind='text' ;;
        'kadmin export --check-interval') kind='text' ;;
        'kadmin export --max-age') kind='text' ;;
        'kadmin export --listen') kind='text' ;;
        'kadmin export --telemetry-path') kind='path' ;;
        'kadmin export --output-file') kind='path' ;;
        'kadmin export --bootstrap-server') kind='text' ;;
        'kadmin export --cluster') kind='live clusters' ;;
        'kadmin export --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin export --broker-user') kind='text' ;;
        'kadmin export --broker-password-file') kind='path' ;;
        'kadmin export --broker-sasl-service') kind='text' ;;
        'kadmin export --broker-keytab') kind='path' ;;
        'kadmin export --broker-oauth-url') kind='text' ;;
        'kadmin export --broker-oauth-scope') kind='text' ;;
        'kadmin export --broker-tls-ca') kind='path' ;;
        'kadmin export --broker-tls-cert') kind='path' ;;
        'kadmin export --broker-tls-key') kind='path' ;;
        'kadmin export --command-config'|'kadmin export --admin.config') kind='path' ;;
        'kadmin delete-records --topic') kind='live topics' ;;
        'kadmin delete-records --partitions'|'kadmin delete-records --partition') kind='text' ;;
        'kadmin delete-records --before-offset') kind='text' ;;
        'kadmin delete-records --before-time') kind='text' ;;
        'kadmin delete-records --offset-json-file') kind='path' ;;
        'kadmin delete-records --bootstrap-server') kind='text' ;;
        'kadmin delete-records --cluster') kind='live clusters' ;;
        'kadmin delete-records --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin delete-records --broker-user') kind='text' ;;
        'kadmin delete-records --broker-password-file') kind='path' ;;
        'kadmin delete-records --broker-sasl-service') kind='text' ;;
        'kadmin delete-records --broker-keytab') kind='path' ;;
        'kadmin delete-records --broker-oauth-url') kind='text' ;;
        'kadmin delete-records --broker-oauth-scope') kind='text' ;;
        'kadmin delete-records --broker-tls-ca') kind='path' ;;
        'kadmin delete-records --broker-tls-cert') kind='path' ;;
        'kadmin delete-records --broker-tls-key') kind='path' ;;
        'kadmin delete-records --command-config'|'kadmin delete-records --admin.config') kind='path' ;;
        'kadmin lead --wait') kind='text' ;;
        'kadmin lead --id') kind='text' ;;
        'kadmin lead --cluster') kind='live clusters' ;;
        'kadmin lead #1') kind='text' ;;
        'kadmin lead #2') kind='text' ;;
        'kadmin produce --topic') kind='live topics' ;;
        'kadmin produce --partition') kind='text' ;;
        'kadmin produce --file') kind='path' ;;
        'kadmin produce --format') kind='words value key-value json hex raw' ;;
        'kadmin produce --key-separator') kind='text' ;;
        'kadmin produce --key') kind='text' ;;
        'kadmin produce --header') kind='text' ;;
        'kadmin produce --null-marker') kind='text' ;;
        'kadmin produce --property') kind='text' ;;
        'kadmin produce --max-messages') kind='text' ;;
        'kadmin produce --acks'|'kadmin produce --request-required-acks') kind='words 0 1 -1 all' ;;
        'kadmin produce --compression'|'kadmin produce --compression-codec') kind='words none gzip snappy lz4 zstd' ;;
        'kadmin produce --rate') kind='text' ;;
        'kadmin produce -X'|'kadmin produce --producer-property') kind='text' ;;
        'kadmin produce --property-file'|'kadmin produce --producer.config') kind='path' ;;
        'kadmin produce --bootstrap-server') kind='text' ;;
        'kadmin produce --cluster') kind='live clusters' ;;
        'kadmin produce --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin produce --broker-user') kind='text' ;;
        'kadmin produce --broker-password-file') kind='path' ;;
        'kadmin produce --broker-sasl-service') kind='text' ;;
        'kadmin produce --broker-keytab') kind='path' ;;
        'kadmin produce --broker-oauth-url') kind='text' ;;
        'kadmin produce --broker-oauth-scope') kind='text' ;;
        'kadmin produce --broker-tls-ca') kind='path' ;;
        'kadmin produce --broker-tls-cert') kind='path' ;;
        'kadmin produce --broker-tls-key') kind='path' ;;
        'kadmin produce --command-config'|'kadmin produce --admin.config') kind='path' ;;
        'kadmin consume --topic') kind='live topics' ;;
        'kadmin consume --partition'|'kadmin consume --partitions') kind='text' ;;
        'kadmin consume --isolation-level') kind='words read_uncommitted read_committed' ;;
        'kadmin consume --group') kind='live groups' ;;
        'kadmin consume --group-instance-id') kind='text' ;;
        'kadmin consume --assignor') kind='words range roundrobin cooperative-sticky' ;;
        'kadmin consume --offset') kind='text' ;;
        'kadmin consume --max-messages') kind='text' ;;
        'kadmin consume --timeout-ms') kind='text' ;;
        'kadmin consume --format') kind='words value key-value json hex raw' ;;
        'kadmin consume --key-separator') kind='text' ;;
        'kadmin consume --property') kind='text' ;;
        'kadmin consume --rate') kind='text' ;;
        'kadmin consume -X'|'kadmin consume --consumer-property') kind='text' ;;
        'kadmin consume --property-file'|'kadmin consume --consumer.config') kind='path' ;;
        'kadmin consume --bootstrap-server') kind='text' ;;
        'kadmin consume --cluster') kind='live clusters' ;;
        'kadmin consume --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin consume --broker-user') kind='text' ;;
        'kadmin consume --broker-password-file') kind='path' ;;
        'kadmin consume --broker-sasl-service') kind='text' ;;
        'kadmin consume --broker-keytab') kind='path' ;;
        'kadmin consume --broker-oauth-url') kind='text' ;;
        'kadmin consume --broker-oauth-scope') kind='text' ;;
        'kadmin consume --broker-tls-ca') kind='path' ;;
        'kadmin consume --broker-tls-cert') kind='path' ;;
        'kadmin consume --broker-tls-key') kind='path' ;;
        'kadmin consume --command-config'|'kadmin consume --admin.config') kind='path' ;;
        'kadmin perf --bootstrap-server') kind='text' ;;
        'kadmin perf --cluster') kind='live clusters' ;;
        'kadmin perf --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin perf --broker-user') kind='text' ;;
        'kadmin perf --broker-password-file') kind='path' ;;
        'kadmin perf --broker-sasl-service') kind='text' ;;
        'kadmin perf --broker-keytab') kind='path' ;;
        'kadmin perf --broker-oauth-url') kind='text' ;;
        'kadmin perf --broker-oauth-scope') kind='text' ;;
        'kadmin perf --broker-tls-ca') kind='path' ;;
        'kadmin perf --broker-tls-cert') kind='path' ;;
        'kadmin perf --broker-tls-key') kind='path' ;;
        'kadmin perf --command-config'|'kadmin perf --admin.config') kind='path' ;;
        'kadmin perf produce --topic') kind='live topics' ;;
        'kadmin perf produce --num-records'|'kadmin perf produce --messages') kind='text' ;;
        'kadmin perf produce --duration') kind='text' ;;
        'kadmin perf produce --record-size'|'kadmin perf produce --message-size') kind='text' ;;
        'kadmin perf produce --payload-file') kind='path' ;;
        'kadmin perf produce --payload-delimiter') kind='text' ;;
        'kadmin perf produce --keys') kind='text' ;;
        'kadmin perf produce --key-distribution') kind='words uniform sequential zipf' ;;
        'kadmin perf produce --throughput') kind='text' ;;
        'kadmin perf produce --warmup'|'kadmin perf produce --warmup-records') kind='text' ;;
        'kadmin perf produce --processes'|'kadmin perf produce --threads') kind='text' ;;
        'kadmin perf produce --reporting-interval') kind='text' ;;
        'kadmin perf produce --producer-props') kind='text' ;;
        'kadmin perf produce -X'|'kadmin perf produce --producer-property') kind='text' ;;
        'kadmin perf produce --property-file'|'kadmin perf produce --producer.config') kind='path' ;;
        'kadmin perf produce --csv'|'kadmin perf produce --metrics-dir') kind='path' ;;
        'kadmin perf produce --svg') kind='path' ;;
        'kadmin perf produce --hdr') kind='path' ;;
        'kadmin perf produce --partitions') kind='text' ;;
        'kadmin perf produce --replication-factor') kind='text' ;;
        'kadmin perf produce --topic-config') kind='text' ;;
        'kadmin perf produce --compare') kind='text' ;;
        'kadmin perf produce --rounds') kind='text' ;;
        'kadmin perf produce --bootstrap-server') kind='text' ;;
        'kadmin perf produce --cluster') kind='live clusters' ;;
        'kadmin perf produce --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin perf produce --broker-user') kind='text' ;;
        'kadmin perf produce --broker-password-file') kind='path' ;;
        'kadmin perf produce --broker-sasl-service') kind='text' ;;
        'kadmin perf produce --broker-keytab') kind='path' ;;
        'kadmin perf produce --broker-oauth-url') kind='text' ;;
        'kadmin perf produce --broker-oauth-scope') kind='text' ;;
        'kadmin perf produce --broker-tls-ca') kind='path' ;;
        'kadmin perf produce --broker-tls-cert') kind='path' ;;
        'kadmin perf produce --broker-tls-key') kind='path' ;;
        'kadmin perf produce --command-config'|'kadmin perf produce --admin.config') kind='path' ;;
        'kadmin perf produce #1') kind='text' ;;
        'kadmin perf consume --topic') kind='live topics' ;;
        'kadmin perf consume --messages'|'kadmin perf consume --num-records') kind='text' ;;
        'kadmin perf consume --group') kind='live groups' ;;
        'kadmin perf consume --timeout-ms') kind='text' ;;
        'kadmin perf consume --processes'|'kadmin perf consume --threads') kind='text' ;;
        'kadmin perf consume --fetch-size') kind='text' ;;
        'kadmin perf consume --socket-buffer-size') kind='text' ;;
        'kadmin perf consume --consumer-props') kind='text' ;;
        'kadmin perf consume -X'|'kadmin perf consume --consumer-property') kind='text' ;;
        'kadmin perf consume --property-file'|'kadmin perf consume --consumer.config') kind='path' ;;
        'kadmin perf consume --reporting-interval') kind='text' ;;
        'kadmin perf consume --date-format') kind='text' ;;
        'kadmin perf consume --csv'|'kadmin perf consume --metrics-dir') kind='path' ;;
        'kadmin perf consume --svg') kind='path' ;;
        'kadmin perf consume --hdr') kind='path' ;;
        'kadmin perf consume --compare') kind='text' ;;
        'kadmin perf consume --rounds') kind='text' ;;
        'kadmin perf consume --bootstrap-server') kind='text' ;;
        'kadmin perf consume --cluster') kind='live clusters' ;;
        'kadmin perf consume --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin perf consume --broker-user') kind='text' ;;
        'kadmin perf consume --broker-password-file') kind='path' ;;
        'kadmin perf consume --broker-sasl-service') kind='text' ;;
        'kadmin perf consume --broker-keytab') kind='path' ;;
        'kadmin perf consume --broker-oauth-url') kind='text' ;;
        'kadmin perf consume --broker-oauth-scope') kind='text' ;;
        'kadmin perf consume --broker-tls-ca') kind='path' ;;
        'kadmin perf consume --broker-tls-cert') kind='path' ;;
        'kadmin perf consume --broker-tls-key') kind='path' ;;
        'kadmin perf consume --command-config'|'kadmin perf consume --admin.config') kind='path' ;;
        'kadmin perf end-to-end --topic') kind='live topics' ;;
        'kadmin perf end-to-end --num-records') kind='text' ;;
        'kadmin perf end-to-end --record-size') kind='text' ;;
        'kadmin perf end-to-end --producer-acks'|'kadmin perf end-to-end --acks') kind='text' ;;
        'kadmin perf end-to-end --warmup') kind='text' ;;
        'kadmin perf end-to-end -X'|'kadmin perf end-to-end --producer-property') kind='text' ;;
        'kadmin perf end-to-end --property-file'|'kadmin perf end-to-end --producer.config') kind='path' ;;
        'kadmin perf end-to-end --csv'|'kadmin perf end-to-end --metrics-dir') kind='path' ;;
        'kadmin perf end-to-end --svg') kind='path' ;;
        'kadmin perf end-to-end --hdr') kind='path' ;;
        'kadmin perf end-to-end --partitions') kind='text' ;;
        'kadmin perf end-to-end --replication-factor') kind='text' ;;
        'kadmin perf end-to-end --topic-config') kind='text' ;;
        'kadmin perf end-to-end --compare') kind='text' ;;
        'kadmin perf end-to-end --rounds') kind='text' ;;
        'kadmin perf end-to-end --bootstrap-server') kind='text' ;;
        'kadmin perf end-to-end --cluster') kind='live clusters' ;;
        'kadmin perf end-to-end --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin perf end-to-end --broker-user') kind='text' ;;
        'kadmin perf end-to-end --broker-password-file') kind='path' ;;
        'kadmin perf end-to-end --broker-sasl-service') kind='text' ;;
        'kadmin perf end-to-end --broker-keytab') kind='path' ;;
        'kadmin perf end-to-end --broker-oauth-url') kind='text' ;;
        'kadmin perf end-to-end --broker-oauth-scope') kind='text' ;;
        'kadmin perf end-to-end --broker-tls-ca') kind='path' ;;
        'kadmin perf end-to-end --broker-tls-cert') kind='path' ;;
        'kadmin perf end-to-end --broker-tls-key') kind='path' ;;
        'kadmin perf end-to-end --command-config'|'kadmin perf end-to-end --admin.config') kind='path' ;;
        'kadmin perf end-to-end #1') kind='text' ;;
        'kadmin perf load --topic') kind='live topics' ;;
        'kadmin perf load --throughput') kind='text' ;;
        'kadmin perf load --duration') kind='text' ;;
        'kadmin perf load --record-size') kind='text' ;;
        'kadmin perf load --producers') kind='text' ;;
        'kadmin perf load --consumers') kind='text' ;;
        'kadmin perf load --outage') kind='text' ;;
        'kadmin perf load --reporting-interval') kind='text' ;;
        'kadmin perf load -X'|'kadmin perf load --producer-property') kind='text' ;;
        'kadmin perf load --property-file'|'kadmin perf load --producer.config') kind='path' ;;
        'kadmin perf load --partitions') kind='text' ;;
        'kadmin perf load --replication-factor') kind='text' ;;
        'kadmin perf load --topic-config') kind='text' ;;
        'kadmin perf load --bootstrap-server') kind='text' ;;
        'kadmin perf load --cluster') kind='live clusters' ;;
        'kadmin perf load --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin perf load --broker-user') kind='text' ;;
        'kadmin perf load --broker-password-file') kind='path' ;;
        'kadmin perf load --broker-sasl-service') kind='text' ;;
        'kadmin perf load --broker-keytab') kind='path' ;;
        'kadmin perf load --broker-oauth-url') kind='text' ;;
        'kadmin perf load --broker-oauth-scope') kind='text' ;;
        'kadmin perf load --broker-tls-ca') kind='path' ;;
        'kadmin perf load --broker-tls-cert') kind='path' ;;
        'kadmin perf load --broker-tls-key') kind='path' ;;
        'kadmin perf load --command-config'|'kadmin perf load --admin.config') kind='path' ;;
        'kadmin perf report --html') kind='path' ;;
        'kadmin perf report --only') kind='words producers message-size partitions replicas consumers pairs' ;;
        'kadmin perf report --duration') kind='text' ;;
        'kadmin perf report --rounds') kind='text' ;;
        'kadmin perf report -X'|'kadmin perf report --producer-property') kind='text' ;;
        'kadmin perf report --property-file'|'kadmin perf report --producer.config') kind='path' ;;
        'kadmin perf report --bootstrap-server') kind='text' ;;
        'kadmin perf report --cluster') kind='live clusters' ;;
        'kadmin perf report --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin perf report --broker-user') kind='text' ;;
        'kadmin perf report --broker-password-file') kind='path' ;;
        'kadmin perf report --broker-sasl-service') kind='text' ;;
        'kadmin perf report --broker-keytab') kind='path' ;;
        'kadmin perf report --broker-oauth-url') kind='text' ;;
        'kadmin perf report --broker-oauth-scope') kind='text' ;;
        'kadmin perf report --broker-tls-ca') kind='path' ;;
        'kadmin perf report --broker-tls-cert') kind='path' ;;
        'kadmin perf report --broker-tls-key') kind='path' ;;
        'kadmin perf report --command-config'|'kadmin perf report --admin.config') kind='path' ;;
        'kadmin merge-logs --logs') kind='text' ;;
        'kadmin merge-logs --logs-regex') kind='text' ;;
        'kadmin merge-logs --clock-offset') kind='text' ;;
        'kadmin merge-logs --time-zone') kind='text' ;;
        'kadmin merge-logs --max-unpacked') kind='text' ;;
        'kadmin merge-logs --topic') kind='live topics' ;;
        'kadmin merge-logs --topic-regex') kind='text' ;;
        'kadmin merge-logs --partitions') kind='text' ;;
        'kadmin merge-logs --start-time') kind='text' ;;
        'kadmin merge-logs --end-time') kind='text' ;;
        'kadmin merge-logs --broker') kind='live brokers' ;;
        'kadmin merge-logs --controller-epoch') kind='text' ;;
        'kadmin merge-logs --kind') kind='words partition-state replica-state isr-change election-start elected transition-failed send-leaderandisr send-updatemetadata send-stopreplica response response-error offline-replicas reassignment received-leaderandisr received-stopreplica handling completed fetchers truncated skipped refused failed stop-replica cached deleted-from-cache leader-start follower-start summary topic-id recovery local-partition metadata-batch noise continuation other' ;;
        'kadmin merge-logs --level') kind='words TRACE DEBUG INFO WARN ERROR FATAL' ;;
        'kadmin merge-logs --order') kind='words time file' ;;
        'kadmin merge-logs --format') kind='words text json csv parquet' ;;
        'kadmin merge-logs --out') kind='path' ;;
        'kadmin merge-logs --partition') kind='text' ;;
        'kadmin merge-logs --around') kind='text' ;;
        'kadmin merge-logs --html') kind='path' ;;
        'kadmin merge-logs --master') kind='text' ;;
        'kadmin merge-logs --conf') kind='text' ;;
        'kadmin merge-logs --properties-file') kind='path' ;;
        'kadmin merge-logs --cluster') kind='live clusters' ;;
        'kadmin merge-logs #1') kind='text' ;;
        'kadmin verify-replicas --log-dir') kind='text' ;;
        'kadmin verify-replicas --brokers') kind='text' ;;
        'kadmin verify-replicas --max-unpacked') kind='text' ;;
        'kadmin verify-replicas --parquet') kind='path' ;;
        'kadmin verify-replicas --broker-list') kind='text' ;;
        'kadmin verify-replicas --time') kind='text' ;;
        'kadmin verify-replicas --rounds') kind='text' ;;
        'kadmin verify-replicas --fetch-size') kind='text' ;;
        'kadmin verify-replicas --max-rate') kind='text' ;;
        'kadmin verify-replicas --max-wait-ms') kind='text' ;;
        'kadmin verify-replicas --report-interval-ms') kind='text' ;;
        'kadmin verify-replicas --topic') kind='live topics' ;;
        'kadmin verify-replicas --topics-include'|'kadmin verify-replicas --topic-white-list') kind='text' ;;
        'kadmin verify-replicas --compacted') kind='text' ;;
        'kadmin verify-replicas --master') kind='text' ;;
        'kadmin verify-replicas --conf') kind='text' ;;
        'kadmin verify-replicas --properties-file') kind='path' ;;
        'kadmin verify-replicas --bootstrap-server') kind='text' ;;
        'kadmin verify-replicas --cluster') kind='live clusters' ;;
        'kadmin verify-replicas --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin verify-replicas --broker-user') kind='text' ;;
        'kadmin verify-replicas --broker-password-file') kind='path' ;;
        'kadmin verify-replicas --broker-sasl-service') kind='text' ;;
        'kadmin verify-replicas --broker-keytab') kind='path' ;;
        'kadmin verify-replicas --broker-oauth-url') kind='text' ;;
        'kadmin verify-replicas --broker-oauth-scope') kind='text' ;;
        'kadmin verify-replicas --broker-tls-ca') kind='path' ;;
        'kadmin verify-replicas --broker-tls-cert') kind='path' ;;
        'kadmin verify-replicas --broker-tls-key') kind='path' ;;
        'kadmin verify-replicas --command-config'|'kadmin verify-replicas --admin.config') kind='path' ;;
        'kadmin verify-replicas #1') kind='path' ;;
        'kadmin collect --log-dir') kind='text' ;;
        'kadmin collect --logs') kind='text' ;;
        'kadmin collect --topic') kind='live topics' ;;
        'kadmin collect --max-rate') kind='text' ;;
        'kadmin collect --bootstrap-server') kind='text' ;;
        'kadmin collect --cluster') kind='live clusters' ;;
        'kadmin collect --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin collect --broker-user') kind='text' ;;
        'kadmin collect --broker-password-file') kind='path' ;;
        'kadmin collect --broker-sasl-service') kind='text' ;;
        'kadmin collect --broker-keytab') kind='path' ;;
        'kadmin collect --broker-oauth-url') kind='text' ;;
        'kadmin collect --broker-oauth-scope') kind='text' ;;
        'kadmin collect --broker-tls-ca') kind='path' ;;
        'kadmin collect --broker-tls-cert') kind='path' ;;
        'kadmin collect --broker-tls-key') kind='path' ;;
        'kadmin collect --command-config'|'kadmin collect --admin.config') kind='path' ;;
        'kadmin collect #1') kind='path' ;;
        'kadmin dump-log --files') kind='text' ;;
        'kadmin dump-log --max-message-size') kind='text' ;;
        'kadmin dump-log --max-bytes') kind='text' ;;
        'kadmin dump-log --cluster') kind='live clusters' ;;
        'kadmin dump-log #1') kind='text' ;;
        'kadmin snapshot --bootstrap-server') kind='text' ;;
        'kadmin snapshot --cluster') kind='live clusters' ;;
        'kadmin snapshot --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin snapshot --broker-user') kind='text' ;;
        'kadmin snapshot --broker-password-file') kind='path' ;;
        'kadmin snapshot --broker-sasl-service') kind='text' ;;
        'kadmin snapshot --broker-keytab') kind='path' ;;
        'kadmin snapshot --broker-oauth-url') kind='text' ;;
        'kadmin snapshot --broker-oauth-scope') kind='text' ;;
        'kadmin snapshot --broker-tls-ca') kind='path' ;;
        'kadmin snapshot --broker-tls-cert') kind='path' ;;
        'kadmin snapshot --broker-tls-key') kind='path' ;;
        'kadmin snapshot --command-config'|'kadmin snapshot --admin.config') kind='path' ;;
        'kadmin snapshot diff --only') kind='text' ;;
        'kadmin snapshot diff --bootstrap-server') kind='text' ;;
        'kadmin snapshot diff --cluster') kind='live clusters' ;;
        'kadmin snapshot diff --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin snapshot diff --broker-user') kind='text' ;;
        'kadmin snapshot diff --broker-password-file') kind='path' ;;
        'kadmin snapshot diff --broker-sasl-service') kind='text' ;;
        'kadmin snapshot diff --broker-keytab') kind='path' ;;
        'kadmin snapshot diff --broker-oauth-url') kind='text' ;;
        'kadmin snapshot diff --broker-oauth-scope') kind='text' ;;
        'kadmin snapshot diff --broker-tls-ca') kind='path' ;;
        'kadmin snapshot diff --broker-tls-cert') kind='path' ;;
        'kadmin snapshot diff --broker-tls-key') kind='path' ;;
        'kadmin snapshot diff --command-config'|'kadmin snapshot diff --admin.config') kind='path' ;;
        'kadmin snapshot diff #1') kind='text' ;;
        'kadmin snapshot diff #2') kind='text' ;;
        'kadmin snapshot save --bootstrap-server') kind='text' ;;
        'kadmin snapshot save --cluster') kind='live clusters' ;;
        'kadmin snapshot save --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin snapshot save --broker-user') kind='text' ;;
        'kadmin snapshot save --broker-password-file') kind='path' ;;
        'kadmin snapshot save --broker-sasl-service') kind='text' ;;
        'kadmin snapshot save --broker-keytab') kind='path' ;;
        'kadmin snapshot save --broker-oauth-url') kind='text' ;;
        'kadmin snapshot save --broker-oauth-scope') kind='text' ;;
        'kadmin snapshot save --broker-tls-ca') kind='path' ;;
        'kadmin snapshot save --broker-tls-cert') kind='path' ;;
        'kadmin snapshot save --broker-tls-key') kind='path' ;;
        'kadmin snapshot save --command-config'|'kadmin snapshot save --admin.config') kind='path' ;;
        'kadmin snapshot save #1') kind='text' ;;
        'kadmin snapshot show --default-min-isr') kind='text' ;;
        'kadmin snapshot show --cluster') kind='live clusters' ;;
        'kadmin snapshot show #1') kind='text' ;;
        'kadmin simulate --kill') kind='live brokers' ;;
        'kadmin simulate --lose-rack') kind='text' ;;
        'kadmin simulate --add') kind='text' ;;
        'kadmin simulate --plan') kind='path' ;;
        'kadmin simulate --snapshot') kind='path' ;;
        'kadmin simulate --default-min-isr') kind='text' ;;
        'kadmin simulate --bootstrap-server') kind='text' ;;
        'kadmin simulate --cluster') kind='live clusters' ;;
        'kadmin simulate --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin simulate --broker-user') kind='text' ;;
        'kadmin simulate --broker-password-file') kind='path' ;;
        'kadmin simulate --broker-sasl-service') kind='text' ;;
        'kadmin simulate --broker-keytab') kind='path' ;;
        'kadmin simulate --broker-oauth-url') kind='text' ;;
        'kadmin simulate --broker-oauth-scope') kind='text' ;;
        'kadmin simulate --broker-tls-ca') kind='path' ;;
        'kadmin simulate --broker-tls-cert') kind='path' ;;
        'kadmin simulate --broker-tls-key') kind='path' ;;
        'kadmin simulate --command-config'|'kadmin simulate --admin.config') kind='path' ;;
        'kadmin migration --cluster') kind='live clusters' ;;
        'kadmin migration check --ignore') kind='words stale-migration unreadable topic-id dead-replica quota scram acl config-name password controller epoch release listener broker-id authorizer log-dirs broker-config znode-acl offline under-min-isr under-replicated no-state reassignment deletion election throttle log-dir-event silent-broker old-consumer old-client removed-config foreign-znode' ;;
        'kadmin migration check --default-min-isr') kind='text' ;;
        'kadmin migration check --prometheus-url') kind='text' ;;
        'kadmin migration check --jolokia-url') kind='text' ;;
        'kadmin migration check --bootstrap-server') kind='text' ;;
        'kadmin migration check --cluster') kind='live clusters' ;;
        'kadmin migration check --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin migration check --broker-user') kind='text' ;;
        'kadmin migration check --broker-password-file') kind='path' ;;
        'kadmin migration check --broker-sasl-service') kind='text' ;;
        'kadmin migration check --broker-keytab') kind='path' ;;
        'kadmin migration check --broker-oauth-url') kind='text' ;;
        'kadmin migration check --broker-oauth-scope') kind='text' ;;
        'kadmin migration check --broker-tls-ca') kind='path' ;;
        'kadmin migration check --broker-tls-cert') kind='path' ;;
        'kadmin migration check --broker-tls-key') kind='path' ;;
        'kadmin migration check --command-config'|'kadmin migration check --admin.config') kind='path' ;;
        'kadmin migration diff --bootstrap-controller') kind='text' ;;
        'kadmin migration diff --metadata-dir') kind='path' ;;
        'kadmin migration diff --bootstrap-server') kind='text' ;;
        'kadmin migration diff --cluster') kind='live clusters' ;;
        'kadmin migration diff --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin migration diff --broker-user') kind='text' ;;
        'kadmin migration diff --broker-password-file') kind='path' ;;
        'kadmin migration diff --broker-sasl-service') kind='text' ;;
        'kadmin migration diff --broker-keytab') kind='path' ;;
        'kadmin migration diff --broker-oauth-url') kind='text' ;;
        'kadmin migration diff --broker-oauth-scope') kind='text' ;;
        'kadmin migration diff --broker-tls-ca') kind='path' ;;
        'kadmin migration diff --broker-tls-cert') kind='path' ;;
        'kadmin migration diff --broker-tls-key') kind='path' ;;
        'kadmin migration diff --command-config'|'kadmin migration diff --admin.config') kind='path' ;;
        'kadmin migration preview --cluster') kind='live clusters' ;;
        'kadmin migration rollback-check --cluster') kind='live clusters' ;;
        'kadmin migration status --cluster') kind='live clusters' ;;
        'kadmin cluster --cluster') kind='live clusters' ;;
        'kadmin cluster add-broker --name') kind='live local-clusters' ;;
        'kadmin cluster add-broker --rack') kind='text' ;;
        'kadmin cluster add-broker --cluster') kind='live clusters' ;;
        'kadmin cluster destroy --name') kind='live local-clusters' ;;
        'kadmin cluster destroy --cluster') kind='live clusters' ;;
        'kadmin cluster down --name') kind='live local-clusters' ;;
        'kadmin cluster down --cluster') kind='live clusters' ;;
        'kadmin cluster kill-broker --name') kind='live local-clusters' ;;
        'kadmin cluster kill-broker --cluster') kind='live clusters' ;;
        'kadmin cluster kill-broker #1') kind='live local-brokers' ;;
        'kadmin cluster kill-zookeeper --name') kind='live local-clusters' ;;
        'kadmin cluster kill-zookeeper --cluster') kind='live clusters' ;;
        'kadmin cluster kill-zookeeper #1') kind='live local-zookeepers' ;;
        'kadmin cluster list --cluster') kind='live clusters' ;;
        'kadmin cluster logs --name') kind='live local-clusters' ;;
        'kadmin cluster logs --cluster') kind='live clusters' ;;
        'kadmin cluster logs #1') kind='live local-brokers' ;;
        'kadmin cluster pause-broker --name') kind='live local-clusters' ;;
        'kadmin cluster pause-broker --cluster') kind='live clusters' ;;
        'kadmin cluster pause-broker #1') kind='live local-brokers' ;;
        'kadmin cluster pause-zookeeper --name') kind='live local-clusters' ;;
        'kadmin cluster pause-zookeeper --cluster') kind='live clusters' ;;
        'kadmin cluster pause-zookeeper #1') kind='live local-zookeepers' ;;
        'kadmin cluster resume-broker --name') kind='live local-clusters' ;;
        'kadmin cluster resume-broker --cluster') kind='live clusters' ;;
        'kadmin cluster resume-broker #1') kind='live local-brokers' ;;
        'kadmin cluster resume-zookeeper --name') kind='live local-clusters' ;;
        'kadmin cluster resume-zookeeper --cluster') kind='live clusters' ;;
        'kadmin cluster resume-zookeeper #1') kind='live local-zookeepers' ;;
        'kadmin cluster start-broker --name') kind='live local-clusters' ;;
        'kadmin cluster start-broker --cluster') kind='live clusters' ;;
        'kadmin cluster start-broker #1') kind='live local-brokers' ;;
        'kadmin cluster start-zookeeper --name') kind='live local-clusters' ;;
        'kadmin cluster start-zookeeper --cluster') kind='live clusters' ;;
        'kadmin cluster start-zookeeper #1') kind='live local-zookeepers' ;;
        'kadmin cluster status --name') kind='live local-clusters' ;;
        'kadmin cluster status --cluster') kind='live clusters' ;;
        'kadmin cluster stop-broker --name') kind='live local-clusters' ;;
        'kadmin cluster stop-broker --cluster') kind='live clusters' ;;
        'kadmin cluster stop-broker #1') kind='live local-brokers' ;;
        'kadmin cluster stop-zookeeper --name') kind='live local-clusters' ;;
        'kadmin cluster stop-zookeeper --cluster') kind='live clusters' ;;
        'kadmin cluster stop-zookeeper #1') kind='live local-zookeepers' ;;
        'kadmin cluster up --name') kind='live local-clusters' ;;
        'kadmin cluster up --zookeepers') kind='words 1 3' ;;
        'kadmin cluster up --dir') kind='path' ;;
        'kadmin cluster up --port') kind='text' ;;
        'kadmin cluster up --bind') kind='text' ;;
        'kadmin cluster up --brokers') kind='text' ;;
        'kadmin cluster up --racks') kind='text' ;;
        'kadmin cluster up --set') kind='text' ;;
        'kadmin cluster up --cluster') kind='live clusters' ;;
        'kadmin serve --cluster'|'kadmin serve --name') kind='live clusters' ;;
        'kadmin serve --every') kind='text' ;;
        'kadmin serve --default-min-isr') kind='text' ;;
        'kadmin serve --prometheus-url') kind='text' ;;
        'kadmin serve --jolokia-url') kind='text' ;;
        'kadmin serve --timeline') kind='path' ;;
        'kadmin serve --token-file') kind='path' ;;
        'kadmin serve --audit-file') kind='path' ;;
        'kadmin serve --auth-header') kind='text' ;;
        'kadmin serve --trusted-proxy') kind='text' ;;
        'kadmin serve --listen') kind='text' ;;
        'kadmin serve --url') kind='text' ;;
        'kadmin serve --tls-cert') kind='path' ;;
        'kadmin serve --tls-key') kind='path' ;;
        'kadmin serve --bootstrap-server') kind='text' ;;
        'kadmin serve --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin serve --broker-user') kind='text' ;;
        'kadmin serve --broker-password-file') kind='path' ;;
        'kadmin serve --broker-sasl-service') kind='text' ;;
        'kadmin serve --broker-keytab') kind='path' ;;
        'kadmin serve --broker-oauth-url') kind='text' ;;
        'kadmin serve --broker-oauth-scope') kind='text' ;;
        'kadmin serve --broker-tls-ca') kind='path' ;;
        'kadmin serve --broker-tls-cert') kind='path' ;;
        'kadmin serve --broker-tls-key') kind='path' ;;
        'kadmin serve --command-config'|'kadmin serve --admin.config') kind='path' ;;
        'kadmin config --bootstrap-server') kind='text' ;;
        'kadmin config --cluster') kind='live clusters' ;;
        'kadmin config --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin config --broker-user') kind='text' ;;
        'kadmin config --broker-password-file') kind='path' ;;
        'kadmin config --broker-sasl-service') kind='text' ;;
        'kadmin config --broker-keytab') kind='path' ;;
        'kadmin config --broker-oauth-url') kind='text' ;;
        'kadmin config --broker-oauth-scope') kind='text' ;;
        'kadmin config --broker-tls-ca') kind='path' ;;
        'kadmin config --broker-tls-cert') kind='path' ;;
        'kadmin config --broker-tls-key') kind='path' ;;
        'kadmin config --command-config'|'kadmin config --admin.config') kind='path' ;;
        'kadmin config add --bootstrap-server') kind='text' ;;
        'kadmin config add --cluster') kind='live clusters' ;;
        'kadmin config add --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin config add --broker-user') kind='text' ;;
        'kadmin config add --broker-password-file') kind='path' ;;
        'kadmin config add --broker-sasl-service') kind='text' ;;
        'kadmin config add --broker-keytab') kind='path' ;;
        'kadmin config add --broker-oauth-url') kind='text' ;;
        'kadmin config add --broker-oauth-scope') kind='text' ;;
        'kadmin config add --broker-tls-ca') kind='path' ;;
        'kadmin config add --broker-tls-cert') kind='path' ;;
        'kadmin config add --broker-tls-key') kind='path' ;;
        'kadmin config add --command-config'|'kadmin config add --admin.config') kind='path' ;;
        'kadmin config add #1') kind='text' ;;
        'kadmin config list --cluster') kind='live clusters' ;;
        'kadmin config remove --cluster') kind='live clusters' ;;
        'kadmin config remove #1') kind='live clusters' ;;
        'kadmin config show --bootstrap-server') kind='text' ;;
        'kadmin config show --cluster') kind='live clusters' ;;
        'kadmin config show --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin config show --broker-user') kind='text' ;;
        'kadmin config show --broker-password-file') kind='path' ;;
        'kadmin config show --broker-sasl-service') kind='text' ;;
        'kadmin config show --broker-keytab') kind='path' ;;
        'kadmin config show --broker-oauth-url') kind='text' ;;
        'kadmin config show --broker-oauth-scope') kind='text' ;;
        'kadmin config show --broker-tls-ca') kind='path' ;;
        'kadmin config show --broker-tls-cert') kind='path' ;;
        'kadmin config show --broker-tls-key') kind='path' ;;
        'kadmin config show --command-config'|'kadmin config show --admin.config') kind='path' ;;
        'kadmin config use --cluster') kind='live clusters' ;;
        'kadmin config use #1') kind='live clusters' ;;
        'kadmin help --cluster') kind='live clusters' ;;
        'kadmin help #1') kind='live commands' ;;
        'kadmin completion --bootstrap-server') kind='text' ;;
        'kadmin completion --cluster') kind='live clusters' ;;
        'kadmin completion --broker-sasl') kind='words none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' ;;
        'kadmin completion --broker-user') kind='text' ;;
        'kadmin completion --broker-password-file') kind='path' ;;
        'kadmin completion --broker-sasl-service') kind='text' ;;
        'kadmin completion --broker-keytab') kind='path' ;;
        'kadmin completion --broker-oauth-url') kind='text' ;;
        'kadmin completion --broker-oauth-scope') kind='text' ;;
        'kadmin completion --broker-tls-ca') kind='path' ;;
        'kadmin completion --broker-tls-cert') kind='path' ;;
        'kadmin completion --broker-tls-key') kind='path' ;;
        'kadmin completion --command-config'|'kadmin completion --admin.config') kind='path' ;;
        'kadmin completion #1') kind='words bash zsh fish' ;;
        *'#'*) kind=text ;;
        *) kind=flag ;;
    esac
}

# Sets $connects to 'value' or 'flag' when option $1 says which cluster is meant.
_kadmin_connects() {
    case $1 in
        --zookeeper|--bootstrap-server|--cluster|--zookeeper-auth|--zookeeper-user|--zookeeper-password-file|--zookeeper-sasl-service|--zookeeper-tls-ca|--zookeeper-tls-cert|--zookeeper-tls-key|--broker-sasl|--broker-user|--broker-password-file|--broker-sasl-service|--broker-keytab|--broker-oauth-url|--broker-oauth-scope|--broker-tls-ca|--broker-tls-cert|--broker-tls-key|--command-config|--topic|--name) connects=value ;;
        --zookeeper-tls|--zookeeper-tls-no-verify|--broker-tls|--broker-tls-no-verify|--broker-tls-no-host-check) connects=flag ;;
        *) connects= ;;
    esac
}

# Reads the words of $line before the last: which command they name, what comes next, and
# which of them say which cluster is meant.
_kadmin_read() {
    local word connects option
    for word in "${line[@]:1:${#line[@]}-2}"; do
        word=${word//[\"\']/}
        if [[ -n $waiting && $word != --* ]]; then
            _kadmin_connects "$waiting"
            [[ -n $connects ]] && connecting+=("$waiting" "$word")
            waiting=
        elif [[ $word == -* ]]; then
            waiting=
            option=${word%%=*}
            _kadmin_connects "$option"
            if [[ $word == *=* || $connects == flag ]]; then
                [[ -n $connects ]] && connecting+=("$word")
            else
                _kadmin_kind "$command" "$option"
                [[ $kind != flag ]] && waiting=$option
            fi
        else
            _kadmin_node "$command"
            if [[ " $commands " == *" $word "* ]]; then
                command="$command $word"
            else
                position=$((position + 1))
            fi
        fi
    done
}

# Prints, one a line, what may stand where a value of $kind is expected; $1 is its beginning.
_kadmin_values() {
    case $kind in
        words\ *) printf '%s\n' ${kind#words } ;;
        live\ *)
            "${line[0]/#\~\//$HOME/}" completion --values "${kind#live }" --current "$1" \
                ${connecting[@]+"${connecting[@]}"} 2>/dev/null </dev/null
            ;;
        path) compgen -f -- "$1" ;;
    esac
}

_kadmin() {
    local -a line connecting=()
    local command=kadmin waiting= position=1 kind= commands= options=
    # The words as they were typed: bash's own are cut at = and :, which stand in our values.
    read -r -d '' -a line <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && line+=('')
    local current=${line[${#line[@]}-1]} prefix= candidates= candidate
    _kadmin_read
    _kadmin_node "$command"
    if [[ -n $waiting && $current != --* ]]; then
        _kadmin_kind "$command" "$waiting"
    elif [[ $current == --*=* ]]; then
        prefix=${current%%=*}=
        _kadmin_kind "$command" "${current%%=*}"
    elif [[ $current == -* ]]; then
        kind="words $options"
    elif [[ -n $commands ]]; then
        kind="words $commands"
    else
        _kadmin_kind "$command" "#$position"
    fi
    candidates=$(_kadmin_values "${current#"$prefix"}")
    [[ $kind == path ]] && compopt -o filenames 2>/dev/null

    # bash replaces only what follows the last = or : if these end a word for it.
    local breaks=${COMP_WORDBREAKS//[^=:]/} kept=
    [[ -n $breaks ]] && kept=${current%"${current##*[$breaks]}"}
    COMPREPLY=()
    while IFS= read -r candidate; do
        [[ -n $candidate && $prefix$candidate == "$current"* ]] || continue
        candidate=$prefix$candidate
        COMPREPLY+=("${candidate#"$kept"}")
    done <<<"$candidates"
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _kadmin kadmin kadmin-kafka
