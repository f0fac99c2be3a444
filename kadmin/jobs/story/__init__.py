"""The stories of partitions, from the logs of all brokers: lines to events, events to stories.

The way of a line: `events` makes of each slice of a merge the events of partitions, dealt into
buckets; `bucket` folds one bucket of all slices; `jobs.story.tell` calls both.
"""

__all__ = ["clocks", "gather", "tell"]
