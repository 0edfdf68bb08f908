"""What is read for a tree, and in which version."""

from kubectl_kruise.errors import NotAllowedError
from kubectl_kruise.facts.kinds import CLONESET, HPA, IMAGE_PULL_JOB, PDB, POD
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.tree import read_family

WEB = {
    "apiVersion": "apps.kruise.io/v1alpha1",
    "metadata": {"name": "web", "namespace": "shop", "uid": "w"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}},
    },
}
MINE, LOOSE = {"uid": "w", "controller": True}, {"uid": "w"}


class Cluster:
    """Serves `objects` by path; its pull jobs only in the older version, although the group has the newer one too."""

    namespace, context, server = "shop", "", ""

    def __init__(self, objects: dict[str, list[dict]], refused: str = "") -> None:
        self.objects, self.refused = objects, refused

    def served(self, group: str, plural: str = "", *, fresh: bool = False) -> tuple[str, ...]:
        known = {IMAGE_PULL_JOB.group: ("v1beta1", "v1alpha1"), HPA.group: ("v2", "v1")}
        return ("v1alpha1",) if plural == IMAGE_PULL_JOB.plural else known[group]

    def list(self, path: str, **_: object) -> dict:
        if self.refused and path.endswith(self.refused):
            raise NotAllowedError("no")
        return {"items": self.objects.get(path, [])}


def owned(name: str, owner: dict) -> dict:
    return {"metadata": {"name": name, "uid": name, "ownerReferences": [owner]}}


def test_a_version_is_looked_up_per_resource() -> None:
    path = IMAGE_PULL_JOB.path("shop", version="v1alpha1")

    family = read_family(Cluster({path: [owned("pull", MINE)]}), Workload(WEB, CLONESET))

    assert [job["metadata"]["name"] for job in family.pull_jobs] == ["pull"]


def test_pods_are_those_it_controls() -> None:
    pods = [owned("mine", MINE), owned("loose", LOOSE), owned("other", {"uid": "x", "controller": True})]

    family = read_family(Cluster({POD.path("shop"): pods}), Workload(WEB, CLONESET))

    assert [pod["metadata"]["name"] for pod in family.pods] == ["mine"]


def test_what_may_not_be_listed_is_named() -> None:
    family = read_family(Cluster({}, refused="poddisruptionbudgets"), Workload(WEB, CLONESET))

    assert family.unread == ("poddisruptionbudgets",)


def test_a_budget_whose_selector_cannot_be_read_guards_nothing() -> None:
    budgets = [
        {
            "metadata": {"name": "odd"},
            "spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "?"}]}},
        },
        {"metadata": {"name": "all"}, "spec": {"selector": {}}},
        {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}}}},
    ]

    family = read_family(Cluster({PDB.path("shop"): budgets}), Workload(WEB, CLONESET))

    assert [budget["metadata"]["name"] for budget in family.budgets] == ["web"]
