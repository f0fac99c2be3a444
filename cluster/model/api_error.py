"""An error in an answer to a client: Kafka's code, with a message for the operator."""

from typing import NamedTuple

from cluster.model.error_codes import ErrorCode


class ApiError(NamedTuple):
    """Without an error the request succeeded.

    Source: Kafka's class of the same name.
    """

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
