"""Records that go to brokers and come from them, on librdkafka."""
