"""Cells of jobs and cron jobs (sandbox-apiserver.md TB4)."""

from datetime import datetime
from typing import Any, Final

from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, short_age
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.tables.ages import age
from kubectl_kruise.sandbox.tables.pods import NONE

_ENDED: Final = ("Complete", "Failed")
_UNDER_WAY: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _job_status(obj: Raw, _: datetime) -> str:
    holding = [
        kind for kind in (*_ENDED, *_UNDER_WAY) if (condition(obj, kind) or {}).get("status") == "True"
    ]
    if holding and holding[0] in _ENDED:
        return holding[0]
    if dig(obj, ("metadata", "deletionTimestamp")):
        return "Terminating"
    return holding[0] if holding else "Running"


def _completions(obj: Raw, _: datetime) -> str:
    done, spec = dig(obj, ("status", "succeeded"), 0), obj.get("spec") or {}
    wanted, parallel = spec.get("completions"), spec.get("parallelism") or 0
    if wanted is not None:
        return f"{done}/{wanted}"
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def _duration(obj: Raw, now: datetime) -> str:
    start, end = (parse_rfc3339(dig(obj, ("status", key), "")) for key in ("startTime", "completionTime"))
    if start is None:
        return ""
    return short_age((now.timestamp() if end is None else end) - start)


def _last_schedule(obj: Raw, now: datetime) -> str:
    last = dig(obj, ("status", "lastScheduleTime"))
    return age(last, now) if last else NONE


def _suspended(obj: Raw, _: datetime) -> str:
    return str(bool(dig(obj, ("spec", "suspend"))))


def _of_job_containers(field: str) -> Any:
    at = ("spec", "jobTemplate", "spec", "template", "spec", "containers")
    return lambda obj, _: ",".join(found.get(field, "") for found in dig(obj, at, []))


CELLS: Final = {
    "job_status": _job_status,
    "completions": _completions,
    "duration": _duration,
    "time_zone": lambda obj, _: dig(obj, ("spec", "timeZone")) or NONE,
    "suspended": _suspended,
    "active_jobs": lambda obj, _: len(dig(obj, ("status", "active"), [])),
    "last_schedule": _last_schedule,
    "job_containers": _of_job_containers("name"),
    "job_images": _of_job_containers("image"),
}
