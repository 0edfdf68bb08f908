"""The kinds the server has from the start (sandbox-apiserver.md §6), and the shape of a served kind."""

from dataclasses import dataclass, field
from typing import Final

from kubectl_kruise.objects.raw import Raw

ALL_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CUSTOM_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""The same, in the order in which a real server names those of custom resources."""


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """One kind in one version, as it is served.

    `storage` is the apiVersion in which its objects are stored, `key` the name under which the store keeps them,
    the same for all versions: `deployments.apps`.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    namespaced: bool = True
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    list_kind: str = ""
    has_generation: bool = False
    storage: str = ""
    key: str = ""
    crd: Raw | None = field(default=None, repr=False)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def custom(self) -> bool:
        return self.crd is not None

    @property
    def crd_version(self) -> Raw:
        """Give the entry of `spec.versions` that describes this version of a custom resource."""
        versions = self.crd["spec"]["versions"] if self.crd else []
        return next((entry for entry in versions if entry["name"] == self.version), {})

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        tail = f"/{name}" if name else ""
        return f"{root}{scope}/{self.plural}{tail}" + (f"/{subresource}" if subresource else "")


_CLUSTER: Final = "cluster"
_GENERATION: Final = "generation"
_ALL: Final = "all"
# group/version | kind | plural | short names | subresources | flags; singulars are the kind in lower case.
_NATIVE: Final = """
v1 Pod pods po status,binding,eviction,log,exec,attach,portforward,proxy,ephemeralcontainers,resize generation,all
v1 Service services svc status,proxy all
v1 ConfigMap configmaps cm - -
v1 Secret secrets - - -
v1 ServiceAccount serviceaccounts sa token -
v1 Namespace namespaces ns status,finalize cluster
v1 Node nodes no status,proxy cluster
v1 Event events ev - -
v1 Endpoints endpoints ep - -
v1 PersistentVolumeClaim persistentvolumeclaims pvc status -
v1 PersistentVolume persistentvolumes pv status cluster
v1 PodTemplate podtemplates - - generation
v1 ReplicationController replicationcontrollers rc status,scale generation,all
v1 LimitRange limitranges limits - -
v1 ResourceQuota resourcequotas quota status -
apps/v1 Deployment deployments deploy status,scale generation,all
apps/v1 ReplicaSet replicasets rs status,scale generation,all
apps/v1 StatefulSet statefulsets sts status,scale generation,all
apps/v1 DaemonSet daemonsets ds status generation,all
apps/v1 ControllerRevision controllerrevisions - - -
batch/v1 Job jobs - status generation,all
batch/v1 CronJob cronjobs cj status generation,all
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers hpa status all
autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers hpa status all
policy/v1 PodDisruptionBudget poddisruptionbudgets pdb status generation
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions crd,crds status cluster,generation
networking.k8s.io/v1 Ingress ingresses ing status generation
networking.k8s.io/v1 IngressClass ingressclasses - - cluster,generation
networking.k8s.io/v1 NetworkPolicy networkpolicies netpol - generation
discovery.k8s.io/v1 EndpointSlice endpointslices - - generation
coordination.k8s.io/v1 Lease leases - - -
events.k8s.io/v1 Event events ev - -
rbac.authorization.k8s.io/v1 Role roles - - -
rbac.authorization.k8s.io/v1 RoleBinding rolebindings - - -
rbac.authorization.k8s.io/v1 ClusterRole clusterroles - - cluster
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings - - cluster
scheduling.k8s.io/v1 PriorityClass priorityclasses pc - cluster,generation
storage.k8s.io/v1 StorageClass storageclasses sc - cluster
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations - - cluster,generation
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations - - cluster,generation
"""
_STORED_IN: Final = {"events.k8s.io/v1": "v1", "autoscaling/v1": "autoscaling/v2"}
"""The versions whose objects are those of another one."""


def native_resources() -> list[Resource]:
    """Give every native kind in every version it is served in, in the order of discovery."""
    return [_native(*line.split()) for line in _NATIVE.strip().splitlines()]


def _native(api_version: str, kind: str, plural: str, short: str, subresources: str, flags: str) -> Resource:
    group, _, version = api_version.rpartition("/")
    marks = _words(flags)
    verbs = tuple(verb for verb in ALL_VERBS if (kind, verb) != ("Namespace", "deletecollection"))
    storage = _STORED_IN.get(api_version, api_version)
    return Resource(
        group,
        version,
        kind,
        plural,
        kind.lower(),
        _words(short),
        ("all",) if _ALL in marks else (),
        namespaced=_CLUSTER not in marks,
        subresources=tuple(sorted(_words(subresources))),
        verbs=verbs,
        list_kind=kind + "List",
        has_generation=_GENERATION in marks,
        storage=storage,
        key=store_key(plural, storage.rpartition("/")[0]),
    )


def store_key(plural: str, group: str) -> str:
    return f"{plural}.{group}" if group else plural


def _words(text: str) -> tuple[str, ...]:
    return () if text == "-" else tuple(text.split(","))
