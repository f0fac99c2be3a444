"""URIs of files: the file system behind one, and how it is shown to people."""

import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from kadmin.errors import KadminError, UnreachableError

OF_HADOOP: Final = ("hdfs://", "viewfs://")
HADOOP_HINT: Final = (
    "Hadoop's libhdfs and its classes are needed:"
    ' export ARROW_LIBHDFS_DIR="$HADOOP_HOME/lib/native" CLASSPATH="$(hadoop classpath --glob)"'
)
S3_ANSWER_S: Final = 30.0
"""How long S3 may take for an answer, each of three times.  AWS's SDK gives up after 3 s and asks
again, up to 30 times: a store that is slower never answers it."""
SCHEMES_HINT: Final = "file:, hdfs:, s3: (s3a:) and gs: are understood; copy other files here first"


def is_uri(path: str) -> bool:
    return "://" in path


def shown(path: str) -> str:
    """Return *path* for people: a URI without user, password and options."""
    if not is_uri(path):
        return path
    scheme, _, rest = path.partition("?")[0].partition("://")
    authority, slash, inner = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{inner}"


def inner_uri(uri: str, path: str) -> str:
    """Return the URI of *path* in the file system of *uri*."""
    base, mark, query = uri.partition("?")
    scheme, _, rest = base.partition("://")
    authority = rest.partition("/")[0]
    if not path.startswith("/"):
        # What stands for a server is a bucket, with which the paths of its file system begin.
        user, at, _ = authority.rpartition("@")
        authority = f"{user}{at}"
    return f"{scheme}://{authority}{quote(path)}{mark}{query}"


def filesystem_of(uri: str) -> tuple[Any, str]:
    """Return pyarrow's file system for *uri* and the path inside it.

    Hadoop's names of S3 are understood, too.

    Raises:
        KadminError: pyarrow knows no such scheme, or lacks what the scheme needs.
        UnreachableError: no server answers there.
    """
    import pyarrow as pa
    from pyarrow import fs

    try:
        filesystem, inner = fs.FileSystem.from_uri(re.sub("^s3[an]://", "s3://", uri))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise KadminError(
            f"cannot open {shown(uri)}: {str(error).splitlines()[0]}",
            hint=HADOOP_HINT if uri.startswith(OF_HADOOP) else SCHEMES_HINT,
        ) from error
    if uri.startswith(OF_HADOOP):
        require_root(filesystem, uri)
    if filesystem.type_name == "s3":
        # A URI cannot say it; what a copy is made of can.
        _, (options,) = filesystem.__reduce__()
        filesystem = fs.S3FileSystem(**{**options, "request_timeout": S3_ANSWER_S})
    return filesystem, inner


def require_root(filesystem: Any, uri: str) -> None:
    """Raise if the server of *uri* does not answer: libhdfs reports that as a missing file.

    Raises:
        UnreachableError: not even the root is there.
    """
    from pyarrow.fs import FileType

    if filesystem.get_file_info("/").type is FileType.NotFound:
        server = "/".join(shown(uri).split("/")[:3])
        raise UnreachableError(
            f"{server} does not answer", hint="is that the name node, and does it run?"
        )


def local_path(path: str) -> str:
    """Return a `file:` URI as the plain path that it is; all else as it stands."""
    if not path.startswith("file:/"):
        return path
    return str(Path(unquote(path.removeprefix("file:").removeprefix("//"))))
