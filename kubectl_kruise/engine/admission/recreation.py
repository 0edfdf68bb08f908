"""What Kruise's webhook does to ContainerRecreateRequests: fill in from the pod, refuse, keep unchanged (small-kinds.md §3.1)."""

from collections.abc import Callable
from typing import Any, Final

from kubectl_kruise.engine.admission.complaint import Refusal
from kubectl_kruise.facts.recreation import ACTIVE_LABEL, NODE_LABEL, POD_UID_LABEL, UNREADY_ACQUIRED
from kubectl_kruise.objects.pod import active, node_of, statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of, uid_of

WEBHOOK: Final = "mcontainerrecreaterequest.kb.io"
POLICIES: Final = ("Fail", "Ignore")
SHORTEST_DEADLINE: Final = 3
DEFAULT_GRACE: Final = 30
FILLED_IN: Final = ("preStop", "ports", "statusContext")
_NODE_TYPE_LABEL: Final = "type"
_VIRTUAL_NODE: Final = "virtual-kubelet"

LookupPod = Callable[[str], Raw | None]


class RecreationRefusedError(ValueError):
    """The webhook's answer is a refusal."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.answer = Refusal(code, f'admission webhook "{WEBHOOK}" denied the request: {text}')


def complete_recreation(request: Raw, lookup_pod: LookupPod) -> Raw:
    """Give a new request as the webhook stores it. Raises RecreationRefusedError with 400 for what may not be asked."""
    spec: Raw = dict(request.get("spec") or {})
    strategy = {
        key: value for key, value in (spec.get("strategy") or {}).items() if value not in (None, False, "")
    }
    if strategy.get("minStartedSeconds") == 0:
        del strategy["minStartedSeconds"]
    _check_fields(spec, strategy)
    pod = lookup_pod(spec["podName"])
    if pod is None:
        raise _bad(f"no found Pod named {spec['podName']}")
    if not active(pod):
        raise _bad("not allowed to recreate containers in an inactive Pod")
    if not node_of(pod):
        raise _bad("not allowed to recreate containers in a pending Pod")
    strategy.setdefault("failurePolicy", POLICIES[0])
    strategy.setdefault(
        "terminationGracePeriodSeconds", dig(pod, ("spec", "terminationGracePeriodSeconds"), DEFAULT_GRACE)
    )
    containers = [_container(each, pod) for each in spec["containers"]]
    labels = labels_of(request) | {ACTIVE_LABEL: "true", NODE_LABEL: node_of(pod), POD_UID_LABEL: uid_of(pod)}
    if labels_of(pod).get(_NODE_TYPE_LABEL) == _VIRTUAL_NODE:
        labels[_NODE_TYPE_LABEL] = _VIRTUAL_NODE
    return {
        **request,
        "metadata": {**request["metadata"], "labels": labels},
        "spec": {**spec, "containers": containers, "strategy": strategy},
    }


def check_recreation_update(new: Raw, old: Raw) -> None:
    """Raise RecreationRefusedError with 403 where an update changes what stays as it was made ([C-13])."""
    if _plain(new.get("spec")) != _plain(old.get("spec")):
        raise RecreationRefusedError(403, "spec of ContainerRecreateRequest is immutable")
    for label in (POD_UID_LABEL, NODE_LABEL):
        if labels_of(new).get(label, "") != labels_of(old).get(label, ""):
            raise RecreationRefusedError(403, f"not allowed to update immutable label {label}")
    acquired = annotations_of(old).get(UNREADY_ACQUIRED, "")
    if acquired and annotations_of(new).get(UNREADY_ACQUIRED) != acquired:
        raise RecreationRefusedError(403, f"not allowed to update immutable annotation {UNREADY_ACQUIRED}")


def _check_fields(spec: Raw, strategy: Raw) -> None:
    if not spec.get("podName"):
        raise _bad("podName can not be empty")
    if not spec.get("containers"):
        raise _bad("containers list can not be null")
    if (deadline := spec.get("activeDeadlineSeconds")) is not None and deadline < SHORTEST_DEADLINE:
        raise _bad(f"activeDeadlineSeconds can not be less than {SHORTEST_DEADLINE}s")
    for field in ("terminationGracePeriodSeconds", "unreadyGracePeriodSeconds"):
        if strategy.get(field, 0) < 0:
            raise _bad(f"{field} must be non-negative integer")
    if (policy := strategy.get("failurePolicy", POLICIES[0])) not in POLICIES:
        raise _bad(f"unknown failurePolicy {policy}")


def _container(asked: Raw, pod: Raw) -> Raw:
    """Give one container with what the daemon needs of the pod: its id, its preStop hook, ports only for an HTTP one."""
    if any(asked.get(field) is not None for field in FILLED_IN):
        raise _bad("preStop, ports, statusContext in container are ready-only fields")
    name = asked.get("name") or ""
    template = _template(pod, name)
    if template is None:
        raise _bad(f"container {name} not found in Pod")
    status = statuses_of(pod).get(name)
    if status is None:
        raise _bad(f"not found {name} containerStatus in Pod Status")
    if not status.get("containerID"):
        raise _bad(f"no containerID in {name} containerStatus, maybe the container has not been initialized")
    filled: Raw = {
        **asked,
        "statusContext": {
            "containerID": status["containerID"],
            "restartCount": int(status.get("restartCount") or 0),
        },
    }
    hook = dig(template, ("lifecycle", "preStop"), {})
    known = {kind: hook[kind] for kind in ("exec", "httpGet", "tcpSocket") if hook.get(kind)}
    if known:
        filled["preStop"] = known
    if "httpGet" in known and template.get("ports"):
        filled["ports"] = template["ports"]
    return filled


def _template(pod: Raw, name: str) -> Raw | None:
    templates = [each for field in ("containers", "initContainers") for each in dig(pod, ("spec", field), [])]
    return next((each for each in templates if each.get("name") == name), None)


def _plain(value: Any) -> Any:
    """Leave out what Go's types do not tell from absence: false switches and empty parts."""
    if isinstance(value, dict):
        inner = {key: _plain(part) for key, part in value.items()}
        return {key: part for key, part in inner.items() if part not in (None, False, {})}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _bad(text: str) -> RecreationRefusedError:
    return RecreationRefusedError(400, text)
