"""The numbered steps of a migration, what each means, and what all of them come to (cli.md §4.3)."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.pairs import DEPLOYMENTS, SETS, Pair
from kubectl_kruise.engine.migration.references import NAMES, Pointer
from kubectl_kruise.engine.migration.stages import Stage, stages_of
from kubectl_kruise.facts.kinds import HPA
from kubectl_kruise.facts.neighbours import SCALED_OBJECT
from kubectl_kruise.objects.notation.number import format_duration


class Outline(NamedTuple):
    """What the steps of one migration are about: names as shown, numbers of pods, and what was chosen.

    `old` and `new` are `Deployment web`, `CloneSet web`; `part` pods are moved of `pods`. `settle` is in seconds.
    """

    mode: Mode
    forward: bool
    old: str
    new: str
    pods: int
    pointers: Sequence[Pointer] = ()
    rewrite: Sequence[str] = ()
    surge: int = 0
    unavailable: int = 0
    settle: float = 0.0
    keep_source: bool = False
    replicasets: int = 0
    cleanup: str = ""
    creates: int | None = None
    """Replicas of a CloneSet with which the migration stops for now, None for a whole one."""
    follows: bool = False
    """References will be pointed at the new workload, whichever there are by then."""
    kept: int = 0
    """Pods that stay with a source which gives away only a part."""
    pair: Pair = DEPLOYMENTS
    claims: bool = False
    """Volume claims would go with the old set, unless it is told to keep them first."""
    last: bool = False
    """The new set is created when the old one is gone."""

    @property
    def pointed(self) -> list[Pointer]:
        """What will be pointed at the new workload: what was chosen, and autoscalers that were held still."""
        scalers = (HPA, SCALED_OBJECT) if self.mode is not Mode.ADOPT else ()
        return [
            each
            for each in self.pointers
            if each.rewritable and (NAMES[each.kind] in self.rewrite or each.kind in scalers)
        ]


class Step(NamedTuple):
    """One numbered step: what is done, and what that means."""

    stage: Stage
    what: str
    means: str = ""


class Sent(NamedTuple):
    """A request that will be sent; `path` has its query, `body` is short."""

    stage: Stage
    method: str
    path: str
    body: str = ""


def steps_of(outline: Outline) -> list[Step]:
    """Give the steps in their order; those with nothing to do are left out."""
    if outline.creates is not None:
        return [_only_created(outline)]
    texts = _texts_of(outline)
    steps = []
    for stage in stages_of(outline.mode, forward=outline.forward, pair=outline.pair, last=outline.last):
        if stage is Stage.KEEP_CLAIMS and not outline.claims:
            continue
        if stage is Stage.REFERENCES:
            if outline.pointed:
                names = ", ".join(each.name for each in outline.pointed)
                steps.append(Step(stage, f"point {names} at {outline.new}"))
            elif outline.follows:
                steps.append(Step(stage, f"point what names {outline.old} at {outline.new}"))
        else:
            what, means = texts[stage](outline)
            steps.append(Step(stage, what, means))
    return steps


def last_line(outline: Outline) -> str:
    """Sum up a plan: objects created, changed and deleted besides the journal, and what becomes of the pods."""
    change, pods = len(outline.pointed), outline.pods
    if outline.creates is not None:
        new = outline.creates if outline.mode is not Mode.ADOPT else 0
        return f"Plan: 1 to create, 0 to change, 0 to delete. Pods: {new} new, 0 removed."
    if outline.mode is Mode.ADOPT:
        create = 1 if outline.forward or outline.pair is SETS else 2
        change += outline.pair is SETS and outline.claims
        delete = 1 + outline.replicasets if outline.forward else 1
        fate = f"{pods} kept, 0 new, 0 removed"
    else:
        create, delete = 1, 0 if outline.keep_source else 1 + outline.replicasets
        change += outline.keep_source or (outline.pair is SETS and outline.claims)
        fate = f"{pods} new, {pods} removed"
    return f"Plan: {create} to create, {change} to change, {delete} to delete. Pods: {fate}."


def _only_created(outline: Outline) -> Step:
    if outline.mode is Mode.ADOPT:
        what, means = _ADOPT[Stage.CREATE_TARGET](outline)
        return Step(Stage.CREATE_TARGET, what, f"{means}; {outline.old} stays in charge")
    what = f"create {outline.new} with {outline.creates} replicas"
    return Step(Stage.CREATE_TARGET, what, f"{outline.old} stays as it is")


Text = Callable[[Outline], tuple[str, str]]


def _moves(outline: Outline) -> tuple[str, str]:
    floor = max(0, outline.pods + outline.kept - outline.unavailable)
    several = max(1, outline.surge + outline.unavailable)
    pace = f"up to {outline.surge} more and {outline.unavailable} fewer pods at a time"
    return f"move {outline.pods} pods, {several} at a time", f"{pace}; available never below {floor}"


def _by_ordinals(outline: Outline) -> tuple[str, str]:
    end = "the highest" if outline.forward else "the lowest"
    floor = max(0, outline.pods - 1)
    return (
        f"move {outline.pods} ordinals, one at a time from {end}",
        f"each pod ends, then is made again with its claims; available never below {floor}",
    )


def _delete_gradually(outline: Outline) -> tuple[str, str]:
    if outline.keep_source:
        if outline.kept:
            return f"keep {outline.old} at {outline.kept}", "both go on serving"
        return f"keep {outline.old} at 0", f"delete it later with: {outline.cleanup}"
    return f"delete {outline.old}", "it has no pod any more"


def _compared(outline: Outline) -> str:
    after = f", and watched for {format_duration(outline.settle)} after" if outline.settle else ""
    return f"every pod is compared before{after}"


_ADOPT: Final[dict[Stage, Text]] = {
    Stage.CREATE_TARGET: lambda it: (
        f"create {it.new} with {it.pods} replicas, locked",
        "it can neither create, delete nor update pods yet",
    ),
    Stage.FREE_PODS: lambda it: (
        f"delete {it.old} and its ReplicaSets",
        "their pods stay: every deletion orphans",
    ),
    Stage.MOVE_PODS: lambda it: (
        f"give {it.pods} pods to {it.new}",
        "one patch each; no pod is deleted, created or restarted",
    ),
    Stage.UNLOCK_TARGET: lambda it: (
        f"unlock {it.new}",
        _compared(it),
    ),
}
_RELEASE: Final[dict[Stage, Text]] = {
    Stage.LOCK_SOURCE: lambda it: (f"lock {it.old}", "it neither creates, deletes nor updates pods any more"),
    Stage.FREE_PODS: lambda it: (
        f"take {it.pods} pods from {it.old}",
        "one patch each; no pod is deleted, created or restarted",
    ),
    Stage.MOVE_PODS: lambda it: (
        "create a ReplicaSet that takes the pods",
        f"it wants the hash that they carry, and has {it.pods} replicas from the start",
    ),
    Stage.CREATE_TARGET: lambda it: (f"create {it.new}, paused", "it takes the ReplicaSet, then works"),
    Stage.DELETE_SOURCE: lambda it: (f"delete {it.old}", "it has no pod any more"),
}
_SETS: Final[dict[Stage, Text]] = {
    Stage.KEEP_CLAIMS: lambda it: (
        f"let {it.old} keep its volume claims",
        "nobody owns one meanwhile; its own policy comes last, with the new set",
    ),
    Stage.CREATE_TARGET: lambda it: (
        f"create {it.new} with {it.pods} replicas, held",
        "it updates no pod yet, and has a place for each",
    ),
    Stage.FREE_PODS: lambda it: (f"delete {it.old}", "its pods and claims stay: the deletion orphans"),
    Stage.MOVE_PODS: lambda it: (
        f"give {it.pods} pods to {it.new}",
        "one patch each, with the revision as a label; no pod is deleted, created or restarted",
    ),
    Stage.UNLOCK_TARGET: lambda it: (
        f"let {it.new} work",
        _compared(it),
    ),
}
_SURGE: Final[dict[Stage, Text]] = {
    Stage.CREATE_TARGET: lambda it: (f"create {it.new} with 0 replicas", "it makes pods of its own"),
    Stage.MOVE_PODS: _moves,
    Stage.DELETE_SOURCE: _delete_gradually,
}
_RECREATE: Final[dict[Stage, Text]] = {
    Stage.KEEP_CLAIMS: _SETS[Stage.KEEP_CLAIMS],
    Stage.STOP_SOURCE: lambda it: (
        f"stop all {it.pods} pods of {it.old}",
        "nothing serves until the next step is done",
    ),
    Stage.START_TARGET: lambda it: (
        f"create {it.new} with {it.pods} replicas",
        "and wait until all are available",
    ),
    Stage.DELETE_SOURCE: _delete_gradually,
}
_HANDOVER: Final[dict[Stage, Text]] = {
    Stage.KEEP_CLAIMS: _SETS[Stage.KEEP_CLAIMS],
    Stage.CREATE_TARGET: lambda it: (f"create {it.new} with 0 replicas", "it makes pods of its own"),
    Stage.MOVE_PODS: _by_ordinals,
    Stage.DELETE_SOURCE: _delete_gradually,
}
_TEXTS: Final[dict[Mode | None, dict[Stage, Text]]] = {
    Mode.ADOPT: _ADOPT, None: _RELEASE, Mode.SURGE: _SURGE, Mode.RECREATE: _RECREATE, Mode.HANDOVER: _HANDOVER,
}  # fmt: skip


def _texts_of(outline: Outline) -> dict[Stage, Text]:
    if outline.mode is not Mode.ADOPT:
        return _TEXTS[outline.mode]
    if outline.pair is SETS:
        return _SETS
    return _TEXTS[Mode.ADOPT if outline.forward else None]
