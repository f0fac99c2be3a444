"""The wheel: what is installed, and what stays in the checkout."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.support.checkout import CHECKOUT

SHARED = {
    "completions/_kadmin": "share/zsh/site-functions/_kadmin",
    "completions/kadmin.bash": "share/bash-completion/completions/kadmin",
    "completions/kadmin-kafka.bash": "share/bash-completion/completions/kadmin-kafka",
    "completions/kadmin.fish": "share/fish/vendor_completions.d/kadmin.fish",
    "completions/kadmin-kafka.fish": "share/fish/vendor_completions.d/kadmin-kafka.fish",
}


@pytest.mark.slow
def test_the_wheel_has_the_product_and_its_generated_files_and_no_tests(tmp_path: Path) -> None:
    (path,) = WheelBuilder(str(CHECKOUT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(path) as wheel:
        contents = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}

    data = {
        name.partition(".data/data/")[2]: content
        for name, content in contents.items()
        if ".data/data/" in name
    }
    pages = {f"man/{page.name}": f"share/man/man1/{page.name}" for page in CHECKOUT.glob("man/*")}
    beside_code = {
        str(file.relative_to(CHECKOUT))
        for package in ("cluster", "kadmin")
        for file in (CHECKOUT / package).rglob("*")
        if file.suffix in (".css", ".html", ".js", ".json", ".svg")
    }
    packages = {name.split("/")[0] for name in contents if "-" not in name.split("/")[0]}
    assert {"cluster", "kadmin"} == packages
    assert set() == beside_code - contents.keys()
    assert {
        shared: (CHECKOUT / source).read_bytes() for source, shared in {**SHARED, **pages}.items()
    } == data
