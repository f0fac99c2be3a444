"""The running command with other options, as a line that can be pasted."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from kadmin.cli.options import is_given, own_options
from kadmin.quoting import quoted


def command_line(name: str, values: Mapping[str, Any], *, without: Collection[str] = ()) -> str:
    """`kadmin NAME` with those options of the running command for which *values* say anything, by
    their parameters, but for those *without*; in the order of the help."""
    return " ".join(["kadmin", name, *words_of(values, without)])


def words_of(values: Mapping[str, Any], without: Collection[str]) -> Iterator[str]:
    for parameter, option in own_options(values).items():
        value = values[parameter]
        if parameter in without or not is_given(option, value):
            continue
        for each in value if option.multiple else (value,):
            yield option.opts[0]
            if not option.is_flag:
                yield quoted(str(each))
