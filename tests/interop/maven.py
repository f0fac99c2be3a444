"""How do the jars of a bundle get onto this machine, once?

Maven fetches them into a directory beside their final one, which is renamed when it is whole: a
killed Maven leaves nothing that is taken for complete.  Knows no release.
"""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from tests.interop.releases import Artifact, Bundle
from tests.support import checkout

CACHE: Final = checkout.CACHE / "kafka"

# In full: of a short name Maven only says that there is no such plugin when nothing answers.
COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"

FETCH_TIMEOUT_S: Final = 200.0
SILENCE: Final = ("Could not transfer", "Failure to transfer", "Unknown host", "timed out")
"""What Maven says when the registry did not answer; any other failure is ours."""


class MavenSilent(Exception):
    """Maven is not there, or its registry did not answer; the text says which."""


class Maven:
    """Fetches bundles into *cache*; a registry that was silent once is not asked again."""

    def __init__(self, cache: Path = CACHE, program: str = "mvn") -> None:
        self.cache = cache
        self.program = program
        self.silence: str | None = None

    def class_path(self, bundle: Bundle) -> str:
        """The jars of *bundle* as a Java class path, fetched if they are not there yet.

        Raises:
            MavenSilent: they are not there, and Maven or its registry does not answer.
        """
        directory = self.cache / bundle.name
        if not is_complete(directory, bundle):
            self.cache.mkdir(parents=True, exist_ok=True)
            with exclusive(self.cache / "lock"):
                if not is_complete(directory, bundle):
                    self.fetch(bundle, directory)
        return str(directory / "*")

    def fetch(self, bundle: Bundle, directory: Path) -> None:
        partial = directory.with_name(f"{directory.name}.partial")
        for leftover in (partial, directory):
            shutil.rmtree(leftover, ignore_errors=True)
        partial.mkdir()
        (partial / "pom.xml").write_text(pom(bundle))
        self.copy_dependencies(partial)
        assert list(partial.glob("*.jar")), f"Maven fetched no jar for {bundle.name}"
        partial.rename(directory)

    def copy_dependencies(self, directory: Path) -> None:
        if self.silence is not None:
            raise MavenSilent(self.silence)
        try:
            done = subprocess.run(
                [self.program, "-q", "-B", "-U", COPY, "-DoutputDirectory=."],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=FETCH_TIMEOUT_S,
            )
        except FileNotFoundError:
            self.fall_silent(f"there is no '{self.program}' on the PATH")
        except subprocess.TimeoutExpired:
            self.fall_silent(f"no end after {FETCH_TIMEOUT_S:g} s")
        else:
            said = done.stdout + done.stderr
            if done.returncode != 0 and any(sign in said for sign in SILENCE):
                self.fall_silent("its registry does not answer")
            assert done.returncode == 0, f"Maven failed in {directory}:\n{said[-4000:]}"

    def fall_silent(self, reason: str) -> None:
        self.silence = reason
        raise MavenSilent(reason)


@contextmanager
def needing_maven() -> Iterator[None]:
    """Skip the test whose jars are not there and cannot be fetched."""
    try:
        yield
    except MavenSilent as reason:
        pytest.skip(f"Maven: {reason}")


def is_complete(directory: Path, bundle: Bundle) -> bool:
    """Whether *directory* was fetched for the artifacts that *bundle* names today."""
    try:
        return (directory / "pom.xml").read_text() == pom(bundle)
    except FileNotFoundError:
        return False


def pom(bundle: Bundle) -> str:
    project = ElementTree.Element("project", xmlns="http://maven.apache.org/POM/4.0.0")
    children(
        project,
        modelVersion="4.0.0",
        groupId="kadmin.tests",
        artifactId=bundle.name,
        version="1",
        packaging="pom",
    )
    dependencies = ElementTree.SubElement(project, "dependencies")
    for artifact in bundle.artifacts:
        add_dependency(dependencies, artifact)
    ElementTree.indent(project)
    return ElementTree.tostring(project, encoding="unicode")


def add_dependency(dependencies: ElementTree.Element, artifact: Artifact) -> None:
    dependency = ElementTree.SubElement(dependencies, "dependency")
    children(dependency, groupId=artifact.group, artifactId=artifact.name, version=artifact.version)
    if artifact.alone:
        exclusions = ElementTree.SubElement(dependency, "exclusions")
        children(ElementTree.SubElement(exclusions, "exclusion"), groupId="*", artifactId="*")


def children(parent: ElementTree.Element, **texts: str) -> None:
    for tag, text in texts.items():
        ElementTree.SubElement(parent, tag).text = text


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file *path*, so that two test runs at once fetch once."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
