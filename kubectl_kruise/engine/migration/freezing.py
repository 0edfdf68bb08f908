"""Hold autoscalers still while pods move from one workload to another (migration.md §6.3)."""

from typing import Any, Final

from kubectl_kruise.engine.migration.journal import Rewrite
from kubectl_kruise.facts.kinds import HPA
from kubectl_kruise.facts.neighbours import SCALED_OBJECT
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of

_WAYS: Final = ("scaleUp", "scaleDown")
KEDA_PAUSED: Final = "autoscaling.keda.sh/paused"


def freeze_autoscaler(autoscaler: Raw, most: int) -> list[Rewrite]:
    """Give what has to be changed so that an HPA neither scales nor enforces its bounds on `most` pods or fewer.

    A disabled behaviour alone is no freeze: below minReplicas and above maxReplicas it scales all the same. The behaviour
    is noted whole: the server fills in what is unsaid in one, and taking a part away again would leave the rest.
    """
    spec = autoscaler.get("spec") or {}
    behavior = spec.get("behavior") or {}
    still = {way: {**(behavior.get(way) or {}), "selectPolicy": "Disabled"} for way in _WAYS}
    wanted: dict[tuple[str, ...], Any] = {
        ("spec", "behavior"): {**behavior, **still},
        ("spec", "minReplicas"): 1,
        ("spec", "maxReplicas"): max(int(spec.get("maxReplicas") or 0), most),
    }
    return [
        _rewrite(autoscaler, HPA.kind, path, value)
        for path, value in wanted.items()
        if dig(autoscaler, path) != value
    ]


def freeze_scaled_object(scaled: Raw) -> list[Rewrite]:
    """Give what pauses KEDA; the HPA that it owns is never touched."""
    if annotations_of(scaled).get(KEDA_PAUSED) == "true":
        return []
    return [_rewrite(scaled, SCALED_OBJECT.kind, ("metadata", "annotations", KEDA_PAUSED), "true")]


def _rewrite(obj: Raw, kind: str, path: tuple[str, ...], value: object) -> Rewrite:
    return Rewrite(obj["apiVersion"], kind, name_of(obj), path, dig(obj, path), value, temporary=True)
