"""What the controller of every workload of Kruise works with, and how long it has to wait before a pass."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.defaulting import Defaulter
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.opening import Keeper, Opening, View
from kubectl_kruise.controllers.predownload import Predownloader
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.revisions import RevisionKeeper
from kubectl_kruise.controllers.watching.expectations import ScaleExpectations, VersionExpectations
from kubectl_kruise.controllers.watching.overdue import Patience
from kubectl_kruise.controllers.watching.pulljobs import PullJobs
from kubectl_kruise.controllers.writing.latest import LastWritten
from kubectl_kruise.controllers.writing.population import Population
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw

REST: Final = 3.0
"""A pass reads every pod, and every change of a pod asks for one: at most a quarter of the time goes into passes."""
TIDY_SECONDS: Final = 10.0
"""When to try again what is worth no failure: revisions beyond the limit, say."""

V = TypeVar("V", bound=View)


class Equipment:
    """`expectations` are of what was created and deleted, `versions` of what was changed, `written` of the status."""

    def __init__(
        self,
        cluster: Cluster,
        clock: Clock,
        kind: Kind,
        component: str,
        *,
        pods: Informer,
        claims: Informer,
        pull_jobs: PullJobs | None,
        expectation_seconds: float,
        gives_up: bool,
    ) -> None:
        """Equip the controller of `kind`, which signs its events as `component`; `gives_up` is told by `Patience`."""
        self._kind = kind
        self.expectations = ScaleExpectations(clock, expectation_seconds)
        self.versions = VersionExpectations(clock, expectation_seconds)
        self._patience = Patience(cluster, self.expectations, pods=pods, claims=claims, gives_up=gives_up)
        self.recorder = Recorder(cluster, clock, component)
        self.revisions = RevisionKeeper(cluster, self.versions)
        self.population = Population(cluster, self.expectations)
        self.written = LastWritten()
        self.predownloader = pull_jobs and Predownloader(
            cluster, kind, self.recorder, self.versions, pull_jobs
        )

    def opening(
        self, read: Callable[[Raw], V], default: Callable[[Raw], Raw], keepers: Sequence[Keeper]
    ) -> Opening[V]:
        """Give how passes begin; `keepers` are those of the controller itself that remember something of workloads."""
        mine = (self.expectations, self.population, self.revisions)
        return Opening(self._kind, read, Defaulter(default), self.written, self.recorder, (*mine, *keepers))

    def wait(self, key: Key) -> float | None:
        """Give the seconds until the cache may show what was created and deleted, None where a pass may begin."""
        self.population.settle(key)
        return self._patience.wait(key)

    def behind(self, cached: Iterable[Raw]) -> float | None:
        """Give the seconds until the first of these may be as new as it was last written, None where all are."""
        return min((left for raw in cached if (left := self.versions.wait(raw)) is not None), default=None)
