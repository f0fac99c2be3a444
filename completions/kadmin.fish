# fish completion of kadmin, written by 'kadmin completion fish'; do not edit.

# Whether the words typed so far name just the command of these words.
function __kadmin_at
    set -l path kadmin
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1; and not string match -q -- '--*' $word
            set skip 0
            continue
        end
        set skip 0
        if contains -- $word \
                --zookeeper \
                --bootstrap-server \
                --cluster \
                --output \
                --timeout \
                --zookeeper-auth \
                --zookeeper-user \
                --zookeeper-password-file \
                --zookeeper-sasl-service \
                --zookeeper-tls-ca \
                --zookeeper-tls-cert \
                --zookeeper-tls-key \
                --broker-sasl \
                --broker-user \
                --broker-password-file \
                --broker-sasl-service \
                --broker-keytab \
                --broker-oauth-url \
                --broker-oauth-scope \
                --broker-tls-ca \
                --broker-tls-cert \
                --broker-tls-key \
                --command-config \
                --admin.config \
                --ignore \
                --unreadable \
                --default-min-isr \
                --behind-after \
                --window \
                --topic \
                --topic-id \
                --partitions \
                --replication-factor \
                --replica-assignment \
                --config \
                --delete-config \
                --start-index \
                --start-shift \
                --sort-by \
                --limit \
                --entity-type \
                --entity-name \
                --broker \
                --client \
                --user \
                --ip \
                --add-config \
                --add-config-file \
                --group \
                --transactional-id \
                --delegation-token \
                --user-principal \
                --resource-pattern-type \
                --principal \
                --allow-principal \
                --deny-principal \
                --allow-host \
                --deny-host \
                --operation \
                --admin-port \
                --broker-list \
                --partition \
                --path-to-json-file \
                --election-type \
                --topics-to-move-json-file \
                --reassignment-json-file \
                --replicas \
                --from-broker \
                --to-brokers \
                --throttle \
                --replica-alter-log-dirs-throttle \
                --rollback-file \
                --goal \
                --brokers \
                --replace \
                --above \
                --disk-size \
                --by \
                --tolerance \
                --exclude-topic \
                --exclude-brokers \
                --max-replicas \
                --snapshot \
                --out \
                --svg \
                --max-moves \
                --max-moves-total \
                --override \
                --topic-list \
                --name \
                --prometheus-url \
                --jolokia-url \
                --metric \
                --time \
                --to-offset \
                --to-datetime \
                --by-duration \
                --shift-by \
                --from-file \
                --to-group \
                --exclude-group \
                --interval \
                --check-interval \
                --max-age \
                --listen \
                --telemetry-path \
                --output-file \
                --before-offset \
                --before-time \
                --offset-json-file \
                --id \
                --file \
                --format \
                --key-separator \
                --key \
                --header \
                --null-marker \
                --property \
                --max-messages \
                --acks \
                --request-required-acks \
                --compression \
                --compression-codec \
                --rate \
                -X \
                --producer-property \
                --property-file \
                --producer.config \
                --isolation-level \
                --group-instance-id \
                --assignor \
                --offset \
                --timeout-ms \
                --consumer-property \
                --consumer.config \
                --num-records \
                --messages \
                --duration \
                --record-size \
                --message-size \
                --payload-file \
                --payload-delimiter \
                --keys \
                --key-distribution \
                --throughput \
                --warmup \
                --warmup-records \
                --processes \
                --threads \
                --reporting-interval \
                --producer-props \
                --csv \
                --metrics-dir \
                --hdr \
                --topic-config \
                --compare \
                --rounds \
                --fetch-size \
                --socket-buffer-size \
                --consumer-props \
                --date-format \
                --producer-acks \
                --producers \
                --consumers \
                --outage \
                --html \
                --only \
                --logs \
                --logs-regex \
                --clock-offset \
                --time-zone \
                --max-unpacked \
                --topic-regex \
                --start-time \
                --end-time \
                --controller-epoch \
                --kind \
                --level \
                --order \
                --around \
                --master \
                --conf \
                --properties-file \
                --log-dir \
                --parquet \
                --max-rate \
                --max-wait-ms \
                --report-interval-ms \
                --topics-include \
                --topic-white-list \
                --compacted \
                --files \
                --max-message-size \
                --max-bytes \
                --kill \
                --lose-rack \
                --plan \
                --bootstrap-controller \
                --metadata-dir \
                --rack \
                --zookeepers \
                --dir \
                --port \
                --bind \
                --racks \
                --set \
                --every \
                --timeline \
                --token-file \
                --audit-file \
                --auth-header \
                --trusted-proxy \
                --url \
                --tls-cert \
                --tls-key
            set skip 1
        else if contains -- "$path $word" \
                'kadmin lead --wait' \
                'kadmin simulate --add'
            set skip 1
        else if contains -- "$path $word" \
                'kadmin' \
                'kadmin check' \
                'kadmin topics' \
                'kadmin configs' \
                'kadmin acls' \
                'kadmin brokers' \
                'kadmin controller' \
                'kadmin zookeeper' \
                'kadmin zookeeper clients' \
                'kadmin api-versions' \
                'kadmin elect' \
                'kadmin reassign' \
                'kadmin reassign plan' \
                'kadmin reassign run' \
                'kadmin reassign resume' \
                'kadmin reassign status' \
                'kadmin reassign cancel' \
                'kadmin reassign rollback' \
                'kadmin reassign list' \
                'kadmin throttle' \
                'kadmin throttle doctor' \
                'kadmin throttle list' \
                'kadmin throttle release' \
                'kadmin log-dirs' \
                'kadmin metrics' \
                'kadmin offsets' \
                'kadmin groups' \
                'kadmin groups migrate-offsets' \
                'kadmin export' \
                'kadmin delete-records' \
                'kadmin lead' \
                'kadmin produce' \
                'kadmin consume' \
                'kadmin perf' \
                'kadmin perf produce' \
                'kadmin perf consume' \
                'kadmin perf end-to-end' \
                'kadmin perf load' \
                'kadmin perf report' \
                'kadmin merge-logs' \
                'kadmin verify-replicas' \
                'kadmin collect' \
                'kadmin dump-log' \
                'kadmin snapshot' \
                'kadmin snapshot diff' \
                'kadmin snapshot save' \
                'kadmin snapshot show' \
                'kadmin simulate' \
                'kadmin migration' \
                'kadmin migration check' \
                'kadmin migration diff' \
                'kadmin migration preview' \
                'kadmin migration rollback-check' \
                'kadmin migration status' \
                'kadmin cluster' \
                'kadmin cluster add-broker' \
                'kadmin cluster destroy' \
                'kadmin cluster down' \
                'kadmin cluster kill-broker' \
                'kadmin cluster kill-zookeeper' \
                'kadmin cluster list' \
                'kadmin cluster logs' \
                'kadmin cluster pause-broker' \
                'kadmin cluster pause-zookeeper' \
                'kadmin cluster resume-broker' \
                'kadmin cluster resume-zookeeper' \
                'kadmin cluster start-broker' \
                'kadmin cluster start-zookeeper' \
                'kadmin cluster status' \
                'kadmin cluster stop-broker' \
                'kadmin cluster stop-zookeeper' \
                'kadmin cluster up' \
                'kadmin serve' \
                'kadmin config' \
                'kadmin config add' \
                'kadmin config list' \
                'kadmin config remove' \
                'kadmin config show' \
                'kadmin config use' \
                'kadmin help' \
                'kadmin completion'
            set path "$path $word"
        end
    end
    test "$path" = "$argv"
end

# The values of a kind that the cluster of this line knows.
function __kadmin_live
    set -l line (commandline -opc)
    set -l connecting
    set -l waiting 0
    for word in $line[2..-1]
        if test $waiting = 1; and not string match -q -- '--*' $word
            set -a connecting $word
            set waiting 0
            continue
        end
        # Without its value it says nothing of where to ask.
        test $waiting = 1; and set -e connecting[-1]
        set waiting 0
        switch $word
            case \
                --zookeeper-tls \
                --zookeeper-tls-no-verify \
                --broker-tls \
                --broker-tls-no-verify \
                --broker-tls-no-host-check \
                '--zookeeper=*' \
                '--bootstrap-server=*' \
                '--cluster=*' \
                '--zookeeper-auth=*' \
                '--zookeeper-user=*' \
                '--zookeeper-password-file=*' \
                '--zookeeper-sasl-service=*' \
                '--zookeeper-tls-ca=*' \
                '--zookeeper-tls-cert=*' \
                '--zookeeper-tls-key=*' \
                '--broker-sasl=*' \
                '--broker-user=*' \
                '--broker-password-file=*' \
                '--broker-sasl-service=*' \
                '--broker-keytab=*' \
                '--broker-oauth-url=*' \
                '--broker-oauth-scope=*' \
                '--broker-tls-ca=*' \
                '--broker-tls-cert=*' \
                '--broker-tls-key=*' \
                '--command-config=*' \
                '--topic=*' \
                '--name=*'
                set -a connecting $word
            case \
                --zookeeper \
                --bootstrap-server \
                --cluster \
                --zookeeper-auth \
                --zookeeper-user \
                --zookeeper-password-file \
                --zookeeper-sasl-service \
                --zookeeper-tls-ca \
                --zookeeper-tls-cert \
                --zookeeper-tls-key \
                --broker-sasl \
                --broker-user \
                --broker-password-file \
                --broker-sasl-service \
                --broker-keytab \
                --broker-oauth-url \
                --broker-oauth-scope \
                --broker-tls-ca \
                --broker-tls-cert \
                --broker-tls-key \
                --command-config \
                --topic \
                --name
                set -a connecting $word
                set waiting 1
        end
    end
    # Its value is being typed.
    test $waiting = 1; and set -e connecting[-1]
    set -l current (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    set -l program (string replace -r -- '^~/' "$HOME/" $line[1])
    $program completion --values $argv[1] --current "$current" $connecting 2>/dev/null </dev/null
end

complete -c kadmin -f
complete -c kadmin-kafka -w kadmin

complete -c kadmin -l zookeeper -x -d 'ZooKeeper servers of the cluster, with its chroot.'
complete -c kadmin -l output -x -a 'text json yaml csv' -d 'Form of the result on standard output.'
complete -c kadmin -l no-color -d 'No colour on a terminal (NO_COLOR does the same).'
complete -c kadmin -l no-pager -d 'Show what is longer than the terminal without a pager (PAGER, otherwise less).'
complete -c kadmin -l quiet -d 'No notes, plans or progress on standard error; errors and warnings stay.'
complete -c kadmin -l debug -d 'Show the client\'s log and, when something fails, the stack trace.'
complete -c kadmin -l timeout -x -d 'How long to wait for servers in all, or for the cluster to act: 30, 2.5s, 500ms, 1m.'
complete -c kadmin -l zookeeper-auth -x -a 'none digest sasl-digest sasl-gssapi' -d 'How to authenticate to ZooKeeper.'
complete -c kadmin -l zookeeper-user -x -d 'User for digest and sasl-digest.'
complete -c kadmin -l zookeeper-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -l zookeeper-sasl-service -x -d 'Service name of the servers\' Kerberos principal.'
complete -c kadmin -l zookeeper-tls -d 'Connect by TLS.'
complete -c kadmin -l zookeeper-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -l zookeeper-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -l zookeeper-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -l zookeeper-tls-no-verify -d 'Do not check the servers\' certificates and host names.'
complete -c kadmin -l help -s h -d 'Show this message and exit.'

complete -c kadmin -n '__kadmin_at kadmin' -a check -d 'See what is wrong in the cluster.'
complete -c kadmin -n '__kadmin_at kadmin' -a topics -d 'See and change topics.'
complete -c kadmin -n '__kadmin_at kadmin' -a configs -d 'See and change dynamic configs of topics, brokers, users.'
complete -c kadmin -n '__kadmin_at kadmin' -a acls -d 'See and change who may do what.'
complete -c kadmin -n '__kadmin_at kadmin' -a brokers -d 'See the live brokers and their load.'
complete -c kadmin -n '__kadmin_at kadmin' -a controller -d 'See which broker is the controller.'
complete -c kadmin -n '__kadmin_at kadmin' -a zookeeper -d 'See the ZooKeepers of the cluster.'
complete -c kadmin -n '__kadmin_at kadmin' -a api-versions -d 'See which requests each broker serves.'
complete -c kadmin -n '__kadmin_at kadmin' -a elect -d 'Bring leaders back to their preferred brokers.'
complete -c kadmin -n '__kadmin_at kadmin' -a reassign -d 'Move partitions to other brokers.'
complete -c kadmin -n '__kadmin_at kadmin' -a throttle -d 'See throttles of replication, and release those left behind.'
complete -c kadmin -n '__kadmin_at kadmin' -a log-dirs -d 'See how much data is in brokers\' log directories.'
complete -c kadmin -n '__kadmin_at kadmin' -a metrics -d 'See the metrics of brokers.'
complete -c kadmin -n '__kadmin_at kadmin' -a offsets -d 'See the offsets of partitions.'
complete -c kadmin -n '__kadmin_at kadmin' -a groups -d 'See and change groups of consumers.'
complete -c kadmin -n '__kadmin_at kadmin' -a export -d 'Export topics, offsets and lag to Prometheus.'
complete -c kadmin -n '__kadmin_at kadmin' -a delete-records -d 'Delete the oldest records of topics.'
complete -c kadmin -n '__kadmin_at kadmin' -a lead -d 'Run a command only while leading an election.'
complete -c kadmin -n '__kadmin_at kadmin' -a produce -d 'Write records to a topic.'
complete -c kadmin -n '__kadmin_at kadmin' -a consume -d 'Read records of topics.'
complete -c kadmin -n '__kadmin_at kadmin' -a perf -d 'Measure how fast records are written and read.'
complete -c kadmin -n '__kadmin_at kadmin' -a merge-logs -d 'Merge the state-change logs of all brokers.'
complete -c kadmin -n '__kadmin_at kadmin' -a verify-replicas -d 'Prove that replicas are equal, as files or as brokers serve them.'
complete -c kadmin -n '__kadmin_at kadmin' -a collect -d 'Bring log directories and logs of all brokers together.'
complete -c kadmin -n '__kadmin_at kadmin' -a dump-log -d 'Print segments, indexes, snapshots and checkpoints.'
complete -c kadmin -n '__kadmin_at kadmin' -a snapshot -d 'Keep a cluster in a file, and compare it later.'
complete -c kadmin -n '__kadmin_at kadmin' -a simulate -d 'See what would go offline if brokers failed or replicas moved.'
complete -c kadmin -n '__kadmin_at kadmin' -a migration -d 'Leave ZooKeeper for KRaft: checks before, during and on the way back.'
complete -c kadmin -n '__kadmin_at kadmin' -a cluster -d 'Run a cluster of your own on this machine, to try things.'
complete -c kadmin -n '__kadmin_at kadmin' -a serve -d 'Serve a page and an API for clusters.'
complete -c kadmin -n '__kadmin_at kadmin' -a config -d 'Settings of kadmin: name clusters, choose the current one.'
complete -c kadmin -n '__kadmin_at kadmin' -a help -d 'Show the help of a command.'
complete -c kadmin -n '__kadmin_at kadmin' -a completion -d 'Print the completion of a shell.'
complete -c kadmin -n '__kadmin_at kadmin' -l version -d 'Show the version and exit.'
complete -c kadmin -n '__kadmin_at kadmin' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin check' -l ignore -x -a 'controller offline refused damaged under-min-isr zookeeper log-dir quorum dead-broker silent-broker address at-min-isr under-replicated unreadable recovering unclean internal-topic refuses-records unserved deletion reassignment election throttle stray-log versions racks stuck-group lagging-group not-preferred restarted skew' -d 'Leave out findings of this kind; may be repeated: controller, offline, refused, damaged, under-min-isr, zookeeper, log-dir, quorum, dead-broker, silent-broker, address, at-min-isr, under-replicated, unreadable, recovering, unclean, internal-topic, refuses-records, unserved, deletion, reassignment, election, throttle, stray-log, versions, racks, stuck-group, lagging-group, not-preferred, restarted, skew.'
complete -c kadmin -n '__kadmin_at kadmin check' -l unreadable -x -a 'critical warning note' -d 'How bad it is that something cannot be read; it is named in any case.  [default: warning]'
complete -c kadmin -n '__kadmin_at kadmin check' -l default-min-isr -x -d 'The min.insync.replicas in the brokers\' own files, which ZooKeeper does not know.  [default: 1; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin check' -l no-brokers -d 'Ask only ZooKeeper, and no broker about its log directories and versions.'
complete -c kadmin -n '__kadmin_at kadmin check' -l groups -d 'Judge the groups of consumers, too, as \'kadmin groups --verdict\' does.'
complete -c kadmin -n '__kadmin_at kadmin check' -l behind-after -x -d 'With --groups: how long a record may be unread.  [default: 60.0; 0<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin check' -l window -x -d 'With --groups: look twice, so far apart; longer than they take to commit. 0 looks once.  [default: 10.0; 0<=x<=3600]'
complete -c kadmin -n '__kadmin_at kadmin check' -l nagios -d 'One line and the exit codes of a Nagios plugin: 0 ok, 1 warning, 2 critical, 3 unknown.'
complete -c kadmin -n '__kadmin_at kadmin check' -l wait-healthy -d 'Look again until the cluster is healthy, for at most so many seconds (600).  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin check' -l plain -d 'Plain lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin check' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin check' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin check' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin check' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin check' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin check' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin topics' -l create -d 'Create a topic.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l list -d 'List the names of topics.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l describe -d 'Describe topics and partitions.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l alter -d 'Add partitions or change configs.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l delete -d 'Mark topics for deletion.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l topic -x -a '(__kadmin_live topics)' -d 'A topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [).'
complete -c kadmin -n '__kadmin_at kadmin topics' -l regex -d 'Take --topic as regular expressions.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l topic-id -x -d 'Describe the topic of this id.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l exclude-internal -d 'Leave out internal topics.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l if-exists -d 'Succeed when the topic does not exist.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l if-not-exists -d 'Succeed when the topic to create exists.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l partitions -x -d 'Number of partitions; with --alter, the new total. Brokers, if asked, know a default.  [1<=x<=2147483647]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l replication-factor -x -d 'Number of replicas of every partition. Brokers, if asked, know a default.  [1<=x<=32767]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l replica-assignment -x -d 'The brokers of every partition; the first is the preferred leader.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l config -x -a '(__kadmin_live topic-configs=)' -d 'A topic config to set.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l delete-config -x -a '(__kadmin_live set-topic-configs)' -d 'A topic config to reset to its default.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l disable-rack-aware -d 'Place replicas without regard to racks.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l start-index -x -d 'Fix the start of the placement, which is random, to repeat a layout.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l start-shift -x -d 'Fix the distance of the second replica, too; without it, it is --start-index.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l allow-unknown-brokers -d 'Let --replica-assignment name brokers that are not alive, as Kafka\'s tool does.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l allow-many-partitions -d 'Add more than 10,000 partitions at once.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l under-replicated-partitions -d 'Only partitions whose ISR is smaller than their replica set.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l unavailable-partitions -d 'Only partitions without a live leader.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l under-min-isr-partitions -d 'Only partitions whose ISR is smaller than min.insync.replicas.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l at-min-isr-partitions -d 'Only partitions whose ISR has just min.insync.replicas members.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l non-preferred-leader-partitions -d 'Only partitions that are not led by their preferred leader.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l topics-with-overrides -d 'Only topics with configs of their own, without their partitions.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l summary -d 'One row a topic: partitions, replicas, size, and how many partitions are sick.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l sort-by -x -a 'name size partitions health' -d 'Which topics of --summary come first: by name, the largest, the sickest (so on a terminal).'
complete -c kadmin -n '__kadmin_at kadmin topics' -l limit -x -d 'At most N rows.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l no-sizes -d 'Ask no broker how large the topics of --summary are.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l exit-code -d 'Exit with 4 if one of these filters finds something, for scripts.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l default-min-isr -x -d 'The min.insync.replicas in the brokers\' own files, which ZooKeeper does not know.  [default: 1; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l all -d 'Show healthy partitions, too, if a table is longer than the terminal and has sick ones.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l plain -d 'Kafka\'s lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin topics' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l force -d 'The same; this is Kafka\'s name for it.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l wait -d 'Wait until leaders are elected (the default of create and alter) or the topic is gone.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l no-wait -d 'Wait until leaders are elected (the default of create and alter) or the topic is gone.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin topics' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin configs' -l describe -d 'Show what is set.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l alter -d 'Set and delete configs.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l entity-type -x -a 'topics brokers clients users ips' -d 'Kind of entity; users and clients may be given together.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l entity-name -x -d 'Its name: one for each type, in the same order. A topic\'s may be a glob.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l entity-default -d 'Instead of a name: the default for all that have none of their own.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l topic -x -a '(__kadmin_live topics)' -d 'A topic, or a glob.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker -x -a '(__kadmin_live brokers)' -d 'A broker.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-defaults -d 'All brokers.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l client -x -d 'A client id; with --user, of that user.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l client-defaults -d 'All clients without one of their own.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l user -x -d 'A user principal.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l user-defaults -d 'All users without one of their own.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l ip -x -d 'An IP address.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l ip-defaults -d 'All addresses without one of their own.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l all -d 'All configs that a topic or broker can have, and where each value comes from.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin configs' -l add-config -x -a '(__kadmin_live topic-configs=)' -d 'What to set; brackets protect commas: \'cleanup.policy=[compact,delete]\'.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l add-config-file -r -F -d 'Java properties file of what to set, - for standard input; keeps passwords out of the process list.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l delete-config -x -a '(__kadmin_live set-topic-configs)' -d 'What to delete.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l allow-unknown-configs -d 'Accept keys that Kafka does not know, for example those of plug-ins, unchecked.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l allow-running-brokers -d 'Write broker configs to ZooKeeper while the brokers run, past their own checks.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l allow-unknown-brokers -d 'Set configs of a broker that does not exist yet.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l force -d 'The same; this is Kafka\'s name for it.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin configs' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin acls' -l list -d 'List the ACLs of resources, or all.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l add -d 'Add ACLs.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l remove -d 'Remove ACLs.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l topic -x -a '(__kadmin_live topics)' -d 'A topic; may be repeated, * is every topic.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l group -x -d 'A group.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l kafka-cluster -d 'The cluster itself; as in Kafka\'s tool, --cluster without a name says the same.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l transactional-id -x -d 'A transactional id.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l delegation-token -x -d 'A delegation token.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l user-principal -x -d 'A user whose tokens others may ask for; Kafka 3.3 and later.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l resource-pattern-type -x -a 'literal prefixed any match' -d 'What a name means: itself, or all that begin with it; to list and remove, also either of the two, or all that match a resource of this name.  [default: literal]'
complete -c kadmin -n '__kadmin_at kadmin acls' -l principal -x -d 'List only the ACLs of this principal; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l allow-principal -x -d 'Who is allowed: User:alice, or User:* for everybody; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l deny-principal -x -d 'Who is denied, whatever else is allowed; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l allow-host -x -d 'From which host they are allowed; without it, from every host.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l deny-host -x -d 'From which host they are denied; without it, from every host.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l operation -x -d 'Which operation: Read, Write, Create, Delete, Alter, Describe, ClusterAction, DescribeConfigs, AlterConfigs, IdempotentWrite, CreateTokens, DescribeTokens; without it, All.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l producer -d 'Write, Describe and Create of each topic, Write and Describe of each transactional id.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l consumer -d 'Read and Describe of each topic, Read of each group.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l idempotent -d 'With --producer: IdempotentWrite of the cluster, which Kafka wants before 2.8.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin acls' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l force -d 'The same; this is Kafka\'s name for it.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin acls' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin brokers' -l list -d 'List the ids of the live brokers.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l describe -d 'Describe endpoints, rack, epoch, load and skew.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker -x -a '(__kadmin_live brokers)' -d 'Only this broker; may be repeated.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l plain -d 'Lines instead of a table, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin brokers' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin controller' -l plain -d 'A line instead of a table, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin controller' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin controller' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin zookeeper' -a clients -d 'See who is connected, and what each client is.'
complete -c kadmin -n '__kadmin_at kadmin zookeeper' -l admin-port -x -d 'Also ask the servers\' admin servers at this port (8080 unless configured).  [1<=x<=65535]'
complete -c kadmin -n '__kadmin_at kadmin zookeeper' -l plain -d 'Lines instead of a table, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin zookeeper' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin zookeeper' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin zookeeper clients' -l admin-port -x -d 'Ask the admin servers at this port for what the four-letter words do not answer.  [1<=x<=65535]'
complete -c kadmin -n '__kadmin_at kadmin zookeeper clients' -l plain -d 'Plain lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin zookeeper clients' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker -x -a '(__kadmin_live brokers)' -d 'Only these brokers; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-list -x -a '(__kadmin_live brokers)' -d 'Only these brokers; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l differences -d 'Only requests on which brokers disagree; exits with 4 if there are any.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l plain -d 'Kafka\'s lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin api-versions' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin elect' -l topic -x -a '(__kadmin_live topics)' -d 'The topic of the partitions that --partition names.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l partition -x -d 'The number of the partition of --topic; several by comma.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l partitions -x -d 'The number of the partition of --topic; several by comma.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l path-to-json-file -r -F -d 'File with {"partitions":[{"topic":"t","partition":0}]}; - is standard input.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l all-topic-partitions -d 'All partitions except those that have the right leader already.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l election-type -x -a 'preferred unclean' -d 'preferred: the first replica, if it is in the ISR; unclean: any live replica where there is no leader.  [default: preferred]'
complete -c kadmin -n '__kadmin_at kadmin elect' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l yes -s y -d 'Do not ask before an unclean election.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin elect' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign' -a plan -d 'Plan moves for a goal, with the least movement; changes nothing.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -a run -d 'Carry out a plan under supervision.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -a resume -d 'Go on with an interrupted run.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -a status -d 'See how far a run is.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -a cancel -d 'Give up what is under way of a run.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -a rollback -d 'Restore the replicas from before a run.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -a list -d 'See all runs.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l generate -d 'Propose replicas for topics; changes nothing.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l execute -d 'Ask the controller for the moves of a file.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l verify -d 'Tell how far the moves are; when done, remove the throttles.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l cancel -d 'Stop moves that are still going on.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l list -d 'Show all that is moving.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l topics-to-move-json-file -r -F -d 'File with {"topics":[{"topic":"t"}],"version":1}; - is standard input.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-list -x -d 'The brokers to put the replicas on.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l disable-rack-aware -d 'Place replicas without regard to racks.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l reassignment-json-file -r -F -d 'File with the wanted replicas, as --generate prints it; - is standard input.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l topic -x -a '(__kadmin_live topics)' -d 'A topic whose partitions are to move to --replicas, or to be left where they are.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l partitions -x -d 'Which of its partitions; without it, all.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l partition -x -d 'Which of its partitions; without it, all.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l replicas -x -d 'The brokers to move them to, the preferred leader first.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l from-broker -x -d 'A broker to empty, alive or not.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l to-brokers -x -d 'The brokers that may take its replicas.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l throttle -x -d 'Limit the copying to so many bytes per second at each broker, such as 50MB or 48MiB.  [1<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l replica-alter-log-dirs-throttle -x -d 'The same for copying between log directories of a broker; only by brokers.  [1<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l additional -d 'Allow other moves to be going on; beside those that were asked of ZooKeeper, only by brokers. Moves that are going on get the throttle, too.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l wait -d 'Wait until everything is done, however long it takes, show the progress, and end like --verify.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l preserve-throttles -d 'Leave the throttles in place at the end.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l rollback-file -r -F -d 'A new file for the current assignment; without it, one in this directory.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l yes -s y -d 'Do not ask on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l goal -x -a 'balance drain add replace replication-factor racks relieve leaders kafka' -d 'What the plan is to reach: one of those above.  [required]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l brokers -x -a '(__kadmin_live brokers)' -d 'drain: the brokers to empty, alive or not. add: the new ones. kafka: those to use.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l replace -x -d 'replace: which broker takes the replicas of which.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l replication-factor -x -d 'replication-factor: how many replicas each partition gets.  [1<=x<=32767]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l above -x -d 'relieve: the fullest that the disks of a broker may be, such as 85%.  [1<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l disk-size -x -d 'relieve: the size of all disks of a broker, where brokers do not report it.  [1<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l by -x -a 'replicas bytes' -d 'balance: what is to be even. It makes no difference to the other goals.  [default: replicas]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l tolerance -x -d 'balance --by bytes: how far above the mean a broker may be.  [default: 10.0; 0<=x<=1000]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l topic -x -a '(__kadmin_live topics)' -d 'Move only this topic; several by comma or by repeating, or a glob.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l exclude-topic -x -a '(__kadmin_live topics)' -d 'Leave this topic alone; several by comma or by repeating, or a glob.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l exclude-brokers -x -a '(__kadmin_live brokers)' -d 'Brokers that keep what they have and get nothing.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l max-replicas -x -d 'No broker gets more replicas than this.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l disable-rack-aware -d 'Place replicas without regard to racks.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l snapshot -r -F -d 'Plan for the cluster in a file of \'kadmin snapshot save\', and ask no server.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l no-brokers -d 'Ask only ZooKeeper, and no broker for the sizes of replicas.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l out -r -F -d 'Write the plan to this new file.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l svg -r -F -d 'Draw what each broker holds before and after into this new file.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l force -d 'Overwrite files that exist.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign plan' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign run'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l max-moves -x -d 'How many moves may be under way at a broker at the same time (5).  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l max-moves-total -x -d 'The same in the whole cluster; without it there is no limit.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l throttle -x -d 'Limit the copying to so many bytes per second at each broker, such as 50MB; auto halves it when replicas fall out of the ISR, and raises it again.  [1<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l override -x -a 'stale-plan unseen-runs other-moves target-down offline min-isr racks disk-room' -d 'Leave this gate open; may be given several times.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l standby -d 'While another supervisor is at work, wait, and take over when it has ended.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l yes -s y -d 'Do not ask before the first write.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign run' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign resume'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l max-moves -x -d 'How many moves may be under way at a broker at the same time (5).  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l max-moves-total -x -d 'The same in the whole cluster; without it there is no limit.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l throttle -x -d 'Limit the copying to so many bytes per second at each broker, such as 50MB; auto halves it when replicas fall out of the ISR, and raises it again.  [1<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l override -x -a 'stale-plan unseen-runs other-moves target-down offline min-isr racks disk-room' -d 'Leave this gate open; may be given several times.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l standby -d 'While another supervisor is at work, wait, and take over when it has ended.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l yes -s y -d 'Do not ask before the first write.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign resume' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign status'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign status' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign cancel'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l yes -s y -d 'Do not ask before the first write.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign cancel' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign rollback'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l max-moves -x -d 'How many moves may be under way at a broker at the same time (5).  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l max-moves-total -x -d 'The same in the whole cluster; without it there is no limit.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l throttle -x -d 'Limit the copying to so many bytes per second at each broker, such as 50MB; auto halves it when replicas fall out of the ISR, and raises it again.  [1<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l override -x -a 'stale-plan unseen-runs other-moves target-down offline min-isr racks disk-room' -d 'Leave this gate open; may be given several times.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l yes -s y -d 'Do not ask before the first write.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign rollback' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin reassign list' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin reassign list' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin throttle' -a doctor -d 'Find throttles left behind.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -a list -d 'List all throttles.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -a release -d 'Release throttles left behind.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin throttle' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin throttle doctor' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin throttle list' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin throttle list' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin throttle release' -l topic -x -a '(__kadmin_live topics)' -d 'All throttles of this topic, an operator\'s own as well; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker -x -a '(__kadmin_live brokers)' -d 'All throttles of these brokers, an operator\'s own as well.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l rollback-file -r -F -d 'A new file for the commands that set them again; without it, one in this directory.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin throttle release' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker -x -a '(__kadmin_live brokers)' -d 'Only these brokers; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-list -x -a '(__kadmin_live brokers)' -d 'Only these brokers; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l topic -x -a '(__kadmin_live topics)' -d 'Only this topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [).'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l topic-list -x -a '(__kadmin_live topics)' -d 'Only this topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [).'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l regex -d 'Take --topic as regular expressions.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l exclude-internal -d 'Leave out internal topics.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l describe -d 'Accepted because kafka-log-dirs wants it; the command does nothing else.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l by -x -a 'broker dir topic partition replica' -d 'What each row stands for, otherwise a directory; with it, none of Kafka\'s lines.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l sort-by -x -a 'name size lag' -d 'Which rows come first: by name (unless given), or the largest.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l limit -x -d 'At most N rows.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l plain -d 'Lines instead of a table, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin log-dirs' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin metrics' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l prometheus-url -x -d 'A broker\'s endpoint for Prometheus, such as jmx_exporter\'s; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l jolokia-url -x -d 'A broker\'s endpoint of Jolokia; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l broker -x -d 'Only this broker: its id, or the name before its URL; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l topic -x -d 'Only series of this topic; of several with a glob (*, ?, [).'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l metric -x -d 'Every series with this name, as it is, instead of the usual ones.'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l window -x -d 'Look twice, so far apart, for what happens a second. 0 looks once.  [default: 2.0; 0<=x<=3600]'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l plain -d 'Lines instead of a table, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin metrics' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin offsets' -l topic -x -a '(__kadmin_live topics)' -d 'A topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [). All topics without it.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l regex -d 'Take --topic as regular expressions.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l partitions -x -d 'Only the partitions N of each topic; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l partition -x -d 'Only the partitions N of each topic; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l exclude-internal -d 'Leave out internal topics.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l exclude-internal-topics -d 'Leave out internal topics.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l time -x -d 'latest (the default), earliest, max-timestamp (brokers from 3.0 on), or a time: the first record at or after it (\'2026-11-20 03:12\', -2h, ms since 1970). -1, -2 and -3 as in kafka-get-offsets.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l count -d 'How many offsets there are from --time (otherwise earliest) to the end.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l sort-by -x -a 'name offset count' -d 'Which partitions come first: by name (unless given), or the highest offset, or count.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l limit -x -d 'At most N rows.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l plain -d 'Kafka\'s lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin offsets' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin groups' -a migrate-offsets -d 'Copy offsets of groups from ZooKeeper to brokers, or back.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l list -d 'List the names of groups.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l describe -d 'Describe groups: what they have read, and who reads.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l verdict -d 'Judge groups: ok, unknown, behind, stalled, stopped or rewound; exits with 4 unless all are ok.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l reset-offsets -d 'Plan new offsets; with --execute, commit them.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l delete -d 'Delete groups that have no members.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l delete-offsets -d 'Delete what groups committed to topics.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l group -x -a '(__kadmin_live groups)' -d 'A group; several by repeating. A glob (*, ?, [) where no group has that very name.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l all-groups -d 'All groups of consumers.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l in-zookeeper -d 'The groups of old consumers (Kafka 0.8 and 0.9), whose members and offsets are there; so does --zookeeper without --bootstrap-server.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l of-brokers -d 'The groups that brokers keep, though --zookeeper alone names the cluster.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l topic -x -a '(__kadmin_live topics)' -d 'A topic, or these partitions of it: who reads it, or what is reset or deleted. Several by repeating; exact, unless it is a glob.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l all-topics -d 'All partitions that a group has committed to.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l state -d 'List the states, too; only the groups in these. With --describe: states and coordinators instead of offsets.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l type -d 'List the types of groups, too (brokers from 3.8 on); only those: classic, consumer.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l offsets -d 'What is committed, and how much there is to read: so without --members and --state.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l members -d 'The members, instead of offsets.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l verbose -d 'With --members: which partitions each has; the others have all there is anyway.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l by-host -d 'With --members: how many there are on each host.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l sort-by -x -a 'name lag time' -d 'What comes first: by name, the most to read, or the longest unread. --verdict: the worst.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l limit -x -d 'At most N rows.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin groups' -l plain -d 'Kafka\'s lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin groups' -l behind-after -x -d 'How long a record may be unread before a group is behind.  [default: 60.0; 0<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin groups' -l window -x -d 'Look twice, so far apart: longer than groups take to commit. 0 looks once.  [default: 10.0; 0<=x<=3600]'
complete -c kadmin -n '__kadmin_at kadmin groups' -l to-earliest -d 'To the log\'s start.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l to-latest -d 'To the log\'s end.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l to-current -d 'To where the group is; to the end where it has committed nothing.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l to-offset -x -d 'To this offset.  [0<=x<=9223372036854775807]'
complete -c kadmin -n '__kadmin_at kadmin groups' -l to-datetime -x -d 'To the first record that is not older: \'2026-11-20T03:12:00.000\', -2h; UTC.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l by-duration -x -d 'The same, so long ago: P7D, PT2H, PT15M.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l shift-by -x -d 'By so many offsets; below 0 is back.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l from-file -r -F -d 'To those of a file, with lines topic,partition,offset or group,topic,partition,offset; - as FILE is standard input.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l export -d 'Show the new offsets as such a file, and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l execute -d 'Commit the new offsets.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l dry-run -d 'Show the plan and write nothing; so --reset-offsets does without --execute.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l rollback-file -r -F -d 'Where to keep what is overwritten (default: a new file in this directory).'
complete -c kadmin -n '__kadmin_at kadmin groups' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin groups' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l from-zookeeper -d 'From groups of old consumers in ZooKeeper to groups that brokers keep.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l to-zookeeper -d 'From groups that brokers keep to groups of old consumers in ZooKeeper.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l group -x -a '(__kadmin_live groups)' -d 'A group; several by repeating. A glob (*, ?, [) where no group has that very name.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l all-groups -d 'All groups that are there.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l to-group -x -d 'The group that gets the offsets of the only --group (default: one of the same name).'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l topic -x -a '(__kadmin_live topics)' -d 'Only these topics, or these partitions of one. Several by repeating; may be globs.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l dry-run -d 'Show the plan and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l rollback-file -r -F -d 'Where to keep what is overwritten (default: a new file in this directory).'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin groups migrate-offsets' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin export' -l topic -x -a '(__kadmin_live topics)' -d 'Only this topic, or those that a glob matches; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin export' -l exclude-topic -x -a '(__kadmin_live topics)' -d 'Leave out this topic, or those that a glob matches; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin export' -l group -x -a '(__kadmin_live groups)' -d 'Only this group, or those that a glob matches; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin export' -l exclude-group -x -a '(__kadmin_live groups)' -d 'Leave out this group, or those that a glob matches; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin export' -l behind-after -x -d 'How long a record may be unread before a group is behind.  [default: 60.0; 0<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin export' -l window -x -d 'Judge groups by how they moved in this time: longer than they take to commit.  [default: 60.0; 0<=x<=3600]'
complete -c kadmin -n '__kadmin_at kadmin export' -l interval -x -d 'Read topics, offsets and groups once in this time, however often they are scraped.  [default: 15.0; 1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin export' -l check-interval -x -d 'Check the cluster once in this time, as \'kadmin check\' does; 0 is never.  [default: 60.0; 0<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin export' -l max-age -x -d 'Leave out numbers that are older, since the cluster has not answered.  [default: 180.0; 1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin export' -l listen -x -d 'Serve HTTP there; port 0 is a free one. Who reaches it can read all metrics.  [default: 127.0.0.1:9308]'
complete -c kadmin -n '__kadmin_at kadmin export' -l telemetry-path -r -F -d 'Where the metrics are.  [default: /metrics]'
complete -c kadmin -n '__kadmin_at kadmin export' -l once -d 'Read the cluster once, print its metrics and end; serve nothing.'
complete -c kadmin -n '__kadmin_at kadmin export' -l output-file -r -F -d 'With --once: write them to FILE, whole or not at all, for the textfile collector.'
complete -c kadmin -n '__kadmin_at kadmin export' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin export' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin export' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin export' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin export' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin delete-records' -l topic -x -a '(__kadmin_live topics)' -d 'A topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [).'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l regex -d 'Take --topic as regular expressions.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l partitions -x -d 'Only the partitions N of each topic; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l partition -x -d 'Only the partitions N of each topic; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l before-offset -x -d 'All before this offset, which stays; latest for all that is there now.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l before-time -x -d 'All before the first record at or after this time (\'2026-11-20 03:12\', -7d, ms since 1970); if there is none, all.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l offset-json-file -r -F -d 'File with {"partitions": [{"topic": "t", "partition": 0, "offset": 42}], "version": 1}; offset -1 is the end, - as FILE is standard input.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l dry-run -d 'Show the plan and delete nothing.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l yes -s y -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin delete-records' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin lead'
complete -c kadmin -n '__kadmin_at kadmin lead'
complete -c kadmin -n '__kadmin_at kadmin lead' -l status -d 'Show who leads and who waits, and run nothing.'
complete -c kadmin -n '__kadmin_at kadmin lead' -l plain -d 'With --status: lines instead of a table.'
complete -c kadmin -n '__kadmin_at kadmin lead' -l unfair -d 'The fastest contender leads, not the one that has waited longest.'
complete -c kadmin -n '__kadmin_at kadmin lead' -l wait -x -d 'Give up after so many seconds in which another one leads.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin lead' -l requeue -d 'Contend and run the command again after a loss.'
complete -c kadmin -n '__kadmin_at kadmin lead' -l id -x -d 'Its name in --status; otherwise HOST:PID.'
complete -c kadmin -n '__kadmin_at kadmin lead' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin produce' -l topic -x -a '(__kadmin_live topics)' -d 'The topic.  [required]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l partition -x -d 'Write all to this partition; otherwise the key decides, or chance.  [0<=x<=2147483647]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l file -r -F -d 'Read this file instead of standard input (\'-\').'
complete -c kadmin -n '__kadmin_at kadmin produce' -l format -x -a 'value key-value json hex raw' -d 'What a line holds: a value (the default), key and value, JSON, or hexadecimal bytes. raw makes one record of the whole input.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l key-separator -x -d 'Lines are a key and a value with this in between; otherwise a tab (\'\\t\').'
complete -c kadmin -n '__kadmin_at kadmin produce' -l key -x -d 'The key for all records without one.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l header -x -d 'A header for all records that have none; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l null-marker -x -d 'This text, as a key or a value, means null.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l property -x -d 'As in Kafka\'s console producer: parse.key, key.separator, null.marker.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l max-messages -x -d 'Stop after so many records.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l acks -x -a '0 1 -1 all' -d 'Whose acknowledgement to wait for: nobody\'s, the leader\'s, or the whole ISR\'s.  [default: all]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l request-required-acks -x -a '0 1 -1 all' -d 'Whose acknowledgement to wait for: nobody\'s, the leader\'s, or the whole ISR\'s.  [default: all]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l compression -x -a 'none gzip snappy lz4 zstd' -d 'Compress batches.  [default: none]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l compression-codec -x -a 'none gzip snappy lz4 zstd' -d 'Compress batches.  [default: none]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l idempotence -d 'No record twice and none out of order, whatever is retried; on with acks=all.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l no-idempotence -d 'No record twice and none out of order, whatever is retried; on with acks=all.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l rate -x -d 'At most so many records a second.  [x>=0.001]'
complete -c kadmin -n '__kadmin_at kadmin produce' -l producer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l producer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin produce' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin consume' -l topic -x -a '(__kadmin_live topics)' -d 'A topic; several by repeating. Exact, unless it is a glob (*, ?, [).  [required]'
complete -c kadmin -n '__kadmin_at kadmin consume' -l partition -x -d 'Only these partitions; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l partitions -x -d 'Only these partitions; several by comma or by repeating.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l isolation-level -x -a 'read_uncommitted read_committed' -d 'Whether to read records of open and aborted transactions.  [default: read_uncommitted]'
complete -c kadmin -n '__kadmin_at kadmin consume' -l group -x -a '(__kadmin_live groups)' -d 'Join this group: read what it assigns, from its commits on, and commit what is printed.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l in-zookeeper -d 'A group of old consumers (Kafka 0.8 to 1.1), whose members and offsets are there; so does --zookeeper without --bootstrap-server.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l group-instance-id -x -d 'Be a static member of this id: who comes back in time gets the same partitions.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l assignor -x -a 'range roundrobin cooperative-sticky' -d 'How the group shares the partitions, as its other members do; otherwise range, or roundrobin where they want that.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l from-beginning -d 'From the earliest record on.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l offset -x -d 'earliest, latest (the default), an offset, -N for the last N records of each partition, a time (\'2026-11-20 03:12\', -2h), or @ and ms since 1970.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l max-messages -x -d 'After N records.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin consume' -l until-end -d 'Where the partitions end when it starts.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l timeout-ms -x -d 'When no record has come for so long.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin consume' -l format -x -a 'value key-value json hex raw' -d 'The value (the default), key and value, all fields as a line of JSON, or the value\'s bytes in hexadecimal or raw, without newlines.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l key-separator -x -d 'What stands between the fields of text, otherwise a tab (\'\\t\').'
complete -c kadmin -n '__kadmin_at kadmin consume' -l property -x -d 'As in Kafka\'s console consumer: print.key, print.offset and the like.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l rate -x -d 'At most so many records a second.  [x>=0.001]'
complete -c kadmin -n '__kadmin_at kadmin consume' -l consumer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l consumer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin consume' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin perf' -a produce -d 'Measure how fast records are written.'
complete -c kadmin -n '__kadmin_at kadmin perf' -a consume -d 'Measure how fast records are read.'
complete -c kadmin -n '__kadmin_at kadmin perf' -a end-to-end -d 'Measure how long one record takes from a producer to a consumer.'
complete -c kadmin -n '__kadmin_at kadmin perf' -a load -d 'Write and read at a steady rate, and find what was unavailable, and when.'
complete -c kadmin -n '__kadmin_at kadmin perf' -a report -d 'Run six experiments, and write a page with their plots.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin perf' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin perf produce'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l topic -x -a '(__kadmin_live topics)' -d 'The topic.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l num-records -x -d 'How many records.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l messages -x -d 'How many records.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l duration -x -d 'For how long, instead of or beside a number of records.  [x>=0.1]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l record-size -x -d 'Bytes of each value, random letters; otherwise 100.  [1<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l message-size -x -d 'Bytes of each value, random letters; otherwise 100.  [1<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l payload-file -r -F -d 'Draw the values from this file.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l payload-delimiter -x -d 'What stands between the values of the file, otherwise a line\'s end.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l payload-monotonic -d 'The values are the records\' numbers, from 0 on.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l keys -x -d 'Give records one of N keys; otherwise they have none.  [1<=x<=10000000]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l key-distribution -x -a 'uniform sequential zipf' -d 'Which of the keys: any (the default), in turn, or a few most often.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l throughput -x -d 'Records per second at most; -1 for as many as can be. Latency counts from when a record was to be sent, also if it had to wait for others.  [default: -1; x>=-1]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l warmup -x -d 'First send N records that do not count.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l warmup-records -x -d 'First send N records that do not count.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l processes -x -d 'How many producers, each in a process, share the records and the rate.  [default: 1; 1<=x<=64]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l threads -x -d 'How many producers, each in a process, share the records and the rate.  [default: 1; 1<=x<=64]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l reporting-interval -x -d 'Print a line every so many ms.  [default: 5000; x>=100]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l producer-props -x -d 'Properties as Kafka\'s tool takes them: all words up to the next option.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l producer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l producer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l print-metrics -d 'Print librdkafka\'s statistics at the end.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l csv -r -F -d 'Write a file for each metric, a row for each interval, as Kafka\'s CSV reporter.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l metrics-dir -r -F -d 'Write a file for each metric, a row for each interval, as Kafka\'s CSV reporter.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l csv-reporter-enabled -d 'As Kafka 0.8: --csv kafka_metrics, unless --metrics-dir names another directory.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l svg -r -F -d 'Draw throughput and latency into this file.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l hdr -r -F -d 'Write the latencies as a log of HdrHistogram, for its tools; needs kadmin-kafka[perf].'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l create-topic -d 'Make the topic, and delete it after the test; without --topic it gets a name.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l partitions -x -d 'How many partitions it gets, otherwise 1.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l replication-factor -x -d 'How many replicas each gets, otherwise 1.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l topic-config -x -d 'A config of the topic; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l yes -s y -d 'Do not ask before a topic is made, or one with records is written to.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l compare -x -d 'Run each in turns (A B B A) and print the ratios: each a cluster\'s name, HOST:PORT, or properties as linger.ms=0,batch.size=16384.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l rounds -x -d 'How often each side runs, otherwise 4 times.  [1<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin perf produce' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin perf consume' -l topic -x -a '(__kadmin_live topics)' -d 'The topic.  [required]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l messages -x -d 'How many records.  [x>=1; required]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l num-records -x -d 'How many records.  [x>=1; required]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l group -x -a '(__kadmin_live groups)' -d 'The group that is joined, otherwise perf-consumer- and a random number. Nothing is committed.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l from-latest -d 'Begin with what is written from now on; otherwise at the earliest record.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l timeout-ms -x -d 'End when no record has come for this time.  [default: 10000; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l latency -d 'Measure how old records are when they are read, by their timestamps and the clock here.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l processes -x -d 'How many members of the group, each in a process of its own.  [default: 1; 1<=x<=64]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l threads -x -d 'How many members of the group, each in a process of its own.  [default: 1; 1<=x<=64]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l fetch-size -x -d 'Bytes of one partition in one answer, otherwise 1048576.  [1<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l socket-buffer-size -x -d 'Receive buffer of a connection, otherwise the system\'s.  [1<=x<=100000000]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l consumer-props -x -d 'Properties: all words up to the next option.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l consumer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l consumer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l show-detailed-stats -d 'A line after each --reporting-interval.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l reporting-interval -x -d 'Print a line every so many ms.  [default: 5000; x>=100]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l print-metrics -d 'Print librdkafka\'s statistics at the end.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l hide-header -d 'Leave out the first line.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l date-format -x -d 'Times as Java\'s SimpleDateFormat writes them, otherwise yyyy-MM-dd HH:mm:ss:SSS.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l csv -r -F -d 'Write a file for each metric, a row for each interval, as Kafka\'s CSV reporter.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l metrics-dir -r -F -d 'Write a file for each metric, a row for each interval, as Kafka\'s CSV reporter.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l csv-reporter-enabled -d 'As Kafka 0.8: --csv kafka_metrics, unless --metrics-dir names another directory.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l svg -r -F -d 'Draw throughput and latency into this file.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l hdr -r -F -d 'Write the latencies as a log of HdrHistogram, for its tools; needs kadmin-kafka[perf].'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l compare -x -d 'Run each in turns (A B B A) and print the ratios: each a cluster\'s name, HOST:PORT, or properties as linger.ms=0,batch.size=16384.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l rounds -x -d 'How often each side runs, otherwise 4 times.  [1<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin perf consume' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin perf end-to-end'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l topic -x -a '(__kadmin_live topics)' -d 'The topic.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l num-records -x -d 'How many records.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l record-size -x -d 'Bytes of each value, otherwise 100.  [1<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l producer-acks -x -d 'Whose acknowledgement the next record waits for; otherwise all.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l acks -x -d 'Whose acknowledgement the next record waits for; otherwise all.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l warmup -x -d 'First send N records that do not count.  [x>=0]'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l producer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l producer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l csv -r -F -d 'Write a file for each metric, a row for each interval, as Kafka\'s CSV reporter.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l metrics-dir -r -F -d 'Write a file for each metric, a row for each interval, as Kafka\'s CSV reporter.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l csv-reporter-enabled -d 'As Kafka 0.8: --csv kafka_metrics, unless --metrics-dir names another directory.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l svg -r -F -d 'Draw throughput and latency into this file.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l hdr -r -F -d 'Write the latencies as a log of HdrHistogram, for its tools; needs kadmin-kafka[perf].'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l create-topic -d 'Make the topic, and delete it after the test; without --topic it gets a name.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l partitions -x -d 'How many partitions it gets, otherwise 1.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l replication-factor -x -d 'How many replicas each gets, otherwise 1.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l topic-config -x -d 'A config of the topic; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l yes -s y -d 'Do not ask before a topic is made, or one with records is written to.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l compare -x -d 'Run each in turns (A B B A) and print the ratios: each a cluster\'s name, HOST:PORT, or properties as linger.ms=0,batch.size=16384.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l rounds -x -d 'How often each side runs, otherwise 4 times.  [1<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin perf end-to-end' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin perf load' -l topic -x -a '(__kadmin_live topics)' -d 'A topic; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l throughput -x -d 'Records per second in all; each partition gets one in turn.  [default: 1000; x>=0.1]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l duration -x -d 'For how long; Ctrl-C ends it before, with its result.  [default: 60; x>=0.1]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l record-size -x -d 'Bytes of each value.  [default: 100; 16<=x<=1000000000]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l producers -x -d 'How many producers share the records.  [default: 1; 1<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l consumers -x -d 'How many consumers share the partitions; 0 for none.  [default: 1; 0<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l outage -x -d 'A partition is unavailable when a record takes that long, or fails.  [default: 1; x>=0.001]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l reporting-interval -x -d 'Print a line every so many ms.  [default: 1000; x>=100]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l producer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l producer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l create-topic -d 'Make the topic, and delete it after the test; without --topic it gets a name.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l partitions -x -d 'How many partitions it gets, otherwise 1.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l replication-factor -x -d 'How many replicas each gets, otherwise 1.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l topic-config -x -d 'A config of the topic; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l yes -s y -d 'Do not ask before a topic is made, or one with records is written to.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin perf load' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin perf report' -l html -r -F -d 'The page, whole by itself: it loads nothing.  [default: perf-report.html]'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l only -x -a 'producers message-size partitions replicas consumers pairs' -d 'Only this experiment; several by repeating.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l quick -d 'One round of a second each: a minute or two in all, and rough.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l duration -x -d 'How long producers write in each setting, otherwise 10.  [x>=0.1]'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l rounds -x -d 'How often each setting runs, otherwise 3 times; their median is shown.  [1<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l producer-property -s X -x -d 'A property of librdkafka; wins over the file. May be repeated.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l property-file -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l producer.config -r -F -d 'Properties of the client, in librdkafka\'s words or those of Java clients.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l yes -s y -d 'Do not ask before topics are made.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin perf report' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin merge-logs'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l logs -x -d 'The same as naming the files as PATH, separated by commas.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l logs-regex -x -d 'The files of a directory in whose name the regular expression is found.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l clock-offset -x -d 'Add this to the times of a source: +250 for a clock that is 250 ms behind.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l time-zone -x -d 'The time zone of a source, or of all others; UTC unless given.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l correct-clocks -d 'Correct the times of brokers whose clocks are proven wrong by orders between them.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l max-unpacked -x -d 'How much of a .gz is unpacked; otherwise 10 GiB, or 100 times its size if that is more.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l strict -d 'Fail if a file is not a log, or is damaged.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l topic -x -a '(__kadmin_live topics)' -d 'Only lines that name one of these topics; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l topic-regex -x -d 'Only lines that name a topic whose whole name matches the expression.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l partitions -x -d 'Only these partitions of the topics.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l start-time -x -d 'From this time on: \'2026-11-20 03:12:00,000\', ISO 8601, or relative (-2h).'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l end-time -x -d 'Up to and including this time.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l broker -x -a '(__kadmin_live brokers)' -d 'Only lines that these brokers wrote.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l controller-epoch -x -d 'Only lines with one of these controller epochs.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l kind -x -a 'partition-state replica-state isr-change election-start elected transition-failed send-leaderandisr send-updatemetadata send-stopreplica response response-error offline-replicas reassignment received-leaderandisr received-stopreplica handling completed fetchers truncated skipped refused failed stop-replica cached deleted-from-cache leader-start follower-start summary topic-id recovery local-partition metadata-batch noise continuation other' -d 'Only lines of this kind; may be repeated (see --list-kinds).'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l level -x -a 'TRACE DEBUG INFO WARN ERROR FATAL' -d 'Only lines of this level or a more severe one.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l only-partitioned -d 'Only lines that name a partition, as Kafka\'s tool does.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l keep-duplicates -d 'Keep a line as often as sources have it; otherwise once, by time, writer and message.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l order -x -a 'time file' -d 'By time alone, or never against the order in a source\'s own file.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l causal -d 'Put no line before the order that it obeys, whatever the clocks say.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l show-source -d 'Put the source before each line; on a terminal this is done if there are several.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l no-show-source -d 'Put the source before each line; on a terminal this is done if there are several.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l format -x -a 'text json csv parquet' -d 'Lines as they are, or typed rows; text unless the name of --out says otherwise.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l out -r -F -d 'A file, a directory (ends in \'/\') or a URI instead of standard output.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l count -d 'Count lines by kind and level even if that takes longer than merging.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l list-kinds -d 'List what --kind takes, and exit.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l analyze -d 'Tell who led each partition, when, decided by whom, and why it moved; worst first.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l brief -d 'Instead of --analyze: one line an event: time, partition, leader, ISR, controller, why.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l partition -x -d 'Only this partition, in full; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l around -x -d 'Who led the partition at this time, and what came just before and after.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l html -r -F -d 'Also write a page with a timeline: one file that fetches nothing. Needs kadmin-kafka[html].'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l with-lines -d 'Show the lines that prove each event below it, with their files.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l master -x -d 'Spark\'s master; \'none\' merges without Spark, sooner for a few MB.  [default: local[*]]'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l conf -x -d 'A setting of Spark; may be repeated, and wins over the file.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l properties-file -r -F -d 'Settings of Spark as in spark-defaults.conf.'
complete -c kadmin -n '__kadmin_at kadmin merge-logs' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -F
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l log-dir -x -d 'The log directories of a broker: a directory above them, a .tar.gz or .tar.zst, or the URI of one; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l deep -d 'Read all records, also those of batches that are the same everywhere; of compacted logs also prove that no replica lacks the latest record of a key.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l brokers -x -d 'All brokers of the cluster: a partition that only one of them has is then unreplicated, not single.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l max-unpacked -x -d 'How much an archive may hold; otherwise 10 GiB, or 100 times its size if that is more.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l parquet -r -F -d 'Write a row for each batch of all replicas into this directory.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-list -x -d 'What kafka-replica-verification calls --bootstrap-server.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l time -x -d 'Where to start: latest, earliest, or a time: the first record at or after it (\'2026-11-20 03:12\', -2h, ms since 1970). -1 and -2 as in kafka-replica-verification. The default is latest, with --until-caught-up earliest.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l until-caught-up -d 'End when everything that was committed at the start has been compared.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l rounds -x -d 'End after N rounds; each asks every replica for its next records.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l fetch-size -x -d 'How much to read of a replica at once.  [default: 1048576; 1<=x<=2147483647]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l max-rate -x -d 'Read at most so many bytes a second, from all brokers together.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l max-wait-ms -x -d 'How long to wait when there is nothing new.  [default: 1000; 0<=x<=60000]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l report-interval-ms -x -d 'How often to report progress.  [default: 30000; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l plain -d 'Print the lines of kafka-replica-verification, and no result.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l topic -x -a '(__kadmin_live topics)' -d 'Only this topic, or those that match this glob; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l topics-include -x -d 'Only the topics whose names match this regular expression, as in kafka-replica-verification.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l topic-white-list -x -d 'Only the topics whose names match this regular expression, as in kafka-replica-verification.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l compacted -x -d 'A compacted topic, or a glob: records may be missing. Not needed if checkpoints or brokers say so.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l master -x -d 'Spark\'s master; \'none\' reads without it, as is done with less than some GB.  [default: local[*]]'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l conf -x -d 'A setting of Spark; may be repeated, and wins over the file.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l properties-file -r -F -d 'Settings of Spark as in spark-defaults.conf.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin verify-replicas' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin collect' -F
complete -c kadmin -n '__kadmin_at kadmin collect' -l log-dir -x -d 'A log directory of a broker, or a directory above several; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l logs -x -d 'The directory of a broker\'s state-change.log, or that file; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l topic -x -a '(__kadmin_live topics)' -d 'Only this topic in log directories, or those that match this glob; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l wire -d 'Read from the brokers themselves, unless --log-dir names their directories.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l max-rate -x -d 'Copy at most so many bytes a second.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin collect' -l check -d 'Collect nothing; check that sizes and SHA-256 match the manifest.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin collect' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin dump-log'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l files -x -d 'The same as naming the files as FILE, separated by commas.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l deep-iteration -d 'Print the records of each batch, too.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l print-data-log -d 'Print keys and values as well, with or without --deep-iteration.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l offsets-decoder -d 'Decode records of __consumer_offsets; keys and values are printed.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l transaction-log-decoder -d 'Decode records of __transaction_state; keys and values are printed.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l cluster-metadata-decoder -d 'Decode records of __cluster_metadata; they are printed.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l skip-record-metadata -d 'Print only keys and values of records.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l index-sanity-check -d 'Only report whether a broker would rebuild an index when it starts.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l verify-index-only -d 'Only report where indexes are wrong, without their entries.'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l max-message-size -x -d 'The largest batch that an offset index may point to.  [default: 5242880; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l max-bytes -x -d 'Read at most this much of each segment.  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin dump-log' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin snapshot' -a diff -d 'Compare two files, or a file with the cluster as it is.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -a save -d 'Save the cluster in a file.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -a show -d 'Show what is in a file.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin snapshot' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin snapshot diff'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l only -x -d 'Compare only these, separated by commas: cluster, brokers, topics, configs, quotas, acls, log-dirs, groups.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l no-brokers -d 'Of the cluster as it is, ask only ZooKeeper, and no broker about its log directories.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin snapshot diff' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin snapshot save'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l groups -d 'With groups of consumers and their committed offsets.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l no-brokers -d 'Ask only ZooKeeper, and no broker about its log directories.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l force -d 'Overwrite FILE if it exists.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin snapshot save' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin snapshot show'
complete -c kadmin -n '__kadmin_at kadmin snapshot show' -l default-min-isr -x -d 'The min.insync.replicas in the brokers\' own files, which no snapshot has.  [default: 1; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin snapshot show' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin simulate' -l kill -x -a '(__kadmin_live brokers)' -d 'These brokers fail, all at once.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l lose-rack -x -d 'All brokers of this rack fail; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l add -x -d 'This broker starts: a new one, or one that is dead; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l plan -r -F -d 'Partitions are reassigned: Kafka\'s JSON, or a file of \'kadmin reassign plan\'.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l unclean -d 'Then leaders are elected for what is offline, even out of the ISR.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l snapshot -r -F -d 'The cluster in a file of \'kadmin snapshot save\', and not the live one.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l default-min-isr -x -d 'The min.insync.replicas in the brokers\' own files, which ZooKeeper does not know.  [default: 1; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin simulate' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin migration' -a check -d 'See what stands in the way.'
complete -c kadmin -n '__kadmin_at kadmin migration' -a diff -d 'Compare ZooKeeper with the log of the controllers.'
complete -c kadmin -n '__kadmin_at kadmin migration' -a preview -d 'Count the records that will be written.'
complete -c kadmin -n '__kadmin_at kadmin migration' -a rollback-check -d 'See whether there is a way back.'
complete -c kadmin -n '__kadmin_at kadmin migration' -a status -d 'See how far a migration is.'
complete -c kadmin -n '__kadmin_at kadmin migration' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin migration check' -l ignore -x -a 'stale-migration unreadable topic-id dead-replica quota scram acl config-name password controller epoch release listener broker-id authorizer log-dirs broker-config znode-acl offline under-min-isr under-replicated no-state reassignment deletion election throttle log-dir-event silent-broker old-consumer old-client removed-config foreign-znode' -d 'Leave out findings of this kind; may be repeated: stale-migration, unreadable, topic-id, dead-replica, quota, scram, acl, config-name, password, controller, epoch, release, listener, broker-id, authorizer, log-dirs, broker-config, znode-acl, offline, under-min-isr, under-replicated, no-state, reassignment, deletion, election, throttle, log-dir-event, silent-broker, old-consumer, old-client, removed-config, foreign-znode.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l default-min-isr -x -d 'The min.insync.replicas in the brokers\' own files, which ZooKeeper does not know.  [default: 1; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l no-brokers -d 'Ask only ZooKeeper, and no broker about its settings.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l prometheus-url -x -d 'A broker\'s endpoint for Prometheus, such as jmx_exporter\'s; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l jolokia-url -x -d 'A broker\'s endpoint of Jolokia; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l wait-ready -d 'Look again until the cluster is ready, for at most so many seconds (600).  [x>=1]'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l plain -d 'Plain lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin migration check' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin migration diff' -l bootstrap-controller -x -d 'The listeners of the KRaft controllers: the active one is asked for its log.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l metadata-dir -r -F -d 'The log directory of a KRaft controller, a copy of its __cluster_metadata-0, or a collection that has it.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin migration diff' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin migration preview' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin migration rollback-check' -l fix -d 'Write what ZooKeeper needs for the way back, when all KRaft controllers are stopped.'
complete -c kadmin -n '__kadmin_at kadmin migration rollback-check' -l dry-run -d 'With --fix: show what would be written, and write nothing.'
complete -c kadmin -n '__kadmin_at kadmin migration rollback-check' -l yes -s y -d 'With --fix: do not ask.'
complete -c kadmin -n '__kadmin_at kadmin migration rollback-check' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin migration status' -l plain -d 'Plain lines, even on a terminal.'
complete -c kadmin -n '__kadmin_at kadmin migration status' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin migration status' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster' -a add-broker -d 'Add a broker to a cluster and wait until it serves.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a destroy -d 'Stop a cluster and remove it with all its data.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a down -d 'Stop a cluster and keep its data.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a kill-broker -d 'Kill a broker with kill -9, like a crash.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a kill-zookeeper -d 'Kill a ZooKeeper with kill -9, like a crash.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a list -d 'List the clusters of this machine.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a logs -d 'Print a log of a broker.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a pause-broker -d 'Pause a broker with SIGSTOP.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a pause-zookeeper -d 'Pause a ZooKeeper with SIGSTOP.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a resume-broker -d 'Let a paused broker go on, with SIGCONT.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a resume-zookeeper -d 'Let a paused ZooKeeper go on, with SIGCONT.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a start-broker -d 'Start a broker that is not running.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a start-zookeeper -d 'Start a ZooKeeper that is not running.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a status -d 'Show whether a cluster serves, its servers and controller, and which partitions lack what.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a stop-broker -d 'Stop a broker in good order.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a stop-zookeeper -d 'Stop a ZooKeeper in good order.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -a up -d 'Start a cluster, or the parts of it that are down, and wait until it serves.'
complete -c kadmin -n '__kadmin_at kadmin cluster' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster add-broker' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster add-broker' -l rack -x -d 'Its rack; the one with the fewest brokers unless given.'
complete -c kadmin -n '__kadmin_at kadmin cluster add-broker' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster destroy' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster; --cluster says the same.  [default: local]'
complete -c kadmin -n '__kadmin_at kadmin cluster destroy' -l yes -d 'Do not ask.'
complete -c kadmin -n '__kadmin_at kadmin cluster destroy' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster down' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster down' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster kill-broker' -a '(__kadmin_live local-brokers)'
complete -c kadmin -n '__kadmin_at kadmin cluster kill-broker' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster kill-broker' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster kill-zookeeper' -a '(__kadmin_live local-zookeepers)'
complete -c kadmin -n '__kadmin_at kadmin cluster kill-zookeeper' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster kill-zookeeper' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster list' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster logs' -a '(__kadmin_live local-brokers)'
complete -c kadmin -n '__kadmin_at kadmin cluster logs' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster logs' -l follow -s f -d 'Go on with new lines until Ctrl-C.'
complete -c kadmin -n '__kadmin_at kadmin cluster logs' -l controller -d 'controller.log instead of server.log.'
complete -c kadmin -n '__kadmin_at kadmin cluster logs' -l state-change -d 'state-change.log instead of server.log.'
complete -c kadmin -n '__kadmin_at kadmin cluster logs' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster pause-broker' -a '(__kadmin_live local-brokers)'
complete -c kadmin -n '__kadmin_at kadmin cluster pause-broker' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster pause-broker' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster pause-zookeeper' -a '(__kadmin_live local-zookeepers)'
complete -c kadmin -n '__kadmin_at kadmin cluster pause-zookeeper' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster pause-zookeeper' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster resume-broker' -a '(__kadmin_live local-brokers)'
complete -c kadmin -n '__kadmin_at kadmin cluster resume-broker' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster resume-broker' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster resume-zookeeper' -a '(__kadmin_live local-zookeepers)'
complete -c kadmin -n '__kadmin_at kadmin cluster resume-zookeeper' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster resume-zookeeper' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster start-broker' -a '(__kadmin_live local-brokers)'
complete -c kadmin -n '__kadmin_at kadmin cluster start-broker' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster start-broker' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster start-zookeeper' -a '(__kadmin_live local-zookeepers)'
complete -c kadmin -n '__kadmin_at kadmin cluster start-zookeeper' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster start-zookeeper' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster status' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster status' -l controller -d 'Show how long each kind of the controller\'s events waited and took.'
complete -c kadmin -n '__kadmin_at kadmin cluster status' -l watch -d 'Show it again every so many seconds (2) until Ctrl-C.  [0.1<=x<=86400]'
complete -c kadmin -n '__kadmin_at kadmin cluster status' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster stop-broker' -a '(__kadmin_live local-brokers)'
complete -c kadmin -n '__kadmin_at kadmin cluster stop-broker' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster stop-broker' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster stop-zookeeper' -a '(__kadmin_live local-zookeepers)'
complete -c kadmin -n '__kadmin_at kadmin cluster stop-zookeeper' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster, otherwise the current one if it is of this machine, else local; --cluster says the same.'
complete -c kadmin -n '__kadmin_at kadmin cluster stop-zookeeper' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin cluster up' -l name -x -a '(__kadmin_live local-clusters)' -d 'Which cluster; --cluster says the same.  [default: local]'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l zookeepers -x -a '1 3' -d 'How many ZooKeepers; 1 for a new cluster.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l dir -r -F -d 'The directory for its data, new or empty.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l port -x -d 'Port of the first ZooKeeper, the others follow; free ones unless given.  [1<=x<=65533]'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l bind -x -d 'IP address to listen on, 0.0.0.0 for all; the loopback unless given.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l brokers -x -d 'How many brokers; none for a new cluster, and never fewer than there are.  [0<=x<=100]'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l racks -x -d 'Racks for the new brokers, in turn.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l set -x -d 'A key of all brokers\' server.properties; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l use -d 'Make it the current cluster in place of another, or leave the configuration file alone.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l no-use -d 'Make it the current cluster in place of another, or leave the configuration file alone.'
complete -c kadmin -n '__kadmin_at kadmin cluster up' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin serve' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster to show; may be repeated. The current one unless given.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l name -x -a '(__kadmin_live clusters)' -d 'A named cluster to show; may be repeated. The current one unless given.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l every -x -d 'Look at each cluster every so many seconds, however many readers there are.  [default: 10.0; 1<=x<=3600]'
complete -c kadmin -n '__kadmin_at kadmin serve' -l default-min-isr -x -d 'The min.insync.replicas in the brokers\' own files, which ZooKeeper does not know.  [default: 1; x>=1]'
complete -c kadmin -n '__kadmin_at kadmin serve' -l prometheus-url -x -d 'A broker\'s metrics for Prometheus, of the one cluster that is shown; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l jolokia-url -x -d 'A broker\'s metrics by Jolokia, of the one cluster that is shown; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l timeline -r -F -d 'A page of \'kadmin merge-logs --html\' to link.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l write -d 'Let visitors change clusters, by their roles.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l token-file -r -F -d 'Who may log in: lines NAME ROLE TOKEN [CLUSTER...]. It is made if it is missing.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l audit-file -r -F -d 'Where changes and refusals are noted, as JSON lines.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l auth-header -x -d 'A header in which the proxy of --trusted-proxy names the visitor.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l trusted-proxy -x -d 'A reverse proxy\'s IP address whose headers are believed; may be repeated.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l listen -x -d 'Where to listen.  [default: 127.0.0.1:8090]'
complete -c kadmin -n '__kadmin_at kadmin serve' -l url -x -d 'An address by which browsers come, such as https://kafka.example.com behind a proxy.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l tls-cert -r -F -d 'PEM file of the server\'s certificate with its chain.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l tls-key -r -F -d 'PEM file of its key.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l plain-http -d 'Listen beyond this machine without TLS: others on the way can read tokens and use them.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin serve' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin config' -a add -d 'Give the cluster of --zookeeper, --bootstrap-server or both, with the security options given...'
complete -c kadmin -n '__kadmin_at kadmin config' -a list -d 'List the named clusters; \'*\' marks the current one.'
complete -c kadmin -n '__kadmin_at kadmin config' -a remove -d 'Forget the cluster NAME; the cluster itself is not touched.'
complete -c kadmin -n '__kadmin_at kadmin config' -a show -d 'Show every setting, its value and where it comes from; passwords are masked.'
complete -c kadmin -n '__kadmin_at kadmin config' -a use -d 'Make NAME the current cluster: the one that is meant when none is named.'
complete -c kadmin -n '__kadmin_at kadmin config' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin config' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin config' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin config' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin config' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin config add'
complete -c kadmin -n '__kadmin_at kadmin config add' -l use -d 'Also make it the current cluster.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l force -d 'Replace the cluster of that name, if there is one.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin config add' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin config list' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin config remove' -a '(__kadmin_live clusters)'
complete -c kadmin -n '__kadmin_at kadmin config remove' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin config show' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin config show' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'

complete -c kadmin -n '__kadmin_at kadmin config use' -a '(__kadmin_live clusters)'
complete -c kadmin -n '__kadmin_at kadmin config use' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin help' -a '(__kadmin_live commands)'
complete -c kadmin -n '__kadmin_at kadmin help' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'

complete -c kadmin -n '__kadmin_at kadmin completion' -a 'bash zsh fish'
complete -c kadmin -n '__kadmin_at kadmin completion' -l bootstrap-server -x -d 'Brokers of the cluster to ask first; the rest are discovered from them.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l cluster -x -a '(__kadmin_live clusters)' -d 'A named cluster of the configuration file (see \'kadmin config list\').'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-sasl -x -a 'none plain scram-sha-256 scram-sha-512 gssapi oauthbearer' -d 'How to authenticate to brokers.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-user -x -d 'User for plain and scram, client id for oauthbearer.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-password-file -r -F -d 'File whose first line is the password of that user.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-sasl-service -x -d 'Service name of the brokers\' Kerberos principal, for gssapi.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-keytab -r -F -d 'Key table for gssapi; the ticket of kinit unless given.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-oauth-url -x -d 'Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-oauth-scope -x -d 'What that token is asked for.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-tls -d 'Connect to brokers by TLS.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-tls-ca -r -F -d 'PEM file of the certificate authorities to trust.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-tls-cert -r -F -d 'PEM file of the client\'s certificate.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-tls-key -r -F -d 'PEM file of the client\'s key.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-tls-no-verify -d 'Do not check the brokers\' certificates and host names.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l broker-tls-no-host-check -d 'Check the brokers\' certificates, but not that they name the host.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l command-config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
complete -c kadmin -n '__kadmin_at kadmin completion' -l admin.config -r -F -d 'Properties of a client, as Kafka\'s tools take, for all of broker security.'
