"""Keeps the ImagePullJobs of CloneSets: made ahead of an in-place update, deleted once it is complete (cloneset.md §23)."""

import logging
from contextlib import suppress

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.cloneset.snapshot import Snapshot
from kubectl_kruise.controllers.cloneset.watching.caches import PullJobs
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.engine.cloneset.predownload import plan_predownload
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, CONTROLLER_REVISION, IMAGE_PULL_JOB, KRUISE_GROUP
from kubectl_kruise.objects.raw import Raw, deleting, name_of

LOG = logging.getLogger("kubectl_kruise.controllers")


class Predownloader:
    """A pull that fails holds no rollout up: whatever goes wrong here is logged, and tried in the next pass."""

    def __init__(
        self, cluster: Cluster, recorder: Recorder, versions: VersionExpectations, jobs: PullJobs
    ) -> None:
        self._cluster, self._recorder, self._versions, self._jobs = cluster, recorder, versions, jobs

    def prepare(self, snapshot: Snapshot) -> None:
        """Make the jobs that the update revision wants and mark it; delete all jobs where nothing is being updated."""
        try:
            if name_of(snapshot.current) == name_of(snapshot.update):
                self._clear(snapshot)
            else:
                self._make(snapshot)
        except KruiseError as error:
            LOG.warning("%s/%s: images are not pulled ahead: %s", *snapshot.key, server_words(error))

    def _make(self, snapshot: Snapshot) -> None:
        plan = plan_predownload(snapshot.view, snapshot.current, snapshot.update)
        if plan is None:
            return
        for job in plan.jobs:
            self._create(snapshot, job)
        path = CONTROLLER_REVISION.path(snapshot.key.namespace, name_of(snapshot.update))
        mark = Patch(PatchType.STRATEGIC, {"metadata": {"labels": {plan.mark.value: "true"}}})
        self._versions.expect(self._cluster.patch(path, mark))
        LOG.info("%s/%s: %s: %s", *snapshot.key, name_of(snapshot.update), plan.reason)

    def _create(self, snapshot: Snapshot, job: Raw) -> None:
        """Create one job; one of that name may be there already, of whomever."""
        name = name_of(job)
        try:
            typed = {"apiVersion": f"{KRUISE_GROUP}/{self._jobs.version}", "kind": IMAGE_PULL_JOB.kind, **job}
            self._cluster.create(self._path(snapshot), typed)
        except ConflictError:
            return
        except KruiseError as error:
            text = f"failed to create ImagePullJob {name}: {server_words(error)}"
            self._recorder.normal(CLONESET, snapshot.view.raw, "FailedCreateImagePullJob", text)
            return
        text = f"created ImagePullJob {name} for image: {job['spec']['image']}"
        self._recorder.normal(CLONESET, snapshot.view.raw, "CreatedImagePullJob", text)

    def _clear(self, snapshot: Snapshot) -> None:
        for job in self._jobs.of(snapshot.view.uid):
            if not deleting(job):
                with suppress(NotFoundError):
                    self._cluster.delete(self._path(snapshot, name_of(job)))

    def _path(self, snapshot: Snapshot, name: str = "") -> str:
        return IMAGE_PULL_JOB.path(snapshot.key.namespace, name, version=self._jobs.version)
