"""Protocol errors: what can be wrong with the bytes of the protocol, and by whose mistake?

Knows nothing of error codes that travel inside of messages: those are `cluster.model.error_codes`.
"""


class ProtocolError(Exception):
    """Root of what goes wrong between messages and bytes."""


class PeerError(ProtocolError):
    """The other side sent what is not the protocol, or not what we speak of it."""


class MalformedFrameError(PeerError):
    """A frame that ends too early or too late, or holds what cannot be."""


class FrameSizeError(PeerError):
    """A frame that says it is larger than allowed, or of negative size."""

    def __init__(self, size: int, size_max: int) -> None:
        super().__init__(f"a frame of {size} bytes, where 0 to {size_max} are allowed")
        self.size = size
        self.size_max = size_max


class UnsupportedVersionError(PeerError):
    """A request of an API or a version that is not served.

    For ApiVersions the protocol wants an answer all the same, in version 0, with error 35 and the
    versions that are served; for all others the connection is closed.
    """

    def __init__(self, api_key: int, api_version: int, correlation_id: int) -> None:
        super().__init__(f"api key {api_key} in version {api_version} is not served")
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id


class UnencodableMessageError(ProtocolError):
    """A message of ours that has no form in the version that was asked for."""

    def __init__(self, message: str, version: int, reason: str) -> None:
        super().__init__(f"{message} v{version}: {reason}")
        self.message = message
        self.version = version
        self.reason = reason
