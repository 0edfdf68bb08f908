"""`migrate CloneSet --from Deployment --src-name A --dst-name B …`: the official plugin's spelling (migration.md §4.4)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.options import Act, Official, Pace
from kubectl_kruise.cli.migrating.order import Order
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.notation.reference import parse_kind

_EXAMPLE: Final = "kubectl kruise migrate CloneSet --from Deployment --src-name web --dst-name web"
_ONE: Final = "1"
"""How many more pods there may be by default in this spelling."""


def is_official(words: Sequence[str], official: Official) -> bool:
    """Say whether this spelling is meant: its target kind alone, or any of the options that only it has."""
    return bool(set(official.given) - {"--create"}) or (
        official.create and [_kind(word) for word in words] == [CLONESET]
    )


def translate(
    session: Session, words: Sequence[str], official: Official, order: Order
) -> tuple[Target, Order]:
    """Give the source and what this spelling asks for in ours. Raises UsageError for what it does not have."""
    if [_kind(word) for word in words] != [CLONESET] or _kind(official.source_kind) is not DEPLOYMENT:
        raise UsageError(
            f"{', '.join(official.given)}: this spelling moves a Deployment to a CloneSet", hint=_EXAMPLE
        )
    if not official.src_name:
        raise UsageError("--src-name is missing: which Deployment?", hint=_EXAMPLE)
    if official.copy and not official.create:
        raise UsageError("--copy goes with --create only", hint=_EXAMPLE)
    if official.create and official.replicas is not None:
        raise UsageError("--create only creates, and --replicas says how many pods to move", hint=_EXAMPLE)
    if order.how.to or order.how.to_name:
        raise UsageError("--to and --to-name do not go with this spelling", hint=_EXAMPLE)
    how = order.how._replace(mode=Mode.SURGE, to_name=official.dst_name)
    pace = order.pace
    if pace.max_surge == Pace().max_surge:
        pace = pace._replace(max_surge=_ONE)
    patience = order.patience
    if official.timeout_seconds is not None:
        patience = float(official.timeout_seconds) or float("inf")
    act = order.act
    if official.create and act is Act.START:
        act = Act.COPY if official.copy else Act.CREATE
    source = Target(DEPLOYMENT, session.namespace, official.src_name)
    return source, order._replace(act=act, how=how, pace=pace, patience=patience, part=official.replicas)


def _kind(word: str) -> object:
    found = parse_kind(word)
    return found.kind if found else None
