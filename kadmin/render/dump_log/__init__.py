"""Files of a log directory, in the words of Kafka's DumpLogSegments"""

__all__ = ["files"]
