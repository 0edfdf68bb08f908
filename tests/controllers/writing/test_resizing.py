"""How running pods get new resources on new and old clusters (cloneset.md §19.2)."""

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.resizing import Resizer, server_version
from kubectl_kruise.objects.raw import Raw


@pytest.mark.parametrize(
    ("major", "minor", "expected"),
    [
        ("1", "36", (1, 36)),
        ("1", "32+", (1, 32)),
        ("1", "31-eks-1", (1, 31)),
        ("", "", (0, 0)),
        ("one", "2", (0, 0)),
        (None, None, (0, 0)),
    ],
)
def test_the_version_is_read_leniently(major: str, minor: str, expected: tuple[int, int]) -> None:
    assert server_version({"major": major, "minor": minor}) == expected


RESIZED = {"main": {"limits": {"cpu": "400m"}}}


class Server:
    """A server of a version that takes every patch and counts what it was asked."""

    def __init__(self, minor: str) -> None:
        self.minor, self.asked, self.patched = minor, 0, []

    def get(self, path: str) -> Raw:
        assert path == "/version"
        self.asked += 1
        return {"major": "1", "minor": self.minor}

    def patch(self, path: str, patch: Patch) -> Raw:
        self.patched.append((path, patch.type, patch.body))
        return pod("400m", version="2")


def pod(limit: str, version: str = "1") -> Raw:
    return {
        "metadata": {"name": "p", "namespace": "n", "uid": "u", "resourceVersion": version},
        "spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": limit}}}]},
    }


def resizer(server: Server) -> Resizer:
    return Resizer(server, PodWriter(server, VersionExpectations(VirtualClock())))


def test_the_subresource_takes_what_differs_and_the_answer_is_written_on() -> None:
    server = Server("32")
    one = resizer(server)

    assert one.resize(pod("200m"), RESIZED) == pod("400m", version="2")
    assert one.resize(pod("400m"), RESIZED) == pod("400m")
    assert server.patched == [
        (
            "/api/v1/namespaces/n/pods/p/resize",
            PatchType.STRATEGIC,
            {"spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "400m"}}}]}},
        )
    ]
    assert server.asked == 1


def test_older_clusters_take_the_resources_with_the_pod() -> None:
    server = Server("31")

    assert resizer(server).resize(pod("200m"), RESIZED) == pod("400m")
    assert server.patched == []


def test_an_update_without_resources_asks_nothing() -> None:
    server = Server("36")

    assert resizer(server).resize(pod("200m"), {}) == pod("200m")
    assert server.asked == 0
