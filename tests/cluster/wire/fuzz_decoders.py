"""A fuzzer that is led by which lines of the generated decoders its bytes reach.

    python -m tests.cluster.wire.fuzz_decoders N [directory of inputs] [libFuzzer's options]

Only every N-th message and version takes part, since it takes longest to prepare them; 1 means all.
The first two bytes choose a message and a version; the rest is decoded.  Anything but a
MalformedFrameError is a crash, and so is a message that cannot be written and read again.
"""

import sys

import atheris

from cluster.wire import decoders
from cluster.wire.decoders import decode
from cluster.wire.encoders import encode_message
from cluster.wire.errors import MalformedFrameError
from cluster.wire.schema import Schema
from tests.cluster.wire.messages import Dice, all_versions

VERSIONS = all_versions()[:: int(sys.argv.pop(1))]


def compile_instrumented(schema: Schema, version: int) -> None:
    """Compile the decoder by reading one message, and let the fuzzer see its lines."""
    message = Dice(0).message(schema.message, version)
    data = b"".join(encode_message(schema, version, message))  # type: ignore[arg-type]
    decode(schema, version, memoryview(data), 0)
    decoder = decoders._decoders[schema.message, version]
    decoders._decoders[schema.message, version] = atheris.instrument_func(decoder)


def decode_once(data: bytes) -> None:
    schema, version = VERSIONS[int.from_bytes(data[:2]) % len(VERSIONS)]
    try:
        message = decode(schema, version, memoryview(data), 2)
    except MalformedFrameError:
        return
    again = b"".join(encode_message(schema, version, message))  # type: ignore[arg-type]
    decode(schema, version, memoryview(again), 0)


def main() -> None:
    for schema, version in VERSIONS:
        compile_instrumented(schema, version)
    atheris.Setup(sys.argv, decode_once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
