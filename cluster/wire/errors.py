"""Protocol errors: invalid bytes or messages, by the peer's fault or ours.

Error codes inside of messages are in `cluster.model.error_codes`.
"""


class ProtocolError(Exception):
    """Root of errors in encoding and decoding."""


class PeerError(ProtocolError):
    """The other side sent invalid bytes, or an unsupported part of the protocol."""


class MalformedFrameError(PeerError):
    """A frame that ends too early or too late, or has impossible content."""


class FrameSizeError(PeerError):
    """A frame whose announced size is larger than allowed, or negative."""

    def __init__(self, size: int, size_max: int) -> None:
        super().__init__(f"a frame of {size} bytes, where 0 to {size_max} are allowed")
        self.size = size
        self.size_max = size_max


class UnsupportedVersionError(PeerError):
    """A request of an API or a version that is not served.

    For ApiVersions the protocol requires an answer all the same, in version 0, with error 35 and
    the served versions; for all others the connection is closed.
    """

    def __init__(self, api_key: int, api_version: int, correlation_id: int) -> None:
        super().__init__(f"api key {api_key} in version {api_version} is not served")
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id


class UnencodableMessageError(ProtocolError):
    """A message of ours that cannot be encoded in the requested version."""

    def __init__(self, message: str, version: int, reason: str) -> None:
        super().__init__(f"{message} v{version}: {reason}")
        self.message = message
        self.version = version
        self.reason = reason
