"""The names of a CRD and what its status says of them (sandbox-apiserver.md CR2)."""

from typing import NamedTuple

from kubectl_kruise.objects.condition import condition, with_condition
from kubectl_kruise.objects.raw import Raw, dig


class Names(NamedTuple):
    """`accepted` are those that are free; `reason` and `message` tell of the last one that is not."""

    accepted: Raw
    reason: str
    message: str


def initial_status(new: Raw, old: Raw | None) -> None:
    """Set the status a CRD is stored with: versions that objects may be stored in, conditions to follow."""
    state = (old or {}).get("status") or {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}}
    versions = dig(new, ("spec", "versions"), ())  # not judged yet
    storage = next((entry.get("name", "") for entry in versions if entry.get("storage")), "")
    stored = state.get("storedVersions") or []
    new["status"] = state | {
        "storedVersions": stored if storage in stored or not storage else [*stored, storage]
    }


def judge_names(crd: Raw, others: list[Raw]) -> Names:
    """Check the names of a CRD against those its group has accepted already."""
    group, wanted = crd["spec"]["group"], crd["spec"]["names"]
    words: set[str | None] = set()
    kinds: set[str | None] = set()
    for other in others:
        if other["spec"]["group"] != group:
            continue
        taken = (other.get("status") or {}).get("acceptedNames") or {}
        words |= {taken.get("plural"), taken.get("singular"), *(taken.get("shortNames") or ())}
        kinds |= {taken.get("kind"), taken.get("listKind")}
    before = (crd.get("status") or {}).get("acceptedNames") or {}
    accepted: Raw = {"plural": before.get("plural", ""), "kind": before.get("kind", "")}
    reason = message = ""
    for field, pool, why in (
        ("plural", words, "PluralConflict"),
        ("singular", words, "SingularConflict"),
        ("shortNames", words, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        value = wanted.get(field)
        if not value:
            continue
        clashes = [name for name in ([value] if isinstance(value, str) else value) if name in pool]
        if clashes:
            reason, message = why, ", ".join(f'"{name}" is already in use' for name in clashes)
        else:
            accepted[field] = value
    if categories := wanted.get("categories"):
        accepted["categories"] = categories
    return Names(accepted, reason, message)


def conditioned(crd: Raw, kind: str, value: str, reason: str, message: str, now: str) -> Raw:
    """Give the status with a condition set; one that says the same already keeps its words."""
    state = crd.get("status") or {}
    before = condition(crd, kind) or {}
    if before.get("status") == value and reason == "InitialNamesAccepted":
        reason, message = before["reason"], before["message"]
    entry = {"type": kind, "status": value, "reason": reason, "message": message}
    return state | {"conditions": with_condition(state.get("conditions") or [], entry, now)}
