"""Which real clusters does this test run have, each started when it is first asked for?"""

from pathlib import Path
from typing import Final

from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.releases import KAFKA

BROKERS: Final = {"2.8.2": 3}
"""How many brokers a release has, where it is not two."""

RACKS: Final = {"2.8.2": ("a", "b", "c")}


class Fleet:
    """One cluster for each release, in a chroot of its own, alive until the end of the run."""

    def __init__(self, *, zookeeper_connect: str, java: str, directory: Path, maven: Maven) -> None:
        self.zookeeper_connect = zookeeper_connect
        self.java = java
        self.directory = directory
        self.maven = maven
        self.clusters: dict[str, RealCluster] = {}

    def cluster(self, release: str) -> RealCluster:
        """The running cluster of *release*.

        Raises:
            MavenSilent: its jars are not there and cannot be fetched.
        """
        if release not in self.clusters:
            cluster = RealCluster(
                release,
                f"{self.zookeeper_connect}/kafka-{release}",
                java=self.java,
                class_path=self.maven.class_path(KAFKA[release]),
                directory=self.directory / release,
                brokers=BROKERS.get(release, 2),
                racks=RACKS.get(release, ()),
            )
            # Noted before it is started: what of it runs must end even when a broker fails.
            self.clusters[release] = cluster
            cluster.start()
        return self.clusters[release]

    def kill(self) -> None:
        for cluster in self.clusters.values():
            cluster.leave_class_data()
            cluster.kill_all()
