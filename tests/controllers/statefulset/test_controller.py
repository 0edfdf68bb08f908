"""The controller of Advanced StatefulSets at work, beyond what the recordings show."""

import json
from collections import Counter

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import IMAGE_PULL_JOB, POD, PVC, STATEFULSET
from kubectl_kruise.objects.raw import labels_of, metadata, name_of, owner_of
from tests.controllers.statefulset.stories import WITH_CLAIMS
from tests.controllers.statefulset.world import CLAIMS, World
from tests.controllers.world import GATES, NAMESPACE, Death


@pytest.fixture
def world() -> World:
    return World()


def condition(world: World) -> str:
    """The type of the one condition, "" without one."""
    found = world.status().get("conditions") or [{}]
    return found[0].get("type", "")


def test_defaults_are_never_written() -> None:
    world = World(webhooks=False)
    created = world.create(2)
    world.run()

    assert world.names() == {"web-0", "web-1"}
    assert world.live()["spec"] == created["spec"]


def test_a_set_whose_template_it_does_not_select_makes_nothing() -> None:
    world = World(webhooks=False)
    world.create(2, spec={"selector": {"matchLabels": {"app": "other"}}})
    world.run()

    assert world.pods() == []
    assert world.reasons() == Counter(FailedCreate=1)


@pytest.mark.parametrize("sent", [False, True], ids=["before the write", "before its answer"])
def test_goes_on_after_a_death_at_any_write(sent: bool) -> None:
    """A set with claims is created, updated in place, then scaled in; the process dies once, anywhere.

    Each write is one that it dies at, every other one in each of the two ways.
    """
    survived = World()
    _story(survived)

    for last in range(1 + sent, survived.transport.writes + 1, 2):
        world = World()
        world.start(last, sent=sent)
        _story(world)

        status = world.status()
        assert (status["availableReplicas"], status["updatedReplicas"]) == (1, 1), f"died at write {last}"
        assert (world.images(), world.restarts()) == (["nginx:2"], [1]), f"died at write {last}"
        assert world.claims() == {"data-web-0": ["StatefulSet"]}, f"died at write {last}"


def _story(world: World) -> None:
    acts = (
        lambda: world.create(2, spec=WITH_CLAIMS),
        lambda: world.set_image("nginx:2"),
        lambda: world.change({"replicas": 1}),
    )
    for act in acts:
        act()
        try:
            world.run(10)
        except Death:
            world.start()
            world.run(10)


def test_the_first_refusal_stops_a_parallel_start(world: World) -> None:
    """Quirk 16: one pod that cannot be created keeps those of higher ordinals from it."""
    bare = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-1", "labels": {"app": "other"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
    }
    world.user.create(POD.path(NAMESPACE), bare)
    world.create(3)
    world.run()
    assert (world.names(), condition(world)) == ({"web-0", "web-1"}, "FailedCreatePod")

    world.user.delete(POD.path(NAMESPACE, "web-1"))
    world.run(60)
    assert (world.names(), condition(world)) == ({"web-0", "web-1", "web-2"}, "")


def test_a_claim_template_that_is_added_stops_every_pass(world: World) -> None:
    """Quirk 7: the volumes of a pod cannot be changed, so its repair is refused, and nothing else is done."""
    world.create(1)
    world.run()
    world.change({"replicas": 2, "volumeClaimTemplates": CLAIMS})
    world.run()
    assert world.names() == {"web-0"}
    assert world.reasons()["FailedUpdate"] >= 1


def test_a_pending_pod_waits_for_its_claim_to_be_gone(world: World) -> None:
    """[V-2], [V-3]: the pass ends at it, and once the claim is gone it is made again."""
    world.create(1, image="bad:1", spec={"volumeClaimTemplates": CLAIMS})
    world.run()
    path = PVC.path(NAMESPACE, "data-web-0")
    world.user.patch(path, Patch(PatchType.MERGE, {"metadata": {"finalizers": ["test.example/hold"]}}))
    world.user.delete(path)
    first = world.user.get(path)["metadata"]["uid"]
    world.change({"replicas": 2})
    world.run()
    assert world.names() == {"web-0"}

    world.user.patch(path, Patch(PatchType.MERGE, {"metadata": {"finalizers": None}}))
    world.run(60)
    assert world.user.get(path)["metadata"]["uid"] != first
    assert world.names() == {"web-0", "web-1"}


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({"ordinals": {"start": 2}}, {"web-2", "web-3"}),
        ({"ordinals": {"start": 2}, "reserveOrdinals": [3]}, {"web-2", "web-4"}),
    ],
)
def test_ordinals_start_where_the_gate_lets_them(spec: dict, names: set[str]) -> None:
    world = World(gates=GATES._replace(start_ordinal=True, pod_index_label=False))
    world.create(2, spec=spec)
    world.run()

    assert world.names() == names
    assert not any("apps.kubernetes.io/pod-index" in labels_of(pod) for pod in world.pods())


def test_images_are_pulled_ahead_of_an_update(world: World) -> None:
    """§17: one job for the container that changes, owned by the set; all go when the update is complete."""
    world = World(gates=GATES._replace(image_predownload=True, image_pull_jobs=True))
    world.create(4, partition=3, maxUnavailable=1)
    world.run()
    world.set_image("nginx:2")
    world.run()
    (job,) = world.all(IMAGE_PULL_JOB)
    revision = world.status()["updateRevision"]
    assert name_of(job) == f"{revision}-main"
    assert (owner_of(job) or {})["kind"] == "StatefulSet"
    assert job["spec"]["image"] == "nginx:2"
    assert world.reasons()["CreatedImagePullJob"] == 1

    world.roll(partition=0)
    world.run(30)
    assert world.all(IMAGE_PULL_JOB) == []


def test_a_set_of_the_same_name_does_not_adopt_what_another_gave_up(world: World) -> None:
    """[I-8]: the server is asked before; a set that is being deleted adopts nothing."""
    world.user.create(
        POD.path(NAMESPACE),
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web-0", "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
        },
    )
    world.create(1, spec={"replicas": 0})
    path = STATEFULSET.path(NAMESPACE, "web")
    world.user.patch(path, Patch(PatchType.MERGE, {"metadata": {"finalizers": ["test.example/hold"]}}))
    world.user.delete(path)
    world.run()

    (pod,) = world.pods()
    assert owner_of(pod) is None
    assert world.writes()["PATCH pods"] == 0


def test_what_the_older_version_takes_away_is_gone_at_once(world: World) -> None:
    """K-2: a label written through it takes fields away, and no generation tells."""
    world.create(2, spec={"reserveOrdinals": [0]})
    world.run()
    assert world.names() == {"web-1", "web-2"}
    before = world.live()["metadata"]["generation"]

    labels = Patch(PatchType.MERGE, {"metadata": {"labels": {"team": "a"}}})
    world.user.patch(STATEFULSET.path(NAMESPACE, "web", version="v1alpha1"), labels)
    world.run()
    assert world.live()["metadata"]["generation"] == before
    assert world.names() == {"web-0", "web-1"}


@pytest.mark.parametrize(
    ("expands", "reason", "size"), [(True, "SuccessfulResize", "2Gi"), (False, "FailedResize", "1Gi")]
)
def test_claims_grow_where_their_class_lets_them(expands: bool, reason: str, size: str) -> None:
    """X-93 at work: the pod waits for its claim, or the rollout stops."""
    world = World(gates=GATES._replace(resize_claims=True))
    world.user.create(
        "/apis/storage.k8s.io/v1/storageclasses",
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "disk"},
            "provisioner": "test.example/none",
            "allowVolumeExpansion": True,
        },
    )
    templates = json.loads(json.dumps(CLAIMS))
    templates[0]["spec"]["storageClassName"] = "disk"
    world.create(
        1,
        spec={
            "volumeClaimTemplates": templates,
            "volumeClaimUpdateStrategy": {"type": "OnPodRollingUpdate"},
        },
    )
    world.run()
    templates[0]["spec"]["resources"]["requests"]["storage"] = "2Gi"
    world.change({"volumeClaimTemplates": templates})
    if not expands:  # the class changes behind the back of admission
        world.user.patch(
            "/apis/storage.k8s.io/v1/storageclasses/disk",
            Patch(PatchType.MERGE, {"allowVolumeExpansion": False}),
        )
    world.run()

    (claim,) = world.all(PVC)
    assert claim["spec"]["resources"]["requests"]["storage"] == size
    assert world.reasons()[reason] >= 1
    assert metadata(world.pods()[0])["name"] == "web-0"


def test_writes_each_pod_as_seldom_as_the_manager(world: World) -> None:
    """A pod is created and its two gates opened; an update closes and opens one and moves its state."""
    world.create(20, maxUnavailable="50%")
    world.run()
    created = world.writes()
    world.sandbox.hooks.requests.clear()
    world.set_image("nginx:2")
    world.run(20)

    assert set(world.images()) == {"nginx:2"}
    assert _to_pods(created) / 20 <= 3.1
    assert _to_pods(world.writes()) / 20 <= 4.3


def _to_pods(writes: Counter[str]) -> int:
    return sum(count for kind, count in writes.items() if " pods" in kind)
