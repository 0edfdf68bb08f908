"""What an API path asks for, read back from its text: for messages and logs."""

from typing import NamedTuple

VERBS = {
    "GET": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
    "WATCH": "watch",
}
"""What a request does, in the words of the server's rights; WATCH is a GET that stays open."""


class Target(NamedTuple):
    """Parts of `/apis/GROUP/VERSION[/namespaces/NAMESPACE]/PLURAL[/NAME[/SUBRESOURCE]]`; "" for absent ones."""

    group: str = ""
    version: str = ""
    namespace: str = ""
    plural: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def resource(self) -> str:
        """`clonesets.apps.kruise.io`, `pods`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def __str__(self) -> str:
        """Name the object as the server's own messages do: `clonesets.apps.kruise.io "web"`."""
        return f'{self.resource} "{self.name}"' if self.name else self.resource


def parse_path(path: str) -> Target:
    """Read an API path; a Target without plural for any other (`/version`, `/apis/apps`)."""
    match path.partition("?")[0].strip("/").split("/"):
        case ["api", version, *rest]:
            return _target("", version, rest)
        case ["apis", group, version, *rest]:
            return _target(group, version, rest)
    return Target()


def _target(group: str, version: str, rest: list[str]) -> Target:
    match rest:
        case ["namespaces", namespace, plural, *tail] if plural not in {"status", "finalize"}:
            return Target(group, version, namespace, plural, *tail[:2])
        case [plural, *tail]:
            return Target(group, version, "", plural, *tail[:2])
    return Target(group, version)
