"""How a new template reaches the pods: in place or by recreating them, and what follows from it (cloneset.md §16)."""

from typing import NamedTuple

from kubectl_kruise.engine.inplace.difference import about_metadata, difference, replaces_image
from kubectl_kruise.engine.statefulset.places import kept_pods, let_go
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, STATEFULSET
from kubectl_kruise.facts.names import IN_PLACE_READY
from kubectl_kruise.objects.notation.pointer import named_path
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.workload import Workload


class Way(NamedTuple):
    """`blocker` is the field that rules out an update in place, "" where there is none; `images` whether any changes."""

    in_place: bool
    blocker: str = ""
    images: bool = True

    @property
    def mode(self) -> str:
        return "update in place" if self.in_place else "recreate pods"

    def text(self, workload: Workload) -> str:
        if workload.awaits_deletion:
            return "replaces no pod: each gets the new template when it is deleted (update type OnDelete)"
        if workload.on_delete:
            return (
                f"replaces old pods although the update type is OnDelete: maxSurge {workload.max_surge_value} makes new"
                " ones beside them"
            )
        if self.in_place:
            restart = "the containers restart, " if self.images else ""
            kept = f"updates in place: {restart}pods keep their names, IPs and nodes"
            surge = 0 if workload.kind.native else workload.max_surge
            return f"{kept}; up to {surge} of them go for those that maxSurge makes" if surge else kept
        if self.blocker and workload.in_place:
            return f"recreates the pods: {self.blocker} cannot be updated in place"
        return f"recreates the pods (update type {workload.update_type})"


def way_of(workload: Workload, template: Raw) -> Way:
    """Say how the pods would get `template`, judged from the workload's template as it is now."""
    present = dig(workload.raw, ("spec", "template"), {})
    operations = difference(present, template)
    blocking = (each for each in operations if not about_metadata(each) and not replaces_image(each))
    blocker = next(
        (
            f"spec.template.{named_path(present if each.op == 'remove' else template, each.path)}"
            for each in blocking
        ),
        "",
    )
    return Way(workload.in_place and not blocker, blocker, any(map(replaces_image, operations)))


def refused_in_place(workload: Workload, way: Way) -> str:
    """Give why an InPlaceOnly workload could never take the change, "" where it can."""
    if workload.update_type != "InPlaceOnly" or way.in_place:
        return ""
    return f"{way.blocker} cannot be updated in place, and its update type is InPlaceOnly"


def gate_warning(workload: Workload, template: Raw) -> tuple[str, ...]:
    """Warn of a set that updates in place without the readiness gate: nobody adds it (rollout-operations.md §4)."""
    gates = dig(template, ("spec", "readinessGates"), [])
    present = any(gate.get("conditionType") == IN_PLACE_READY for gate in gates)
    if workload.kind is not STATEFULSET or not workload.in_place or present:
        return ()
    lacks = f"the template has no readiness gate {IN_PLACE_READY}, without which Kruise's webhook refuses it"
    return (f"{lacks} (spec.template.spec.readinessGates, update type {workload.update_type})",)


def spread_notes(workload: Workload) -> tuple[str, ...]:
    """Tell how many pods a template change reaches now, and what holds back the others."""
    if workload.kind is DEPLOYMENT:
        return ("the rollout is paused: nothing moves until it is resumed",) if workload.paused else ()
    kept, replicas = workload.partition, workload.replicas
    notes = []
    if kept:
        go, stay = let_go(workload, kept), kept_pods(workload, kept)
        change = f"{replicas - kept} of {replicas} pods change" + (f" ({go})" if go else "")
        why = (f"{stay}; " if stay else "") + f"partition {workload.partition_value}"
        notes.append(f"{change}, {kept} stay ({why})")
    if workload.paused:
        notes.append("the rollout is paused: nothing moves until it is resumed")
    return tuple(notes)


def claim_warnings(workload: Workload, *, recreated: bool) -> tuple[str, ...]:
    """Warn where pods take their volume claims with them (cloneset.md §12.4, §26 Q8); those of a set outlive them."""
    if (
        not recreated
        or workload.kind is not CLONESET
        or not dig(workload.raw, ("spec", "volumeClaimTemplates"))
    ):
        return ()
    return ("the volume claims of the pods that go are deleted with them, and their data is lost",)
