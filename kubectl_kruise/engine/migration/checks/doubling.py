"""Checks of what two generations of pods at a time would share (migration.md §10, P-SURGE)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kubectl_kruise.engine.migration.checks.check import Check
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.workload import Workload

_EXCLUSIVE: Final = {"ReadWriteOnce", "ReadWriteOncePod"}


def check_doubling(
    workload: Workload, surge: int, claims: Iterable[Raw], quotas: Iterable[Raw]
) -> Iterator[Check]:
    """Check whether `surge` more pods can stand beside those there are: volumes, ports of nodes, quotas."""
    found = [*_volumes(workload, claims), *_ports(workload), *_quotas(surge, quotas)]
    yield from found
    if not found:
        yield Check("P-SURGE", f"nothing speaks against {surge} more pods for a while", passed=True)


def _volumes(workload: Workload, claims: Iterable[Raw]) -> Iterator[Check]:
    used = {
        str(dig(volume, ("persistentVolumeClaim", "claimName"), ""))
        for volume in dig(workload.raw, ("spec", "template", "spec", "volumes")) or []
    }
    for claim in claims:
        modes: Sequence[str] = dig(claim, ("spec", "accessModes")) or []
        if name_of(claim) in used and modes and set(modes) <= _EXCLUSIVE:
            yield Check(
                "P-SURGE",
                f"old and new pods would share claim {name_of(claim)} ({', '.join(modes)})",
                "--mode adopt keeps the pods; --mode recreate ends the old ones first",
                f"persistentvolumeclaim/{name_of(claim)}",
            )


def _ports(workload: Workload) -> Iterator[Check]:
    spec = dig(workload.raw, ("spec", "template", "spec"), {})
    ports = sorted(
        {
            int(port["hostPort"])
            for container in spec.get("containers") or []
            for port in container.get("ports") or []
            if port.get("hostPort")
        }
    )
    if spec.get("hostNetwork") or ports:
        what = (
            "the network of its node"
            if spec.get("hostNetwork")
            else f"host port {', '.join(map(str, ports))}"
        )
        yield Check(
            "P-SURGE",
            f"its pods use {what}: a new one may find no node",
            "--mode adopt keeps the pods; --mode recreate ends the old ones first",
        )


def _quotas(surge: int, quotas: Iterable[Raw]) -> Iterator[Check]:
    for quota in quotas:
        for key in ("pods", "count/pods"):
            hard, used = dig(quota, ("status", "hard", key)), dig(quota, ("status", "used", key))
            if str(hard).isdecimal() and str(used).isdecimal() and int(hard) - int(used) < surge:
                yield Check(
                    "P-SURGE",
                    f"ResourceQuota {name_of(quota)} leaves room for {int(hard) - int(used)} pods, {surge} more are"
                    " needed",
                    "raise it, or give a smaller --max-surge",
                    f"resourcequota/{name_of(quota)}",
                )
