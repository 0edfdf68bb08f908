import os

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.discovery import KEEP_SECONDS, Discovery
from kubectl_kruise.errors import NotFoundError, UnknownTypeError
from tests.cluster.test_client import Scripted, answer

KRUISE = "apps.kruise.io"


class Server:
    """What is asked for is noted; `groups` maps a group to its versions, the preferred one last."""

    def __init__(self, **groups):
        self.groups = {name.replace("_", "."): versions for name, versions in groups.items()}
        self.asked = []
        self.plurals = {}

    def __call__(self, path):
        self.asked.append(path)
        if path == "/api":
            return {"versions": ["v1"]}
        group, _, version = path.removeprefix("/apis/").partition("/")
        if group not in self.groups or (version and version not in self.groups[group]):
            raise NotFoundError(f"no {group}")
        if version:
            return {"resources": [{"name": name} for name in self.plurals.get(version, ())]}
        versions = self.groups[group]
        return {
            "versions": [{"version": version} for version in versions],
            "preferredVersion": {"version": versions[-1]},
        }


def test_the_preferred_version_comes_first():
    assert Discovery(Server(apps_kruise_io=["v1alpha1", "v1beta1"]), None).served(KRUISE) == (
        "v1beta1",
        "v1alpha1",
    )


def test_the_core_group():
    assert Discovery(Server(), None).served("") == ("v1",)


def test_a_group_is_asked_for_once():
    server = Server(apps=["v1"])
    discovery = Discovery(server, None)

    assert [discovery.served("apps"), discovery.served("apps")] == [("v1",), ("v1",)]
    assert server.asked == ["/apis/apps"]


class TestResources:
    """Versions of one resource: those of its group that have it."""

    @pytest.fixture
    def server(self):
        server = Server(apps_kruise_io=["v1beta1", "v1alpha1"])
        server.plurals = {"v1alpha1": ["clonesets", "statefulsets"], "v1beta1": ["statefulsets"]}
        return server

    def test_a_version_may_lack_it(self, server):
        discovery = Discovery(server, None)

        assert discovery.served(KRUISE, "clonesets") == ("v1alpha1",)
        assert discovery.served(KRUISE, "statefulsets") == ("v1alpha1", "v1beta1")

    def test_it_is_asked_for_once_by_all_processes(self, server, tmp_path):
        for _ in range(2):
            Discovery(server, tmp_path / "cache.json").served(KRUISE, "clonesets")

        assert server.asked == [f"/apis/{KRUISE}", f"/apis/{KRUISE}/v1alpha1", f"/apis/{KRUISE}/v1beta1"]

    def test_one_that_was_missing_is_asked_for_again(self, server, tmp_path):
        first = Discovery(server, tmp_path / "cache.json")
        before = first.served(KRUISE, "daemonsets")
        server.plurals["v1alpha1"].append("daemonsets")

        assert before == ()
        assert first.served(KRUISE, "daemonsets") == ("v1alpha1",)
        assert Discovery(server, tmp_path / "cache.json").served(KRUISE, "daemonsets") == ("v1alpha1",)

    def test_a_version_that_goes_while_it_is_asked_about(self, server):
        server.groups[KRUISE].append("v2")
        discovery = Discovery(server, None)
        discovery.served(KRUISE)
        server.groups[KRUISE].remove("v2")

        assert discovery.served(KRUISE, "clonesets") == ("v1alpha1",)

    def test_the_core_group(self):
        over = Scripted(answer({"versions": ["v1"]}), answer({"resources": [{"name": "pods"}]}))

        assert Client(over).served("", "pods") == ("v1",)


def test_a_missing_group_may_come(tmp_path):
    server = Server()
    discovery = Discovery(server, tmp_path / "cache.json")
    before = discovery.served(KRUISE)
    server.groups[KRUISE] = ["v1alpha1"]

    assert (before, discovery.served(KRUISE)) == ((), ("v1alpha1",))


def test_the_next_process_reads_the_file(tmp_path):
    file = tmp_path / "deep" / "cache.json"
    Discovery(Server(apps=["v1"]), file).served("apps")
    Discovery(Server(batch=["v1"]), file).served("batch")

    later = Discovery(Server(), file)

    assert (later.served("apps"), later.served("batch")) == (("v1",), ("v1",))
    assert [path.name for path in file.parent.iterdir()] == ["cache.json"]


@pytest.mark.parametrize("age", [KEEP_SECONDS, -1], ids=["old", "from the future"])
def test_a_file_of_another_time_is_not_believed(tmp_path, age):
    file = tmp_path / "cache.json"
    Discovery(Server(apps=["v1"]), file).served("apps")
    os.utime(file, (1000, 1000))

    assert Discovery(Server(apps=["v2"]), file, now=lambda: 1000 + age).served("apps") == ("v2",)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"served": []}', '{"served": {"apps": "v9"}}', "\x80"])
def test_a_spoilt_file_does_not_matter(tmp_path, text):
    file = tmp_path / "cache.json"
    file.write_bytes(text.encode("latin-1"))

    assert Discovery(Server(apps=["v1"]), file).served("apps") == ("v1",)
    assert Discovery(Server(), file).served("apps") == ("v1",)


def test_a_file_that_cannot_be_written_does_not_matter(tmp_path):
    (tmp_path / "file").touch()

    assert Discovery(Server(apps=["v1"]), tmp_path / "file" / "cache.json").served("apps") == ("v1",)


def test_a_version_that_is_gone_is_looked_up_again(tmp_path):
    file = tmp_path / "cache.json"
    Discovery(Server(apps_kruise_io=["v1alpha1"]), file).served(KRUISE)
    gone = answer(b"404 page not found", 404)
    now = answer({"versions": [{"version": "v1beta1"}], "preferredVersion": {"version": "v1beta1"}})
    client = Client(Scripted(gone, now), cache=file)

    before = client.served(KRUISE)
    with pytest.raises(UnknownTypeError):
        client.get(f"/apis/{KRUISE}/v1alpha1/clonesets")

    assert (before, client.served(KRUISE)) == (("v1alpha1",), ("v1beta1",))
    assert Discovery(Server(), file).served(KRUISE) == ("v1beta1",)


def test_resources_of_a_version():
    listed = {"resources": [{"name": "clonesets"}, {"name": "clonesets/scale"}]}
    over = Scripted(answer(listed), answer({"resources": None}))
    discovery = Client(over).discovery

    assert [entry["name"] for entry in discovery.resources(KRUISE, "v1alpha1")] == [
        "clonesets",
        "clonesets/scale",
    ]
    assert discovery.resources("", "v1") == []
    assert over.targets == [f"/apis/{KRUISE}/v1alpha1", "/api/v1"]
