"""The colours of the page: can everything be read, in the light and in the dark?"""

import re

import pytest

from tests.support.checkout import CHECKOUT

STATIC = CHECKOUT / "kadmin" / "web" / "static"
CSS = (STATIC / "page.css").read_text()
PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", CSS
    )
}
TEXTS = ("text", "muted", "accent", "ok", "warning", "critical")
GROUNDS = ("ground", "surface", "raised")
READ = [
    *((text, ground) for text in TEXTS for ground in GROUNDS),
    *((name, f"{name}-ground") for name in ("ok", "warning", "critical")),
    *(("text", f"{name}-ground") for name in ("ok", "warning", "critical")),
    *(("muted", f"{name}-ground") for name in ("warning", "critical")),
    ("on-accent", "accent"),
]


def luminance(colour: str) -> float:
    """Source: WCAG 2.2, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_text_has_the_contrast_of_wcag_aa(theme: int) -> None:
    found = {
        (text, ground): contrast(PAIRS[text][theme], PAIRS[ground][theme]) for text, ground in READ
    }

    assert {} == {pair: round(each, 2) for pair, each in found.items() if each < 4.5}


def test_the_rule_is_that_of_wcag() -> None:
    assert 21.0 == round(contrast("#000000", "#ffffff"), 2)
    assert 4.48 == round(contrast("#777777", "#ffffff"), 2)


def test_colours_are_in_the_palette_alone() -> None:
    """Outside of it there is only what buttons of danger and print have."""
    rest = re.sub(r"--[\w-]+: light-dark\([^)]*\);", "", CSS)

    assert {"#ffffff", "#1b0706", "#999", "#fff"} >= set(re.findall(r"#[0-9a-f]{3,6}\b", rest))


def test_nothing_is_fetched_from_elsewhere() -> None:
    own = [*STATIC.iterdir(), *(STATIC.parent / "templates").iterdir()]
    addresses = {
        address
        for path in own
        for address in re.findall(r"(?:https?:)?//[\w.-]+\.\w+", path.read_text())
    }

    assert {"http://www.w3.org"} == addresses


def test_no_template_has_script_or_style_in_itself_or_trusts_a_text() -> None:
    pattern = re.compile(
        r"\|\s*safe|<style|\sstyle=|\son\w+=|<script(?! src=\"/static/)|autoescape"
    )
    texts = {path.name: path.read_text() for path in (STATIC.parent / "templates").iterdir()}

    assert {} == {name: found for name, text in texts.items() if (found := pattern.findall(text))}
