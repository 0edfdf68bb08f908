"""Words of ContainerRecreateRequests: labels, annotations, phases and messages (kinds.md §6.5, small-kinds.md §3)."""

from typing import Final

ACTIVE_LABEL: Final = "crr.apps.kruise.io/active"
NODE_LABEL: Final = "crr.apps.kruise.io/node-name"
POD_UID_LABEL: Final = "crr.apps.kruise.io/pod-uid"
UNREADY_ACQUIRED: Final = "crr.apps.kruise.io/unready-acquired"
"""The annotation says when the pod was taken out of service; the finalizer of the same name gives it back."""
SYNCED_STATUSES: Final = "crr.apps.kruise.io/sync-container-statuses"

PENDING: Final = "Pending"
RECREATING: Final = "Recreating"
SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
COMPLETED: Final = "Completed"
"""Of a request: it is over, well or not. The other words are phases of its containers too."""

POD_GONE: Final = "pod has gone"
NO_ANSWER: Final = "daemon has not responded for a long time"
TOO_LATE: Final = "recreating has exceeded the activeDeadlineSeconds"
ANSWER_SECONDS: Final = 60.0
"""How long after its creation a request may wait for a node daemon."""

# Ours: on a request, which restart of which workload it belongs to.
RESTART_LABEL: Final = "cli.kruise.io/restart"
# Ours: on a workload while its containers are restarted, so that a second run finishes the first.
RESTARTING_IN_PLACE: Final = "cli.kruise.io/restarting-in-place"
