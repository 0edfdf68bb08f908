"""The workload that is made to get pods: judged by the server first, and known again by its annotations (migration.md §4.2)."""

from typing import Final

from kubectl_kruise.cluster.manager import manager_holder
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.errors import KruiseError, NotAllowedError, RefusedError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.names import MIGRATE_ID, MIGRATE_SOURCE
from kubectl_kruise.objects.raw import Raw, annotations_of
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import NoManagerError

MANAGER_SECONDS: Final = 60.0
"""How long a controller may take to look at a workload (§5.1.1 D4, D11)."""

_SERVER_FAILED: Final = 500


def refusal(error: KruiseError) -> bool:
    """Say whether the server has judged, and will not judge otherwise when it is asked again."""
    return isinstance(error, RefusedError) or 0 < error.http < _SERVER_FAILED


def check_manager(run: Run, kind: Kind) -> None:
    """Raise NoManagerError where nobody holds the lease of Kruise's manager: who takes pods has to be there first (§5.2.1)."""
    if kind.native:
        return
    try:
        holder = manager_holder(run.cluster, run.clock.time())
    except NotAllowedError:
        holder = ""
    if not holder:
        raise NoManagerError(
            "the lease of the Kruise manager is stale, or may not be read: nothing was done",
            hint="kubectl -n kruise-system get pods; or --order target-first",
        )


def made_by(live: Raw, journal: Journal) -> bool:
    """Say whether a workload of Kruise was made by this migration."""
    annotations = annotations_of(live)
    return annotations.get(MIGRATE_ID) == journal.id or annotations.get(MIGRATE_SOURCE, "").endswith(
        f"/{journal.source.uid}"
    )
