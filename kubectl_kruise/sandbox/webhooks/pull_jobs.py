"""Kruise's webhooks for ImagePullJobs at the API server (small-kinds.md §6.1)."""

from http import HTTPStatus
from typing import Final

from kubectl_kruise.engine.admission.pull_job import default_pull_job, why_job_refused
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import IMAGE_PULL_JOB
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.webhooks.decoding import check_types

PULL_JOBS: Final = IMAGE_PULL_JOB.resource


class PullJobWebhook:
    """Fills in and judges ImagePullJobs, as far as the gate lets there be any."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:  # noqa: ARG002 - updates too
        if call.resource.key != PULL_JOBS:
            return False
        check_types(new, IMAGE_PULL_JOB, f"mimagepulljob{_suffix(call)}.kb.io")
        full = default_pull_job(new)
        if full is new:
            return False
        new["spec"] = full["spec"]
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        if call.resource.key != PULL_JOBS:
            return
        code, why = why_job_refused(new, self._gates)
        if not code and old is not None and _secrets(new) != _secrets(old):
            code, why = HTTPStatus.FORBIDDEN, "spec.pullSecrets is immutable"
        if code:
            message = f'admission webhook "vimagepulljob{_suffix(call)}.kb.io" denied the request: {why}'
            raise status.failure(code, "", message)


def _suffix(call: Call) -> str:
    return "-v1beta1" if call.resource.version == "v1beta1" else ""


def _secrets(job: Raw) -> list[str]:
    return job["spec"].get("pullSecrets") or []
