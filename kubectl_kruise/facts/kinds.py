"""The kinds this tool knows before any server is asked: names, versions, and where each switch and counter sits.

Sources: kinds.md §1, §3, §7; rollout-operations.md §2.
"""

from typing import Final, NamedTuple

Path = tuple[str, ...]


class Layout(NamedTuple):
    """Where one API version of a workload kind keeps its rollout switches; () where it has none."""

    paused: Path = ()
    partition: Path = ()
    max_unavailable: Path = ()
    max_surge: Path = ()
    update_type: Path = ()
    in_place: Path = ()
    min_ready: Path = ("spec", "minReadySeconds")


class Kind(NamedTuple):
    """One kind: `versions` in the order we expect them, `layouts` per version (falls back to the first).

    `best` is a version that only some releases serve, and that is the one to speak where it is: what is written through
    another loses what this one alone can say (cloneset.md §1.8). `lossy` are versions that every release serves beside
    the first, and that hide, and by a write erase, what the first alone can say (advanced-statefulset.md K-2).
    """

    kind: str
    group: str
    versions: tuple[str, ...]
    plural: str
    singular: str
    short_names: tuple[str, ...] = ()
    namespaced: bool = True
    layouts: tuple[tuple[str, Layout], ...] = ()
    workload: bool = False
    best: str = ""
    lossy: tuple[str, ...] = ()

    @property
    def native(self) -> bool:
        return not self.group.endswith("kruise.io")

    @property
    def resource(self) -> str:
        """`clonesets.apps.kruise.io`; the plain plural for the core group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def display(self) -> str:
        """`cloneset.apps.kruise.io`, as kubectl writes it in success lines and `-o name`."""
        return f"{self.singular}.{self.group}" if self.group else self.singular

    @property
    def word(self) -> str:
        """`asts`, `cloneset`: what is typed before a name; where a native kind is called the same, the short name."""
        return self.short_names[0] if self.group == KRUISE_GROUP and self.kind in _TWINS else self.singular

    @property
    def called(self) -> str:
        """`Advanced StatefulSet`, `CloneSet`: what people call it."""
        return f"Advanced {self.kind}" if self.group == KRUISE_GROUP and self.kind in _TWINS else self.kind

    def layout(self, version: str) -> Layout:
        return next((layout for known, layout in self.layouts if known == version), Layout())

    def path(self, namespace: str = "", name: str = "", *, version: str = "", subresource: str = "") -> str:
        """Give the URL path of the collection, or of one object with `name`; all namespaces without `namespace`."""
        version = version or self.versions[0]
        root = f"/apis/{self.group}/{version}" if self.group else f"/api/{version}"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        tail = f"/{name}" if name else ""
        return f"{root}{scope}/{self.plural}{tail}" + (f"/{subresource}" if subresource else "")


_STRATEGY = ("spec", "updateStrategy")
_ROLLING = (*_STRATEGY, "rollingUpdate")

KRUISE_GROUP: Final = "apps.kruise.io"
_TWINS: Final = ("StatefulSet", "DaemonSet")
"""Kruise kinds that have the name of a native one."""

CLONESET: Final = Kind(
    "CloneSet", KRUISE_GROUP, ("v1alpha1", "v1beta1"), "clonesets", "cloneset", ("clone", "cs"), workload=True,
    best="v1beta1",
    layouts=(
        (
            "v1alpha1",
            Layout(
                (*_STRATEGY, "paused"), (*_STRATEGY, "partition"), (*_STRATEGY, "maxUnavailable"),
                (*_STRATEGY, "maxSurge"), (*_STRATEGY, "type"), (*_STRATEGY, "inPlaceUpdateStrategy"),
            ),
        ),
        (
            "v1beta1",
            Layout(
                (*_ROLLING, "paused"), (*_ROLLING, "partition"), (*_ROLLING, "maxUnavailable"),
                (*_ROLLING, "maxSurge"), (*_ROLLING, "podUpdatePolicy"), (*_ROLLING, "inPlaceUpdateStrategy"),
            ),
        ),
    ),
)  # fmt: skip
STATEFULSET: Final = Kind(
    "StatefulSet",
    KRUISE_GROUP,
    ("v1beta1", "v1alpha1"),
    "statefulsets",
    "statefulset",
    ("asts", "sts"),
    workload=True,
    lossy=("v1alpha1",),
    layouts=tuple(
        (
            version,
            Layout(
                (*_ROLLING, "paused"), (*_ROLLING, "partition"), (*_ROLLING, "maxUnavailable"), (),
                (*_ROLLING, "podUpdatePolicy"), (*_ROLLING, "inPlaceUpdateStrategy"),
                (*_ROLLING, "minReadySeconds"),
            ),
        )
        for version in ("v1beta1", "v1alpha1")
    ),
)  # fmt: skip
CONTAINER_RECREATE_REQUEST: Final = Kind(
    "ContainerRecreateRequest", KRUISE_GROUP, ("v1alpha1",), "containerrecreaterequests",
    "containerrecreaterequest", ("crr",),
)  # fmt: skip
IMAGE_PULL_JOB: Final = Kind(
    "ImagePullJob", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "imagepulljobs", "imagepulljob"
)
ADVANCED_CRON_JOB: Final = Kind(
    "AdvancedCronJob", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "advancedcronjobs", "advancedcronjob", ("acj",)
)
BROADCAST_JOB: Final = Kind(
    "BroadcastJob", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "broadcastjobs", "broadcastjob", ("bcj",)
)
DAEMONSET: Final = Kind(
    "DaemonSet", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "daemonsets", "daemonset", ("ads",), workload=True
)
EPHEMERAL_JOB: Final = Kind(
    "EphemeralJob", KRUISE_GROUP, ("v1alpha1",), "ephemeraljobs", "ephemeraljob", ("ejob",)
)
IMAGE_LIST_PULL_JOB: Final = Kind(
    "ImageListPullJob", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "imagelistpulljobs", "imagelistpulljob"
)
NODE_IMAGE: Final = Kind(
    "NodeImage", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "nodeimages", "nodeimage", namespaced=False
)
NODE_POD_PROBE: Final = Kind(
    "NodePodProbe", KRUISE_GROUP, ("v1alpha1",), "nodepodprobes", "nodepodprobe", namespaced=False
)
PERSISTENT_POD_STATE: Final = Kind(
    "PersistentPodState", KRUISE_GROUP, ("v1alpha1",), "persistentpodstates", "persistentpodstate"
)
POD_PROBE_MARKER: Final = Kind(
    "PodProbeMarker", KRUISE_GROUP, ("v1alpha1",), "podprobemarkers", "podprobemarker"
)
POD_UNAVAILABLE_BUDGET: Final = Kind(
    "PodUnavailableBudget",
    "policy.kruise.io",
    ("v1alpha1",),
    "podunavailablebudgets",
    "podunavailablebudget",
    ("pub",),
)
RESOURCE_DISTRIBUTION: Final = Kind(
    "ResourceDistribution", KRUISE_GROUP, ("v1alpha1",), "resourcedistributions", "resourcedistribution",
    ("distributor",), namespaced=False,
)  # fmt: skip
SIDECAR_SET: Final = Kind(
    "SidecarSet", KRUISE_GROUP, ("v1beta1", "v1alpha1"), "sidecarsets", "sidecarset", namespaced=False
)
UNITED_DEPLOYMENT: Final = Kind(
    "UnitedDeployment",
    KRUISE_GROUP,
    ("v1alpha1",),
    "uniteddeployments",
    "uniteddeployment",
    ("ud",),
    workload=True,
)
WORKLOAD_SPREAD: Final = Kind(
    "WorkloadSpread", KRUISE_GROUP, ("v1alpha1",), "workloadspreads", "workloadspread", ("ws",)
)

DEPLOYMENT: Final = Kind(
    "Deployment", "apps", ("v1",), "deployments", "deployment", ("deploy",), workload=True,
    layouts=(
        (
            "v1",
            Layout(
                ("spec", "paused"), (), ("spec", "strategy", "rollingUpdate", "maxUnavailable"),
                ("spec", "strategy", "rollingUpdate", "maxSurge"), ("spec", "strategy", "type"),
            ),
        ),
    ),
)  # fmt: skip
REPLICASET: Final = Kind("ReplicaSet", "apps", ("v1",), "replicasets", "replicaset", ("rs",))
NATIVE_DAEMONSET: Final = Kind(
    "DaemonSet", "apps", ("v1",), "daemonsets", "daemonset", ("ds",), workload=True
)
NATIVE_STATEFULSET: Final = Kind(
    "StatefulSet", "apps", ("v1",), "statefulsets", "statefulset", ("sts",), workload=True,
    layouts=(("v1", Layout((), (*_ROLLING, "partition"), (*_ROLLING, "maxUnavailable"))),),
)  # fmt: skip
ROLLED_OUT: Final = (CLONESET, STATEFULSET, DEPLOYMENT, NATIVE_STATEFULSET)
"""Kinds whose rollouts our commands follow and change."""
PAUSABLE: Final = (CLONESET, STATEFULSET, DEPLOYMENT)
PARTITIONED: Final = (CLONESET, STATEFULSET)
"""Kinds whose partition our commands move, and whose pods can be chosen for deletion."""
CONTROLLER_REVISION: Final = Kind(
    "ControllerRevision", "apps", ("v1",), "controllerrevisions", "controllerrevision"
)
POD: Final = Kind("Pod", "", ("v1",), "pods", "pod", ("po",))
NODE: Final = Kind("Node", "", ("v1",), "nodes", "node", ("no",), namespaced=False)
NAMESPACE: Final = Kind("Namespace", "", ("v1",), "namespaces", "namespace", ("ns",), namespaced=False)
EVENT: Final = Kind("Event", "", ("v1",), "events", "event", ("ev",))
CONFIGMAP: Final = Kind("ConfigMap", "", ("v1",), "configmaps", "configmap", ("cm",))
SECRET: Final = Kind("Secret", "", ("v1",), "secrets", "secret")
SERVICE: Final = Kind("Service", "", ("v1",), "services", "service", ("svc",))
SERVICE_ACCOUNT: Final = Kind("ServiceAccount", "", ("v1",), "serviceaccounts", "serviceaccount", ("sa",))
PVC: Final = Kind(
    "PersistentVolumeClaim", "", ("v1",), "persistentvolumeclaims", "persistentvolumeclaim", ("pvc",)
)
PERSISTENT_VOLUME: Final = Kind(
    "PersistentVolume", "", ("v1",), "persistentvolumes", "persistentvolume", ("pv",), namespaced=False
)
STORAGE_CLASS: Final = Kind(
    "StorageClass", "storage.k8s.io", ("v1",), "storageclasses", "storageclass", ("sc",), namespaced=False
)
LIMIT_RANGE: Final = Kind("LimitRange", "", ("v1",), "limitranges", "limitrange", ("limits",))
RESOURCE_QUOTA: Final = Kind("ResourceQuota", "", ("v1",), "resourcequotas", "resourcequota", ("quota",))
LEASE: Final = Kind("Lease", "coordination.k8s.io", ("v1",), "leases", "lease")
HPA: Final = Kind(
    "HorizontalPodAutoscaler", "autoscaling", ("v2", "v1"), "horizontalpodautoscalers",
    "horizontalpodautoscaler", ("hpa",),
)  # fmt: skip
PDB: Final = Kind(
    "PodDisruptionBudget", "policy", ("v1",), "poddisruptionbudgets", "poddisruptionbudget", ("pdb",)
)
CRD: Final = Kind(
    "CustomResourceDefinition", "apiextensions.k8s.io", ("v1",), "customresourcedefinitions",
    "customresourcedefinition", ("crd", "crds"), namespaced=False,
)  # fmt: skip

KINDS: Final = (
    CLONESET, STATEFULSET, CONTAINER_RECREATE_REQUEST, IMAGE_PULL_JOB, DEPLOYMENT, REPLICASET, NATIVE_STATEFULSET,
    NATIVE_DAEMONSET, CONTROLLER_REVISION, POD, NODE, NAMESPACE, EVENT, CONFIGMAP, SECRET, SERVICE, SERVICE_ACCOUNT, PVC, LIMIT_RANGE,
    RESOURCE_QUOTA, LEASE, PERSISTENT_VOLUME, STORAGE_CLASS,
    HPA, PDB, CRD, ADVANCED_CRON_JOB, BROADCAST_JOB, DAEMONSET, EPHEMERAL_JOB, IMAGE_LIST_PULL_JOB, NODE_IMAGE,
    NODE_POD_PROBE, PERSISTENT_POD_STATE, POD_PROBE_MARKER, POD_UNAVAILABLE_BUDGET, RESOURCE_DISTRIBUTION, SIDECAR_SET,
    UNITED_DEPLOYMENT, WORKLOAD_SPREAD,
)  # fmt: skip
