"""An S3 server of the tests' own, on the loopback."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from pyarrow import fs

from kadmin.local.ports import free_ports
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S, wait_until


class Bucket:
    """A bucket of a server that runs at *port*."""

    def __init__(self, port: int) -> None:
        self.port = port
        # Its own 3 s are not enough for a machine that stands still.
        self.files: Any = fs.S3FileSystem(
            access_key="me",
            secret_key="secret",
            endpoint_override=f"127.0.0.1:{port}",
            scheme="http",
            region="us-east-1",
            request_timeout=OUTER_LIMIT_S,
            allow_bucket_creation=True,
        )
        self._folders = count(1)

    def new_folder(self) -> str:
        """Return a name that no other test has."""
        return f"folder-{next(self._folders)}"

    def uri(self, path: str) -> str:
        options = f"endpoint_override=127.0.0.1:{self.port}&scheme=http&region=us-east-1"
        return f"s3://me:secret@bucket/{path}?{options}&allow_bucket_creation=true"

    def write(self, path: str, content: bytes) -> None:
        with self.files.open_output_stream(f"bucket/{path}", compression=None) as stream:
            stream.write(content)

    def read(self, path: str) -> bytes:
        with self.files.open_input_stream(f"bucket/{path}", compression=None) as stream:
            return bytes(stream.read())

    def names(self) -> list[str]:
        listed = self.files.get_file_info(fs.FileSelector("bucket", recursive=True))
        return sorted(each.path for each in listed if each.type is fs.FileType.File)


def answers(bucket: Bucket) -> bool:
    try:
        bucket.files.create_dir("bucket")
    except OSError:
        return False
    return True


@contextmanager
def bucket_of_a_server(directory: Path) -> Iterator[Bucket]:
    """An empty bucket; the server has its log in *directory*, and ends with the block."""
    (port,) = free_ports(1, "127.0.0.1")
    watch(directory)
    server = Path(sys.executable).with_name("moto_server")
    with (directory / "log").open("wb") as output:
        process = subprocess.Popen(
            [str(server), "-H", "127.0.0.1", "-p", str(port)], stdout=output, stderr=output
        )
    try:
        bucket = Bucket(port)
        wait_until(lambda: answers(bucket), what="the S3 server")
        yield bucket
    finally:
        process.kill()
        process.wait(OUTER_LIMIT_S)
