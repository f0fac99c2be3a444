"""What does each config mean, in a sentence or two?

For clients that ask for documentation, and for the page of the settings.
"""

from typing import Final

from cluster.broker.configs.topic_defaults import TOPIC_DEFAULTS

TOPIC_TEXTS: Final = {
    "cleanup.policy": "What becomes of old records: delete is the only policy that is supported.",
    "file.delete.delay.ms": "How long the file of a deleted segment stays on the disk.",
    "flush.messages": "After how many records a log is made durable.",
    "flush.ms": "How long a record may wait until its log is made durable.",
    "index.interval.bytes": "After how many bytes of records an index gets its next entry.",
    "max.message.bytes": "The largest batch of records that is taken.",
    "message.timestamp.after.max.ms": "How far ahead of the broker's clock a record may be.",
    "message.timestamp.before.max.ms": "How far behind the broker's clock a record may be.",
    "message.timestamp.difference.max.ms": (
        "How far from the broker's clock a record may be, on each side of which"
        " message.timestamp.before.max.ms or message.timestamp.after.max.ms says nothing."
    ),
    "message.timestamp.type": (
        "Whose time a record has: that of its producer (CreateTime) or that of the broker"
        " (LogAppendTime)."
    ),
    "min.insync.replicas": (
        "How many replicas have to be in sync for records that are sent with acks=all."
    ),
    "preallocate": "Whether the file of a new segment has its full size from the beginning.",
    "retention.bytes": "The size above which the oldest segments of a partition go; -1: never.",
    "retention.ms": "The age at which segments go; -1: never.",
    "segment.bytes": "The size at which a log goes on in a new segment.",
    "segment.index.bytes": "The largest size of an index of a segment.",
    "segment.ms": "The age at which a log goes on in a new segment.",
    "unclean.leader.election.enable": (
        "Whether a replica that may lack records leads where no other is left: these are lost then."
    ),
}
"""The topics' keys that are honoured."""

OWN_TEXTS: Final = {
    "advertised.listeners": "The addresses that clients are told; unset, those of listeners.",
    "auto.create.topics.enable": "Whether topics are made when a client first asks for them.",
    "broker.id": "The id of the broker; -1: what the log directories say, or a new one.",
    "broker.id.generation.enable": "Whether a broker without an id gets a new one.",
    "broker.rack": "The rack in which the broker stands: replicas are spread over racks.",
    "connections.max.idle.ms": "How long a connection may be idle; -1: for ever.",
    "controlled.shutdown.enable": "Whether leaderships are moved away before the broker ends.",
    "controlled.shutdown.max.retries": "How often that is asked for again.",
    "controlled.shutdown.retry.backoff.ms": "How long is waited before it is asked for again.",
    "controller.socket.timeout.ms": "How long an order of the controller waits for its answer.",
    "default.replication.factor": "The replication factor of topics that come without one.",
    "delete.topic.enable": "Whether topics may be deleted.",
    "fetch.max.bytes": "The most that the answer to a fetch holds, beyond its first batch.",
    "inter.broker.listener.name": "The listener by which brokers reach this one; unset, the first.",
    "kafka.logs.dir": "The directory of server.log and the like; unset, logs beside the data.",
    "listener.security.protocol.map": "The security protocol of each listener: only PLAINTEXT.",
    "listeners": "The addresses at which the broker listens.",
    "log.dir": "The directory of the data, where log.dirs says nothing.",
    "log.dirs": "The directories of the data.",
    "log.flush.offset.checkpoint.interval.ms": "How often is noted up to where logs are durable.",
    "log.flush.scheduler.interval.ms": (
        "How often logs are looked at that may have to be made durable, and the default of"
        " log.flush.interval.ms."
    ),
    "log.flush.start.offset.checkpoint.interval.ms": "How often is noted where logs begin.",
    "log.retention.check.interval.ms": "How often is looked for segments that may go.",
    "log.retention.hours": "As log.retention.ms, in hours, where that and the minutes are unset.",
    "log.retention.minutes": "As log.retention.ms, in minutes, where that is unset.",
    "log.roll.hours": "As log.roll.ms, in hours, where that is unset.",
    "max.connections": "How many connections there may be; whoever comes later waits.",
    "max.connections.per.ip": "How many of them one address may have; more are refused.",
    "max.connections.per.ip.overrides": "Other limits for some addresses, as address:count,….",
    "max.incremental.fetch.session.cache.slots": "How many fetch sessions are kept.",
    "num.partitions": "The partition count of topics that come without one.",
    "producer.id.expiration.ms": "How long a producer that is silent is remembered.",
    "queued.max.request.bytes": "How much requests may hold that are not answered; -1: no limit.",
    "replica.high.watermark.checkpoint.interval.ms": (
        "How often is noted up to where records are committed."
    ),
    "reserved.broker.max.id": "The highest id that no broker gets by itself.",
    "socket.listen.backlog.size": "How many connections may wait to be taken.",
    "socket.receive.buffer.bytes": "What the kernel keeps of what comes; -1: as it likes.",
    "socket.request.max.bytes": "The largest request.",
    "socket.send.buffer.bytes": "What the kernel keeps of what goes; -1: as it likes.",
    "zookeeper.connect": "The ZooKeeper of the cluster, as host:port,…/chroot.",
    "zookeeper.connection.timeout.ms": (
        "How long is waited for ZooKeeper at the start; unset, zookeeper.session.timeout.ms."
    ),
    "zookeeper.session.timeout.ms": "After how long a silence ZooKeeper takes a broker for dead.",
}
"""The brokers' keys that are about no topic."""

BROKER_TEXTS: Final = {
    **OWN_TEXTS,
    **{
        key: f"{TOPIC_TEXTS[topic_key]} Topics may say otherwise, by {topic_key}."
        for key, topic_key in TOPIC_DEFAULTS.items()
    },
}
"""All keys of brokers that are honoured."""
