"""The stories of partitions, from the logs of all brokers: lines to events, events to stories.

The way of a line: `events` makes of each slice of a merge what its lines say of partitions, dealt
into buckets; `bucket` folds one bucket of all slices; `tell` leads through it.
"""

__all__ = ["clocks", "gather", "tell"]
