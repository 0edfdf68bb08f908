"""Makes a set the controller of what is its own, and lets go of what is not (advanced-statefulset.md §9 [I-8], [I-9])."""

from collections.abc import Iterable, Sequence

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.engine.statefulset.ownership import adoption, claim_pods, release, unowned_revisions
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, STATEFULSET
from kubectl_kruise.objects.raw import Raw, deleting, name_of, namespace_of, uid_of
from kubectl_kruise.objects.selector import Selector


class Adopter:
    """Asks the server before it adopts: the cache may show a set that is gone, or another one of its name."""

    def __init__(self, cluster: Cluster, versions: VersionExpectations) -> None:
        self._cluster, self._versions = cluster, versions
        self._writer = PodWriter(cluster, versions)

    def claim_pods(self, view: AdvancedStatefulSet, selector: Selector, pods: Iterable[Raw]) -> list[Raw]:
        """Give the pods that count; those that fit and have no controller are adopted, those that do not fit released.

        Raises the KruiseError of a refused request.
        """
        claim = claim_pods(view, selector, pods)
        for pod in claim.released:
            self._let_go(view, pod)
        if claim.adopted and not self._lives(view):
            return list(claim.kept)
        adopted = [self._writer.patch(pod, adoption(view, pod)) for pod in claim.adopted]
        return sorted((*claim.kept, *adopted), key=name_of)

    def adopt_revisions(self, view: AdvancedStatefulSet, revisions: Sequence[Raw]) -> list[Raw]:
        """Give the revisions with a controller each; raises ConflictError where the set is another one by now."""
        orphans = {uid_of(revision) for revision in unowned_revisions(revisions)}
        if not orphans:
            return list(revisions)
        if (live := self._live(view)) is None or uid_of(live) != view.uid:
            raise ConflictError(f"StatefulSet {view.namespace}/{view.name} is gone or another one by now")
        return [self._adopt(view, each) if uid_of(each) in orphans else each for each in revisions]

    def _adopt(self, view: AdvancedStatefulSet, revision: Raw) -> Raw:
        path = CONTROLLER_REVISION.path(namespace_of(revision), name_of(revision))
        adopted = self._cluster.patch(path, Patch(PatchType.STRATEGIC, adoption(view, revision)))
        self._versions.expect(adopted)
        return adopted

    def _let_go(self, view: AdvancedStatefulSet, pod: Raw) -> None:
        """Take the reference away; a pod that is gone, or has become another, has none of ours."""
        try:
            self._writer.patch(pod, release(view, pod))
        except (NotFoundError, ConflictError):
            return

    def _lives(self, view: AdvancedStatefulSet) -> bool:
        live = self._live(view)
        return live is not None and uid_of(live) == view.uid and not deleting(live)

    def _live(self, view: AdvancedStatefulSet) -> Raw | None:
        try:
            return self._cluster.get(STATEFULSET.path(view.namespace, view.name))
        except NotFoundError:
            return None
