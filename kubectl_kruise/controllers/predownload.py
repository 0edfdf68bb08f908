"""Keeps ImagePullJobs of workloads: made ahead of an in-place update, deleted once it is complete (cloneset.md §23)."""

import logging
from contextlib import suppress

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.queue import key_of
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.controllers.watching.pulljobs import PullJobs
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.engine.predownload import Rollout, plan_predownload
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, IMAGE_PULL_JOB, KRUISE_GROUP, Kind
from kubectl_kruise.objects.raw import Raw, deleting, name_of, uid_of

LOG = logging.getLogger("kubectl_kruise.controllers")


class Predownloader:
    """A pull that fails holds no rollout up: whatever goes wrong here is logged, and tried in the next pass."""

    def __init__(
        self, cluster: Cluster, kind: Kind, recorder: Recorder, versions: VersionExpectations, jobs: PullJobs
    ) -> None:
        """Keep the jobs of workloads of one `kind`."""
        self._kind, self._cluster, self._recorder, self._versions, self._jobs = (
            kind,
            cluster,
            recorder,
            versions,
            jobs,
        )

    def prepare(self, rollout: Rollout, current: Raw, update: Raw) -> None:
        """Make the jobs that the update revision wants and mark it; delete all jobs where nothing is being updated."""
        key = key_of(rollout.raw)
        try:
            if name_of(current) == name_of(update):
                self._clear(rollout)
                return
            plan = plan_predownload(rollout, current, update)
            if plan is None:
                return
            for job in plan.jobs:
                self._create(rollout, job)
            path = CONTROLLER_REVISION.path(rollout.namespace, name_of(update))
            mark = Patch(PatchType.STRATEGIC, {"metadata": {"labels": {plan.mark.value: "true"}}})
            self._versions.expect(self._cluster.patch(path, mark))
            LOG.info("%s/%s: %s: %s", *key, name_of(update), plan.reason)
        except KruiseError as error:
            LOG.warning("%s/%s: images are not pulled ahead: %s", *key, server_words(error))

    def _create(self, rollout: Rollout, job: Raw) -> None:
        """Create one job; one of that name may be there already, of whomever."""
        name = name_of(job)
        try:
            typed = {"apiVersion": f"{KRUISE_GROUP}/{self._jobs.version}", "kind": IMAGE_PULL_JOB.kind, **job}
            self._cluster.create(self._path(rollout), typed)
        except ConflictError:
            return
        except KruiseError as error:
            text = f"failed to create ImagePullJob {name}: {server_words(error)}"
            self._recorder.normal(self._kind, rollout.raw, "FailedCreateImagePullJob", text)
            return
        text = f"created ImagePullJob {name} for image: {job['spec']['image']}"
        self._recorder.normal(self._kind, rollout.raw, "CreatedImagePullJob", text)

    def _clear(self, rollout: Rollout) -> None:
        for job in self._jobs.of(uid_of(rollout.raw)):
            if not deleting(job):
                with suppress(NotFoundError):
                    self._cluster.delete(self._path(rollout, name_of(job)))

    def _path(self, rollout: Rollout, name: str = "") -> str:
        return IMAGE_PULL_JOB.path(rollout.namespace, name, version=self._jobs.version)
