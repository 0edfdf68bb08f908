"""Verbs where the server stores CloneSets as v1beta1 and serves both versions (cloneset.md §1.8, §1.9; fault B072)."""

from collections.abc import Callable
from typing import Any

import pytest

from kubectl_kruise.cluster.discovery import Discovery
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.releases import Release
from tests.verbs.conftest import Shell

STRATEGY = {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible"}}
ROLLING = "/spec/updateStrategy/rollingUpdate"


class Newer(Shell):
    def __init__(self) -> None:
        super().__init__(release=Release.MAIN)

    def create(
        self,
        strategy: dict[str, Any] | None = None,
        labels: dict[str, str] | None = None,
        **spec: Any,
    ) -> None:
        template = {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "app", "image": "shop/web:1"}]},
        }
        self.admin.create(
            CLONESET.path("shop", version="v1beta1"),
            {
                "apiVersion": "apps.kruise.io/v1beta1", "kind": "CloneSet", "metadata": {"name": "web", "labels": labels or {}},
                "spec": {
                    "replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": template,
                    "scaleStrategy": {"excludePreparingDelete": True}, "updateStrategy": strategy or STRATEGY, **spec,
                },
            },
        )  # fmt: skip

    def spec(self, version: str = "v1beta1") -> Any:
        return self.admin.get(CLONESET.path("shop", "web", version=version))["spec"]

    def live(self) -> Any:
        return self.admin.get(CLONESET.path("shop", "web", version="v1beta1"))

    def spoken(self) -> set[str]:
        return {
            request.target.split("/")[3] for request in self.transport.seen if "/clonesets" in request.target
        }


class Believing(Discovery):
    """Has asked before the upgrade, and believes the answer."""

    def __init__(self, get: Callable[[str], Any]) -> None:
        super().__init__(get, None)
        self._known = {"apps.kruise.io": ("v1alpha1",), "apps.kruise.io/v1alpha1": ("clonesets",)}


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


@pytest.mark.parametrize(
    "line", ["rollout pause cs/web", "rollout pause cs -l team=shop", "rollout pause web"]
)
def test_an_upgrade_within_the_hour_is_noticed(newer: Newer, line: str) -> None:
    """What was served an hour ago is believed until an object shows that somebody writes a newer version."""
    newer.create(labels={"team": "shop"})
    newer.known = Believing(newer.admin.get)

    newer.check(line, 0)

    assert newer.spec()["scaleStrategy"]["excludePreparingDelete"]
    assert newer.spec()["updateStrategy"]["rollingUpdate"]["paused"]
    writes = [request.target for request in newer.transport.seen if request.method == "PATCH"]
    assert writes
    assert all("/v1beta1/" in target for target in writes)


@pytest.mark.parametrize(
    "line",
    [
        "rollout pause cs/web", "rollout partition cs/web 2", "rollout restart cs/web --yes", "set image cs/web app=shop/web:2",
        "scale cs/web --replicas 7", "scale cs/web --replicas 3 --yes", "scale cs/web --delete-pod web-a --yes",
        "scaledown cs/web --pods web-a",
    ],
)  # fmt: skip
def test_no_write_drops_a_field(newer: Newer, line: str) -> None:
    """Fields that only the newer version has stay, and so does what older tools wrote for it."""
    newer.create({"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "ReCreate"}})
    marks = {"apps.kruise.io/image-predownload-timeout-seconds": "300", "team": "shop"}
    newer.admin.patch(
        CLONESET.path("shop", "web", version="v1alpha1"),
        Patch(PatchType.MERGE, {"metadata": {"annotations": marks}}),
    )
    newer.admin.patch(
        CLONESET.path("shop", "web", version="v1beta1"),
        Patch(PatchType.MERGE, {"spec": {"scaleStrategy": {"excludePreparingDelete": True}}}),
    )
    newer.pod("web-a", newer.live())
    before = newer.live()

    newer.check(line, 0)

    assert _kept(before, newer.live()) == []


def _kept(before: Any, after: Any, path: str = "") -> list[str]:
    """Name the fields that were there and are not."""
    if isinstance(before, dict) and isinstance(after, dict):
        lost = [f"{path}.{key}" for key in before if key not in after]
        return lost + [
            each for key in before if key in after for each in _kept(before[key], after[key], f"{path}.{key}")
        ]
    return []


def test_what_only_the_newer_version_refuses_is_offered_through_the_older(
    newer: Newer,
) -> None:  # cloneset.md Q1
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "shop/web:1"}]},
    }
    strategy = {"type": "InPlaceIfPossible", "maxUnavailable": 0, "maxSurge": 1}
    newer.admin.create(
        CLONESET.path("shop", version="v1alpha1"),
        {
            "apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template, "updateStrategy": strategy},
        },
    )  # fmt: skip

    _, _, refused = newer.run(["rollout", "pause", "cs/web"])
    newer.check("rollout pause clonesets.v1alpha1.apps.kruise.io/web", 0)

    assert refused.splitlines()[-1] == "  hint: v1alpha1 takes it: clonesets.v1alpha1.apps.kruise.io/web"


def test_a_write_that_drops_a_field_is_warned_of(newer: Newer) -> None:  # cloneset.md Q28
    newer.create()

    _, _, told = newer.run(["rollout", "pause", "clonesets.v1alpha1.apps.kruise.io/web"])
    _, _, quiet = newer.run(["rollout", "resume", "cs/web"])

    assert "Warning: a write through v1alpha1 drops scaleStrategy.excludePreparingDelete" in told
    assert "Warning" not in quiet
