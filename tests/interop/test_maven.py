"""Is a bundle fetched once and whole, or not at all?"""

from pathlib import Path

import pytest

from tests.interop.maven import Maven, MavenSilent, pom
from tests.interop.releases import KAFKA, ZOOKEEPER, Artifact, Bundle

BUNDLE = Bundle("small-1", (Artifact("org.example", "small", "1"),))

COUNTS_AND_COPIES = """\
#!/bin/sh
echo fetched >> ../calls
touch small-1.jar
"""

DIES_HALF_WAY = """\
#!/bin/sh
touch half.jar
kill -9 $$
"""

HAS_NO_NETWORK = """\
#!/bin/sh
echo asked >> ../calls
echo "[ERROR] Could not transfer artifact org.example:small:jar:1 from/to there"
exit 1
"""


def program(directory: Path, text: str) -> str:
    path = directory / "mvn"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_a_bundle_is_fetched_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    mvn = program(tmp_path, COUNTS_AND_COPIES)

    class_paths = {Maven(cache, mvn).class_path(BUNDLE) for _ in range(3)}

    assert {str(cache / "small-1" / "*")} == class_paths
    assert (cache / "calls").read_text() == "fetched\n"


def test_a_killed_maven_leaves_nothing_that_is_taken_for_complete(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(AssertionError, match="Maven failed"):
        Maven(cache, program(tmp_path, DIES_HALF_WAY)).class_path(BUNDLE)
    assert not (cache / "small-1").exists()

    Maven(cache, program(tmp_path, COUNTS_AND_COPIES)).class_path(BUNDLE)

    jars = [path.name for path in (cache / "small-1").glob("*.jar")]
    assert jars == ["small-1.jar"]


def test_a_bundle_that_names_other_artifacts_is_fetched_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    maven = Maven(cache, program(tmp_path, COUNTS_AND_COPIES))
    maven.class_path(Bundle("small-1", (Artifact("org.example", "small", "0"),)))

    maven.class_path(BUNDLE)

    assert (cache / "calls").read_text() == "fetched\nfetched\n"


def test_a_registry_that_was_silent_is_not_asked_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    maven = Maven(cache, program(tmp_path, HAS_NO_NETWORK))

    for _ in range(2):
        with pytest.raises(MavenSilent, match="its registry does not answer"):
            maven.class_path(BUNDLE)

    assert (cache / "calls").read_text() == "asked\n"


def test_a_machine_without_maven_is_told_apart_from_a_failure(tmp_path: Path) -> None:
    with pytest.raises(MavenSilent, match="there is no 'no-such-mvn'"):
        Maven(tmp_path, "no-such-mvn").class_path(BUNDLE)


def test_every_bundle_has_a_directory_of_its_own() -> None:
    bundles = [*KAFKA.values(), *ZOOKEEPER.values()]

    assert len(bundles) == len({bundle.name for bundle in bundles})
    assert len(bundles) == len({pom(bundle) for bundle in bundles})
