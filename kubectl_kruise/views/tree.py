"""`tree`: a workload with its revisions, pods and containers, and what else belongs to it (cli.md §4.6)."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.changes.stewards import migration_of
from kubectl_kruise.engine.containers import ContainerProgress, Step
from kubectl_kruise.engine.overview import overview
from kubectl_kruise.engine.phases import Phase, PodProgress
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.facts.names import DEPLOYMENT_REVISION
from kubectl_kruise.objects.pod import short_hash
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of
from kubectl_kruise.operations.tree import Family
from kubectl_kruise.views.get import kind_word
from kubectl_kruise.views.spans import BAD, BUSY, FAINT, GOOD, STRONG, Line, Span, columns
from kubectl_kruise.views.status.rows import note_text, phase_text
from kubectl_kruise.views.text import Symbols, brief_problem, clock_span, image_tag, short_image

MOST: Final = 10
"""Pods of one revision that are shown; unhealthy ones always are."""
UNHEALTHY: Final = (Phase.FAILING, Phase.UNSCHEDULABLE)


class Node(NamedTuple):
    """`title` and `state` are the two columns of a line, `record` the same for programs."""

    title: str
    state: str
    style: str
    record: Raw
    children: tuple["Node", ...] = ()


def build_tree(
    family: Family, pods: Sequence[PodProgress], current: str, update: str, now: float, signs: Symbols
) -> Node:
    """Give the tree; `pods` as assessed against the `update` revision, the worst first."""
    workload = family.workload
    summed = overview(workload)
    state = summed.status.split()[0] + f", {summed.done} of {summed.target} available"
    if holder := migration_of(workload.raw):
        state += f", held by {holder}"
    children = [
        *_revisions(family, pods, current, update, now, signs),
        *(_claim(claim) for claim in family.claims),
        *(_pull_job(job) for job in family.pull_jobs),
        *(_restart(restart) for restart in family.restarts),
        *(_autoscaler(scaler, signs) for scaler in family.autoscalers),
        *(_budget(budget) for budget in family.budgets),
    ]
    record = {
        "kind": workload.kind.kind,
        "name": workload.name,
        "namespace": workload.namespace,
        "status": summed.outcome.value,
        **({"heldBy": holder} if holder else {}),
    }
    return Node(f"{kind_word(workload)} {workload.name}", state, STRONG, record, tuple(children))


def tree_lines(root: Node, signs: Symbols) -> list[Line]:
    """Give the tree as lines, folding the healthy pods of each revision above 10."""
    rows: list[tuple[Span, Span]] = [(Span(root.title, STRONG), Span(root.state))]
    _add_children(rows, root, "", signs)
    return columns(rows)


def tree_record(root: Node) -> Raw:
    """Give the tree as nested records; nothing is folded."""
    record = dict(root.record)
    if root.children:
        record["children"] = [tree_record(child) for child in root.children]
    return record


def _add_children(rows: list[tuple[Span, Span]], node: Node, prefix: str, signs: Symbols) -> None:
    shown, folded = _fold(node.children)
    last = len(shown) + bool(folded) - 1
    for at, child in enumerate(shown):
        rows.append(
            (
                Span(f"{prefix}{signs.last if at == last else signs.branch}{child.title}"),
                Span(child.state, child.style),
            )
        )
        _add_children(rows, child, prefix + ("   " if at == last else signs.pipe), signs)
    if folded:
        phases = Counter(str(child.record.get("phase")) for child in folded)
        told = ", ".join(f"{count} {phase}" for phase, count in phases.most_common())
        rows.append((Span(f"{prefix}{signs.last}{signs.more} {len(folded)} more ({told})", FAINT), Span("")))


def _fold(children: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """Split pods into those shown and those folded; other children are all shown."""
    pods = [child for child in children if child.record.get("kind") == "Pod"]
    if len(pods) <= MOST:
        return list(children), []
    sick = [pod for pod in pods if pod.record["phase"] in UNHEALTHY]
    well = [pod for pod in pods if pod.record["phase"] not in UNHEALTHY]
    room = max(0, MOST - len(sick)) if len(well) > MOST else len(well)
    busy = [pod for pod in well if pod.record["phase"] != "available"][:room]
    return [*sick, *busy], [pod for pod in well if pod not in busy]


def _revisions(
    family: Family, pods: Sequence[PodProgress], current: str, update: str, now: float, signs: Symbols
) -> list[Node]:
    by_hash: dict[str, list[PodProgress]] = {}
    for pod in pods:
        by_hash.setdefault(short_hash(pod.revision), []).append(pod)
    known = sorted(family.revisions, key=_number, reverse=True)
    nodes = []
    for revision in known:
        name = name_of(revision)
        own = by_hash.pop(short_hash(name), [])
        if own or name in (current, update):
            nodes.append(_revision(family, name, _number(revision), own, current, update, now, signs))
    nodes += [
        _revision(family, name, None, own, current, update, now, signs) for name, own in by_hash.items()
    ]
    return nodes


def _revision(
    family: Family,
    name: str,
    number: int | None,
    pods: Sequence[PodProgress],
    current: str,
    update: str,
    now: float,
    signs: Symbols,
) -> Node:
    # The status of a Deployment knows one revision only, which its history calls the current one, too.
    newest = "current" if family.workload.kind is DEPLOYMENT else "update"
    role = newest if name == update else "current" if name == current else ""
    available = sum(pod.available for pod in pods)
    held = overview(family.workload).held if role != "update" else 0
    state = f"{len(pods)} pod{'' if len(pods) == 1 else 's'}, {available} available" + (
        f" ({min(held, len(pods))} held by partition)" if held and pods else ""
    )
    title = " ".join(
        part for part in ("revision", "" if number is None else str(number), name or "unknown", role) if part
    )
    record = {
        "kind": "Revision",
        "name": name,
        "number": number,
        "role": role or None,
        "pods": len(pods),
        "ready": sum(pod.ready for pod in pods),
        "available": available,
    }
    shown = {key: value for key, value in record.items() if value is not None}
    return Node(title, state, "", shown, tuple(_pod(pod, now, signs) for pod in pods))


def _pod(pod: PodProgress, now: float, signs: Symbols) -> Node:
    phase = pod.phase.value if pod.phase is not Phase.OLD else _old_phase(pod)
    bad = pod.phase in UNHEALTHY or phase == Phase.FAILING
    style = BAD if bad else GOOD if phase == Phase.AVAILABLE else BUSY
    state = phase_text(pod, now, signs) if pod.phase is not Phase.OLD else phase
    if pod.problems:
        state = f"{signs.bad} {brief_problem(pod.problems[0])}"
    elif pod.note:
        state += f"  {note_text(pod, now)}"
    record: Raw = {"kind": "Pod", "name": pod.name, "node": pod.node, "phase": phase, "ready": pod.ready}
    if pod.problems:
        record["reason"] = pod.problems[0].reason
    title = f"Pod {pod.name}" + (f"  {pod.node}" if pod.node else "")
    moving = phase != Phase.AVAILABLE
    containers = (_container(each, now, signs, moving=moving) for each in pod.containers)
    return Node(title, state, style, record, tuple(containers))


def _old_phase(pod: PodProgress) -> str:
    """Say how a pod of another revision is, in the words of those that are updated."""
    if pod.available:
        return Phase.AVAILABLE.value
    if pod.ready:
        return Phase.SETTLING.value
    return Phase.FAILING.value if pod.problems else "not ready"


def _container(container: ContainerProgress, now: float, signs: Symbols, *, moving: bool) -> Node:
    """Give a container with its image; `moving` says that its pod is still being updated."""
    match container.step:
        case Step.FAILING:
            doing = container.reason + (f" ({container.crashes})" if container.crashes else "")
        case Step.DONE:
            doing = "ready"
        case Step.KEPT:
            doing = "running, kept" if moving else "running"
        case Step.PULLING if container.since is not None:
            doing = f"pulling {clock_span(now - container.since)}"
        case step:
            doing = step.value
    text = f"{_images(container, signs)} {doing}"
    record = {
        "kind": "Container", "name": container.name, "state": container.step.value, "image": container.image,
        "restarts": container.restarts,
    }  # fmt: skip
    return Node(container.name, text, BAD if container.step is Step.FAILING else "", record)


def _images(container: ContainerProgress, signs: Symbols) -> str:
    """Write the image, or what becomes what: `web:1.8.2→1.9.0`."""
    image, before = short_image(container.image), short_image(container.before)
    if not before:
        return image
    tag = image_tag(container.image)
    same = tag and image.removesuffix(tag) == before.removesuffix(image_tag(container.before))
    return f"{before}{signs.arrow}{tag if same else image}"


def _claim(claim: Raw) -> Node:
    phase = str(dig(claim, ("status", "phase"), "Pending"))
    size = str(dig(claim, ("spec", "resources", "requests", "storage"), ""))
    return _leaf(
        "PersistentVolumeClaim", claim, " ".join(part for part in (phase, size) if part), status=phase
    )


def _pull_job(job: Raw) -> Node:
    done, wanted = dig(job, ("status", "succeeded"), 0), dig(job, ("status", "desired"), 0)
    return _leaf("ImagePullJob", job, f"{done} of {wanted} nodes", succeeded=done, desired=wanted)


def _restart(request: Raw) -> Node:
    phase = str(dig(request, ("status", "phase"), "Pending"))
    return _leaf(
        "ContainerRecreateRequest", request, f"{phase}  {dig(request, ('spec', 'podName'), '')}", status=phase
    )


def _autoscaler(scaler: Raw, signs: Symbols) -> Node:
    low, high = dig(scaler, ("spec", "minReplicas"), 1), dig(scaler, ("spec", "maxReplicas"), 0)
    return _leaf(
        "HorizontalPodAutoscaler", scaler, f"{low}{signs.dash}{high}", minReplicas=low, maxReplicas=high
    )


def _budget(budget: Raw) -> Node:
    for key, word in (("minAvailable", "min"), ("maxUnavailable", "max unavailable")):
        if (value := dig(budget, ("spec", key))) is not None:
            return _leaf("PodDisruptionBudget", budget, f"{word} {value}", **{key: value})
    return _leaf("PodDisruptionBudget", budget, "")


def _leaf(kind: str, raw: Raw, state: str, **more: object) -> Node:
    return Node(f"{kind} {name_of(raw)}", state, "", {"kind": kind, "name": name_of(raw), **more})


def _number(revision: Raw) -> int:
    if "revision" in revision:
        return int(revision.get("revision") or 0)
    text = annotations_of(revision).get(DEPLOYMENT_REVISION, "")
    return int(text) if text.isdecimal() else 0
