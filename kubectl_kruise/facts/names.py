"""Labels, annotations, conditions and finalizers that mean something to Kruise (cloneset.md §2, kinds.md §8)."""

from typing import Final

REVISION_LABEL: Final = "controller-revision-hash"
TEMPLATE_HASH_LABEL: Final = "pod-template-hash"
INSTANCE_ID_LABEL: Final = "apps.kruise.io/cloneset-instance-id"
STATE_LABEL: Final = "lifecycle.apps.kruise.io/state"
SPECIFIED_DELETE_LABEL: Final = "apps.kruise.io/specified-delete"
HASH_LABEL: Final = "controller.kubernetes.io/hash"

STATE_TIMESTAMP: Final = "lifecycle.apps.kruise.io/timestamp"
IN_PLACE_STATE: Final = "apps.kruise.io/inplace-update-state"
IN_PLACE_STATE_LEGACY: Final = "inplace-update-state"
IN_PLACE_GRACE: Final = "apps.kruise.io/inplace-update-grace"
IN_PLACE_GRACE_LEGACY: Final = "inplace-update-grace"
RUNTIME_META: Final = "apps.kruise.io/runtime-containers-meta"
LAUNCH_COMPLETED: Final = "apps.kruise.io/container-launch-priority-completed"
DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
DELETE_PROTECTION: Final = "policy.kruise.io/delete-protection"
RELATED_BUDGET: Final = "kruise.io/related-pub"
PREDOWNLOAD_MADE: Final = "apps.kruise.io/pre-predownload-created"
PREDOWNLOAD_IGNORED: Final = "apps.kruise.io/image-predownload-ignored"
CLAIM_HASH: Final = "kruise.io/cloneset-volumeclaimtemplate-hash"
OWNED_BY_STATEFULSET: Final = "apps.kruise.io/owned-by-asts"
# On CloneSets of v1alpha1: what v1beta1 has as fields.
EXCLUDE_PREPARING_DELETE_LABEL: Final = "apps.kruise.io/cloneset-scaling-exclude-preparing-delete"
PREDOWNLOAD_PARALLELISM: Final = "apps.kruise.io/image-predownload-parallelism"
PREDOWNLOAD_TIMEOUT: Final = "apps.kruise.io/image-predownload-timeout-seconds"
PREDOWNLOAD_MIN_READY: Final = "apps.kruise.io/image-predownload-min-updated-ready-pods"

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
CHANGE_CAUSE: Final = "kubernetes.io/change-cause"
RESTARTED_AT: Final = "kubectl.kubernetes.io/restartedAt"
# Ours: on a workload while its pods are restarted one after the other, so that a second run finishes the first.
RESTARTING_SINCE: Final = "cli.kruise.io/restarting-since"
DEPLOYMENT_REVISION: Final = "deployment.kubernetes.io/revision"

# Ours: the book-keeping of a migration, on the new workload and on what is held for it (migration.md §3.4, §4.2).
MIGRATE_PREFIX: Final = "kruise-migrate/"
MIGRATE_ID: Final = "kruise-migrate/id"
MIGRATE_SOURCE: Final = "kruise-migrate/source"
MIGRATE_HOLD: Final = "kruise-migrate/hold"
MIGRATE_STRATEGY: Final = "kruise-migrate/strategy"
MIGRATE_TOTAL: Final = "kruise-migrate/total"

IN_PLACE_READY: Final = "InPlaceUpdateReady"
KRUISE_POD_READY: Final = "KruisePodReady"
BEFORE_DELETION: Final = "preDeleteHook"
BEFORE_UPDATE: Final = "preUpdateHook"

MANAGER_LEASE: Final = "kruise-manager"
MANAGER_NAMESPACE: Final = "kruise-system"

# Ours: what the sandbox's controllers begin with as holder of the manager's lease.
SANDBOX_HOLDER: Final = "sandbox_"

# Ours: what the sandbox's kubeconfig calls its context, cluster and user.
SANDBOX_CONTEXT: Final = "kruise-sandbox"

# What random parts of names are made of: no vowels, and no digits that look like some, so that no words come out.
RANDOM_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
