"""Volume claims that must not outlive their pod, where claims are not reused (cloneset.md §12.4)."""

from collections.abc import Callable, Sequence

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.writing.population import Population, server_words
from kubectl_kruise.engine.cloneset.claims import hand_over, sort_claims
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import PVC
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of

Warn = Callable[[str, str], None]
"""Takes reason and message of a warning event."""


class ClaimKeeper:
    """Hands claims of ending pods over to them and deletes those that no pod has."""

    def __init__(self, cluster: Cluster, population: Population) -> None:
        self._cluster, self._population = cluster, population

    def clean(
        self,
        view: CloneSet,
        claims: Sequence[Raw],
        *,
        active: Sequence[Raw],
        inactive: Sequence[Raw],
        warn: Warn,
    ) -> Sequence[Raw]:
        """Give the claims that stay; all of them where they may be reused."""
        if view.reuse_claims:
            return claims
        sorted_out = sort_claims(claims, active, inactive)
        for claim, pod in sorted_out.orphaned:
            try:
                self._cluster.replace(
                    PVC.path(namespace_of(claim), name_of(claim)), hand_over(view, claim, pod)
                )
            except KruiseError as error:
                warn("FailedUpdate", f"failed to hand over pvc {name_of(claim)}: {server_words(error)}")
                raise
        for claim in sorted_out.unused:
            try:
                self._population.delete(Key(view.namespace, view.name), PVC, claim)
            except KruiseError as error:
                warn("FailedDelete", f"failed to delete pvc {name_of(claim)}: {server_words(error)}")
                raise
        return sorted_out.kept
