"""Hypothesis strategies for lines of state-change logs."""

from random import Random

from hypothesis import strategies as st

from kadmin.statechange.columns import StateChange
from kadmin.statechange.examples import draw_example, releases_of
from kadmin.statechange.language import Release, Template
from kadmin.statechange.templates import TEMPLATES

WRITTEN: list[tuple[Template, Release]] = [
    (template, version) for template in TEMPLATES for version in releases_of(template)
]
"""Every line format in every release that has it."""


@st.composite
def examples(draw: st.DrawFn) -> StateChange:
    """A line that some release may write, with what it says."""
    template, version = draw(st.sampled_from(WRITTEN))
    # A seed, not hypothesis' own choices: a line has some forty of them, and shrinking them gains
    # nothing that the template and its release do not say.
    return draw_example(template, version, Random(draw(st.integers(0, 2**32))))


def broken_lines() -> st.SearchStrategy[str]:
    """Lines with characters replaced, cut out, or cut off; and any text at all."""

    def break_up(line: str, at: int, length: int, instead: str) -> str:
        start = at % (len(line) + 1)
        return line[:start] + instead + line[start + length :]

    lines = examples().map(lambda example: example.text)
    broken = st.builds(
        break_up, lines, st.integers(0, 1000), st.sampled_from((0, 1, 5, 1000)), st.text(max_size=5)
    )
    return st.one_of(broken, st.text(), lines.map(lambda line: line[26:]))
