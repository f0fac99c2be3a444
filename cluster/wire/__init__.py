"""Kafka's protocol: bytes to messages and back, in every version; no connections."""

__all__ = [
    "api_keys",
    "codec",
    "decoders",
    "encoders",
    "errors",
    "fields",
    "framing",
    "messages",
    "schema",
    "varint",
    "versions",
]
