"""Metrics as Kafka's brokers have them: registry, gauges, counters, meters, histograms, timers.

Pure: clock and source of random numbers are passed in.  A `Bean` describes metrics that differ in
their tags alone; the registry makes them, and a reporter reads all of them:

    registry = MetricsRegistry(monotonic_ns=clock.monotonic_ns, random=random.random)
    bytes_in = registry.meters(BYTES_IN_BY_TOPIC)      # Bean(…, Kind.METER, tags=("topic",))
    bytes_in.of("orders").mark(1024)
    registry.gauge(LEADER_COUNT, lambda: len(led))     # read when a reporter asks
    registry.gauges(LOG_SIZE, lambda: ((name_of(log), log.size_bytes) for log in list(logs)))
    bytes_in.remove("orders")                          # the topic is deleted

    for part in registry.slices():
        for bean, points in part:
            for tags, value in points:
                bean.object_name(tags)                 # kafka.server:type=…,name=…,topic=orders
                attributes_of(value)                   # {"Count": 1024, "MeanRate": …}
        await asyncio.sleep(0)                         # requests go on

The value of a point is a number or a text for gauges, else the `Counter`, `Meter`, `Histogram` or
`Timer` itself, of which a reporter reads what it shows, or for `Kind.ATTRIBUTES` a mapping.
"""

__all__ = [
    "accepted",
    "beans",
    "catalogue",
    "csv_rows",
    "exposition",
    "graphite_lines",
    "jolokia",
    "meters",
    "registry",
    "reservoirs",
    "series_names",
    "text_report",
]
