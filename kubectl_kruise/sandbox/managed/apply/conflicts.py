"""How conflicts of server-side apply are told (sandbox-apiserver.md F5)."""

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import members, path_text
from kubectl_kruise.sandbox.managed.owners import UPDATE, Identity, Owned, Owners, identifier


def causes(conflicts: Owners) -> list[Raw]:
    """Give one cause per owner and field."""
    return [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {_owner(who, owned)}",
            "field": path_text(path),
        }
        for who, owned in _sorted(conflicts)
        for path in members(owned.fields)
    ]


def message(conflicts: Owners) -> str:
    """Give the message: one conflict on its line, several by owner."""
    found = {_owner(who, owned): members(owned.fields) for who, owned in _sorted(conflicts)}
    number = sum(map(len, found.values()))
    if number == 1:
        owner, (path,) = next(iter(found.items()))
        return f"Apply failed with 1 conflict: conflict with {owner}: {path_text(path)}"
    lines = [f"Apply failed with {number} conflicts: "]
    told = []
    for owner, paths in found.items():
        told.append(f"conflicts with {owner}:")
        told += [f"- {path_text(path)}" for path in paths]
    return lines[0] + "\n".join(told)


def _sorted(conflicts: Owners) -> list[tuple[Identity, Owned]]:
    return sorted(conflicts.items(), key=lambda found: identifier(found[0]))


def _owner(who: Identity, owned: Owned) -> str:
    """Name an owner; the time tells updates of one manager apart, which only real servers show."""
    text = f'"{who.manager}"'
    if who.subresource:
        text += f' with subresource "{who.subresource}"'
    return text + (f" using {owned.api_version}" if who.operation == UPDATE else "")
