"""What the user asked for, and what is known before the first write (migration.md §10)."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.engine.migration.answers import Difference
from kubectl_kruise.engine.migration.checks.check import Finding, refused
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.references import Pointer
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.policies import RECREATE
from kubectl_kruise.objects.notation.number import IntOrPercent
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.journal.storing import Place


class Order(StrEnum):
    """Whether a set is created before its twin is deleted, or after; by itself the first, where quotas allow it."""

    AUTO = "auto"
    TARGET_FIRST = "target-first"
    TARGET_LAST = "target-last"


class Wish(NamedTuple):
    """What the user asked for; `flags` are overrides such as `--allow-unready`."""

    mode: Mode = Mode.ADOPT
    to_name: str = ""
    policy: str = RECREATE
    keep_helm: bool = False
    flags: Collection[str] = ()
    surge: IntOrPercent = "25%"
    unavailable: IntOrPercent = 0
    total: int | None = None
    """How many pods are moved gradually, None for all."""
    journal: Place = Place.CONFIGMAP
    order: Order = Order.AUTO
    """Which of two sets goes first, where the target has the source's name."""


class Preflight(NamedTuple):
    """`options` go into the journal; `replicasets` is how many of them go with a Deployment.

    `kept` is the new workload as the server would keep it, {} where it has not judged it; `changes` are what of it is
    not as it is sent. The conversion has the template as it would be kept: nobody takes that for an update later.
    """

    source: Workload
    conversion: Conversion
    findings: Sequence[Finding]
    pointers: Sequence[Pointer]
    options: Mapping[str, Any]
    replicasets: int = 0
    kept: Raw = {}  # noqa: RUF012 - never changed
    changes: Sequence[Difference] = ()

    @property
    def refused(self) -> list[Finding]:
        return refused(self.findings)

    def check(self) -> None:
        """Raise RefusedError where anything stands against the start, naming all of it."""
        if not (found := self.refused):
            return
        texts = [f"{each.check.evidence} ({each.check.code})" for each in found]
        first = found[0]
        raise RefusedError(
            f"cannot migrate {self.source.title}: {'; '.join(texts)}",
            hint=f"{first.flag} lets it pass" if first.flag else first.check.fix,
        )
