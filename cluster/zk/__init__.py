"""Znode paths and JSON codecs, by Kafka release; no ZooKeeper client in here."""
