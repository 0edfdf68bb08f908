"""Verbs where the server stores CloneSets as v1beta1 and serves both versions (cloneset.md §1.8, §1.9; fault B072)."""

from typing import Any

import pytest

from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.releases import Release
from tests.verbs.conftest import Shell

STRATEGY = {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible"}}
ROLLING = "/spec/updateStrategy/rollingUpdate"


class Newer(Shell):
    def __init__(self) -> None:
        super().__init__(release=Release.MAIN)

    def create(self, strategy: dict[str, Any] | None = None, **spec: Any) -> None:
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "shop/web:1"}]}}
        self.admin.create(
            CLONESET.path("shop", version="v1beta1"),
            {
                "apiVersion": "apps.kruise.io/v1beta1", "kind": "CloneSet", "metadata": {"name": "web"},
                "spec": {
                    "replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": template,
                    "scaleStrategy": {"excludePreparingDelete": True}, "updateStrategy": strategy or STRATEGY, **spec,
                },
            },
        )  # fmt: skip

    def spec(self, version: str = "v1beta1") -> Any:
        return self.admin.get(CLONESET.path("shop", "web", version=version))["spec"]

    def spoken(self) -> set[str]:
        return {
            request.target.split("/")[3] for request in self.transport.seen if "/clonesets" in request.target
        }


@pytest.fixture
def newer() -> Newer:
    return Newer()


@pytest.mark.parametrize(
    ("line", "path", "value"),
    [
        ("rollout pause cs/web", "paused", True),
        ("rollout partition cs/web 2", "partition", 2),
    ],
)
def test_a_switch_is_set_where_both_versions_show_it(newer: Newer, line: str, path: str, value: Any) -> None:
    """fault B072"""
    newer.create()

    newer.check(line, 0)

    assert newer.spec()["updateStrategy"]["rollingUpdate"][path] == value
    assert newer.spec("v1alpha1")["updateStrategy"][path] == value
    assert newer.spoken() == {"v1beta1"}
    assert newer.spec()["scaleStrategy"]["excludePreparingDelete"], "no write went through v1alpha1"


def test_resume_undoes_a_pause(newer: Newer) -> None:
    newer.create()
    newer.check("rollout pause cs/web", 0)

    newer.check("rollout resume cs/web", 0)

    assert not newer.spec()["updateStrategy"]["rollingUpdate"].get("paused")


def test_images_and_replicas(newer: Newer) -> None:
    newer.create()

    newer.check("set image cs/web app=shop/web:2", 0)
    newer.check("scale cs/web --replicas 7", 0)

    spec = newer.spec()
    assert (spec["replicas"], spec["template"]["spec"]["containers"][0]["image"]) == (7, "shop/web:2")
    assert spec["scaleStrategy"]["excludePreparingDelete"]
    assert newer.spoken() == {"v1beta1"}


@pytest.mark.parametrize("line", ["get cs", "get cs web", "tree cs/web", "rollout history cs/web"])
def test_reads_speak_the_stored_version(newer: Newer, line: str) -> None:
    newer.create()

    newer.check(line, 0)

    assert newer.spoken() == {"v1beta1"}


def test_a_version_that_is_asked_for_is_spoken(newer: Newer) -> None:
    newer.create()

    newer.check("rollout pause clonesets.v1alpha1.apps.kruise.io/web", 0)

    assert newer.spoken() == {"v1alpha1"}
    assert newer.spec()["updateStrategy"]["rollingUpdate"]["paused"]


def test_on_delete_is_told(newer: Newer) -> None:
    newer.create({"type": "OnDelete"})

    _, _, plan = newer.run(["set", "image", "cs/web", "app=shop/web:2", "--dry-run=client"])
    code, _, refused = newer.run(["rollout", "pause", "cs/web"])

    assert "each gets the new template when it is deleted (update type OnDelete)" in plan
    assert code != 0
    assert "OnDelete" in refused


def test_the_release_before_is_spoken_to_as_ever(shell: Shell) -> None:
    shell.cloneset()

    shell.check("rollout pause cs/web", 0)

    assert all("/v1alpha1/" in request.target for request in shell.transport.seen)
    assert len(shell.transport.seen) == 2
