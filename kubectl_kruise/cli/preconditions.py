"""`--if-revision`: refuse a write unless the workload is at the revision that the caller looked at."""

from typing import Any

from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.targets import Target
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, DEPLOYMENT, REPLICASET, Kind
from kubectl_kruise.facts.names import DEPLOYMENT_REVISION
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of, owner_of, uid_of


def check_revision(session: Session, target: Target, live: Raw, wanted: str) -> None:
    """Raise RefusedError unless `wanted` (number, name or hash) is the workload's newest revision."""
    name, number = newest_revision(session, target, live)
    if wanted not in (name, name.rpartition("-")[2], str(number)):
        raise RefusedError(
            f"{target.title} is at revision {number or '?'} ({name or 'unknown'}), not {wanted}",
            hint=f"kubectl kruise rollout history {target.kind.singular}/{target.name}",
        )


def newest_revision(session: Session, target: Target, live: Raw) -> tuple[str, int]:
    """Give name and number of the newest revision; ("", 0) where there is none yet."""
    kind: Kind = REPLICASET if target.kind is DEPLOYMENT else CONTROLLER_REVISION
    listed = session.cluster.list(kind.path(target.namespace))
    owned = [item for item in listed["items"] if dig(owner_of(item), ("uid",)) == uid_of(live)]
    newest: Any = max(owned, key=_number, default=None)
    return (name_of(newest), _number(newest)) if newest else ("", 0)


def _number(revision: Raw) -> int:
    text = revision.get("revision") or annotations_of(revision).get(DEPLOYMENT_REVISION) or 0
    return int(text) if str(text).isdigit() else 0
