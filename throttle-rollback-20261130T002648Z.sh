#!/bin/sh
set -e
kadmin --bootstrap-server 127.0.0.1:20007,127.0.0.1:30075 configs --alter --broker 0 --add-config 'follower.replication.throttled.rate=[20000],leader.replication.throttled.rate=[20000]'
kadmin --bootstrap-server 127.0.0.1:20007,127.0.0.1:30075 configs --alter --broker 1 --add-config 'follower.replication.throttled.rate=[20000],leader.replication.throttled.rate=[20000]'
kadmin --bootstrap-server 127.0.0.1:20007,127.0.0.1:30075 configs --alter --topic k --add-config 'follower.replication.throttled.replicas=[0:1,1:1,2:1],leader.replication.throttled.replicas=[0:0,1:0,2:0]'
