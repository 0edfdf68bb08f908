"""Pod templates as messages show them: the fields of the server's inner types, with their Go names, empty ones too."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw

# Field | what it holds when empty: "" text, - nothing, ! false; a type's name nests it, [] a list of it.
_TYPES: Final = {
    "PodSpec": """Volumes -|InitContainers []Container|Containers []Container|EphemeralContainers -|RestartPolicy ""|
        TerminationGracePeriodSeconds -|ActiveDeadlineSeconds -|DNSPolicy ""|NodeSelector -|ServiceAccountName ""|
        AutomountServiceAccountToken -|NodeName ""|SecurityContext PodSecurityContext|ImagePullSecrets -|Hostname ""|
        Subdomain ""|SetHostnameAsFQDN -|Affinity -|SchedulerName ""|Tolerations []Toleration|HostAliases -|
        PriorityClassName ""|Priority -|PreemptionPolicy -|DNSConfig -|ReadinessGates -|RuntimeClassName -|Overhead -|
        EnableServiceLinks -|TopologySpreadConstraints -|OS -|SchedulingGates -|ResourceClaims -|Resources -|
        HostnameOverride -|SchedulingGroup -""",
    "PodSecurityContext": """HostNetwork !|HostPID !|HostIPC !|ShareProcessNamespace -|HostUsers -|SELinuxOptions -|
        WindowsOptions -|RunAsUser -|RunAsGroup -|RunAsNonRoot -|SupplementalGroups -|SupplementalGroupsPolicy -|
        FSGroup -|FSGroupChangePolicy -|Sysctls -|SeccompProfile -|AppArmorProfile -|SELinuxChangePolicy -""",
    "Container": """Name ""|Image ""|Command -|Args -|WorkingDir ""|Ports []ContainerPort|EnvFrom -|Env []EnvVar|
        Resources ResourceRequirements|ResizePolicy -|RestartPolicy -|RestartPolicyRules -|VolumeMounts []VolumeMount|
        VolumeDevices -|LivenessProbe -|ReadinessProbe -|StartupProbe -|Lifecycle -|TerminationMessagePath ""|
        TerminationMessagePolicy ""|ImagePullPolicy ""|SecurityContext -|Stdin !|StdinOnce !|TTY !""",
    "ResourceRequirements": "Limits -|Requests -|Claims -",
    "ContainerPort": 'Name ""|HostPort 0|ContainerPort 0|Protocol ""|HostIP ""',
    "EnvVar": 'Name ""|Value ""|ValueFrom -',
    "VolumeMount": """Name ""|ReadOnly !|RecursiveReadOnly -|MountPath ""|SubPath ""|MountPropagation -|
        SubPathExpr \"\"""",
    "Toleration": 'Key ""|Operator ""|Value ""|Effect ""|TolerationSeconds -',
}
_EMPTY: Final[dict[str, Any]] = {'""': "", "-": None, "!": False, "0": 0}
_HOST: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
"""Fields of a pod that its inner form keeps in the security context."""
_WORDS: Final = {"DNSPolicy": "dnsPolicy", "DNSConfig": "dnsConfig", "OS": "os", "TTY": "tty"}
_SELINUX: Final = {"SELinuxOptions": "seLinuxOptions", "SELinuxChangePolicy": "seLinuxChangePolicy"}
_NAMES: Final = _WORDS | _SELINUX | {"FSGroup": "fsGroup", "FSGroupChangePolicy": "fsGroupChangePolicy"}


def dumped_template(template: Raw) -> Raw:
    """Show a pod template: its metadata as in the API, its spec in the inner form."""
    meta = {key: value for key, value in (template.get("metadata") or {}).items() if value}
    return {**meta, "Spec": dumped_pod_spec(template.get("spec") or {})}


def dumped_pod_spec(spec: Raw) -> Raw:
    context = {**(spec.get("securityContext") or {}), **{key: spec[key] for key in _HOST if key in spec}}
    return _dumped({**spec, "securityContext": context}, "PodSpec")


def _dumped(raw: Raw, type_: str) -> Raw:
    shown: Raw = {}
    for field in _TYPES[type_].split("|"):
        name, holds = field.split()
        value = raw.get(_NAMES.get(name) or name[0].lower() + name[1:])
        if holds in _TYPES:
            shown[name] = _dumped(value or {}, holds)
        elif holds.startswith("[]"):
            shown[name] = [_dumped(item, holds[2:]) for item in value] if value else None
        else:
            shown[name] = _EMPTY[holds] if value is None else _capitalised(value)
    return shown


def _capitalised(value: Any) -> Any:
    """Show a part whose inner type is not listed: Go's names are those of the API with a capital letter."""
    if isinstance(value, list):
        return [_capitalised(item) for item in value]
    if isinstance(value, dict) and all(key[:1].islower() and key.isalpha() for key in value):
        return {key[0].upper() + key[1:]: _capitalised(inner) for key, inner in value.items()}
    return value
