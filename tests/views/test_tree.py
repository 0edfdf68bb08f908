"""The tree's words for pods and containers, without a cluster."""

from typing import Any

import pytest

from kubectl_kruise.engine.containers import ContainerProgress, Step
from kubectl_kruise.engine.phases import Phase, PodProgress
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, Kind
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.tree import Family
from kubectl_kruise.views.spans import plain
from kubectl_kruise.views.text import ASCII
from kubectl_kruise.views.tree import build_tree, tree_lines, tree_record

NOW = 1_767_225_600.0
APP = ContainerProgress("app", Step.DONE, "registry.example/shop/web:1.9.0")
POD = PodProgress(
    "web-a", "u", "web-new", Phase.AVAILABLE, updated=True, ready=True, available=True, containers=(APP,)
)


def family(kind: Kind = CLONESET) -> Family:
    raw: dict[str, Any] = {"kind": kind.kind, "metadata": {"name": "web", "namespace": "shop"}, "spec": {}}
    newest = {"metadata": {"name": "web-new"}, "revision": 2}
    return Family(Workload(raw, kind), [newest], [], [], [], [], [], [])


def lines(pod: PodProgress, kind: Kind = CLONESET) -> list[list[str]]:
    root = build_tree(family(kind), [pod], "web-old", "web-new", NOW, ASCII)
    return [line.split(maxsplit=2) for line in plain(tree_lines(root, ASCII)).splitlines()]


@pytest.mark.parametrize(
    ("container", "phase", "text"),
    [
        (APP, Phase.AVAILABLE, "web:1.9.0 ready"),
        (APP._replace(step=Step.KEPT, image="envoy:1.30"), Phase.RESTARTING, "envoy:1.30 running, kept"),
        (APP._replace(step=Step.KEPT, image="envoy:1.30"), Phase.AVAILABLE, "envoy:1.30 running"),
        (
            APP._replace(step=Step.PULLING, before="shop/web:1.8.2", since=NOW - 14),
            Phase.RESTARTING,
            "web:1.8.2->1.9.0 pulling 14s",
        ),
        (APP._replace(step=Step.NEXT, before="shop/api:1"), Phase.BATCH, "api:1->web:1.9.0 next"),
        (
            APP._replace(step=Step.STARTING, image=f"shop/web@sha256:{'b' * 64}"),
            Phase.STARTING,
            f"web@{'b' * 12} starting",
        ),
        (
            APP._replace(step=Step.FAILING, reason="CrashLoopBackOff", crashes="3 restarts"),
            Phase.FAILING,
            "web:1.9.0 CrashLoopBackOff (3 restarts)",
        ),
    ],
)
def test_a_container_is_shown_with_its_image(container: ContainerProgress, phase: Phase, text: str) -> None:
    assert lines(POD._replace(containers=(container,), phase=phase))[-1] == ["`-", "app", text]


@pytest.mark.parametrize(
    ("ready", "available", "word"),
    [(True, True, "available"), (True, False, "settling"), (False, False, "not ready")],
)
def test_pods_of_before_are_told_in_the_words_of_the_others(ready: bool, available: bool, word: str) -> None:
    old = POD._replace(revision="web-old", phase=Phase.OLD, updated=False, ready=ready, available=available)
    _, pods, pod, _ = lines(old)[-4:]

    assert pods[-1].endswith(f"1 pod, {int(available)} available")
    assert pod[-1].split(maxsplit=1)[-1] == word


@pytest.mark.parametrize(("kind", "word"), [(CLONESET, "update"), (DEPLOYMENT, "current")])
def test_the_newest_revision_is_marked_as_in_the_history(kind: Kind, word: str) -> None:
    root = build_tree(family(kind), [POD], "", "web-new", NOW, ASCII)

    assert tree_record(root)["children"][0]["role"] == word
