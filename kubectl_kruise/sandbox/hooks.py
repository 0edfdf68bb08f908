"""What tests may do to the server: faults, missing rights, a log of requests (sandbox-apiserver.md §22)."""

import re
from collections import deque
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.content.answers import Fate

LOG_LENGTH: Final = 10_000
USER: Final = "sandbox-admin"
VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch"}


class Subject(NamedTuple):
    """What a request wants to do to what: the terms in which rules are written."""

    verb: str
    group: str
    resource: str
    namespace: str
    name: str
    subresource: str
    user_agent: str

    @property
    def long_resource(self) -> str:
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def verb_of(method: str, *, named: bool, watching: bool) -> str:
    """Give the verb in the sense of access rules."""
    if method in ("GET", "HEAD"):
        return "watch" if watching else "get" if named else "list"
    if method == "DELETE":
        return "delete" if named else "deletecollection"
    return VERBS.get(method, method.lower())


@dataclass(slots=True)
class Rule:
    """Which requests are meant: "" or "*" is any; `name` and `user_agent` are regular expressions."""

    verb: str = "*"
    group: str = "*"
    resource: str = "*"
    subresource: str = "*"
    namespace: str = "*"
    name: str = ""
    user_agent: str = ""

    def meets(self, subject: Subject) -> bool:
        plain = ("verb", "group", "resource", "subresource", "namespace")
        if any(getattr(self, key) not in ("*", getattr(subject, key)) for key in plain):
            return False
        found_name = not self.name or re.fullmatch(self.name, subject.name)
        return bool(found_name and (not self.user_agent or re.search(self.user_agent, subject.user_agent)))


@dataclass(slots=True)
class Fault(Rule):
    """What happens to the requests meant, `count` times (-1: always).

    With `code` the request is refused before it does anything. Otherwise it is carried out, and then its answer
    comes `delay` seconds late, or never (`drop`: "before" the request is carried out, or "after"); a watch ends after
    `cut_after` events, or begins with the 410 of a position that is too old (`expire`).
    """

    code: int = 0
    reason: str = ""
    message: str = "injected by the sandbox"
    retry_after: int = 0
    delay: float = 0.0
    drop: str = ""
    cut_after: int | None = None
    expire: bool = False
    count: int = 1

    def refusal(self) -> status.Refused:
        refused = status.failure(self.code, self.reason, self.message)
        if self.retry_after:
            refused.status["details"] = {"retryAfterSeconds": self.retry_after}
            refused.headers["Retry-After"] = str(self.retry_after)
        return refused


class Logged(NamedTuple):
    """One request: `body` is that of a write as text, `code` 0 while nothing was answered."""

    method: str
    path: str
    query: str
    user_agent: str
    code: int
    body: str
    audit_id: str = ""


class Hooks:
    """All hooks of one server; everything is off until asked for."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.denied: list[Rule] = []
        self.requests: deque[Logged] = deque(maxlen=LOG_LENGTH)

    def take_fault(self, subject: Subject) -> Fault | None:
        """Give the first fault that is meant for a request, and count it."""
        for fault in self.faults:
            if fault.count and fault.meets(subject):
                fault.count -= fault.count > 0
                if not fault.count:
                    self.faults.remove(fault)
                return fault
        return None

    def check_rights(self, subject: Subject) -> None:
        """Refuse with 403 what a rule denies (AR2)."""
        if not self.allows(subject):
            scope = f'in the namespace "{subject.namespace}"' if subject.namespace else "at the cluster scope"
            raise status.forbidden(
                subject.group,
                subject.resource,
                subject.name,
                f'User "{USER}" cannot {subject.verb} resource "{subject.long_resource}" '
                f'in API group "{subject.group}" {scope}',
            )

    def allows(self, subject: Subject) -> bool:
        return not any(rule.meets(subject) for rule in self.denied)

    def clear(self) -> None:
        self.faults.clear()
        self.denied.clear()
        self.requests.clear()

    def config(self) -> Raw:
        """Show what is switched on."""
        return {
            "faults": [asdict(fault) for fault in self.faults],
            "deny": [asdict(rule) for rule in self.denied],
        }


def fate_of(fault: Fault | None) -> Fate:
    return Fate(fault.delay, fault.drop == "after", fault.cut_after) if fault else Fate()


def parse_fault(raw: Raw) -> Fault:
    return Fault(**_known(Fault, raw))


def parse_rule(raw: Raw) -> Rule:
    return Rule(**_known(Rule, raw))


def _known(kind: type, raw: Raw) -> dict[str, Any]:
    """Take the settings of a rule from JSON; unknown ones are refused, so that a typo does not pass for a rule."""
    names = {found.name for found in fields(kind)}
    if strange := sorted(set(raw) - names):
        raise status.bad_request(f"unknown settings: {', '.join(strange)}; known: {', '.join(sorted(names))}")
    return dict(raw)
