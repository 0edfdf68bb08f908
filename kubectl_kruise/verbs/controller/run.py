"""Run controllers against the cluster, in the foreground."""

import logging
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Final, NamedTuple

import typer

from kubectl_kruise.cli.gates import FeatureGatesOption, read_gates
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.controllers import cloneset, statefulset
from kubectl_kruise.controllers.foreground import Foreground
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.lease import OWN_NAMESPACE, OwnLease, Tenure, refuse_overlap
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.controllers.upkeep import upkeep_of_pods
from kubectl_kruise.engine.gates import WITHOUT_EFFECT, Gates, resolve_gates
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, POD, STATEFULSET, Kind
from kubectl_kruise.objects.notation.number import parse_timeout

LOG = logging.getLogger(__name__)
PARALLEL_REQUESTS = 8
CONTROLLED: Final = (CLONESET, STATEFULSET)
"""The kinds that have a controller here."""


class Controlling(NamedTuple):
    """Which controllers run, and how."""

    kinds: Annotated[
        list[str],
        typer.Option("--kinds", metavar="KIND", help="Kinds to control; repeatable, or separated by commas."),
    ]
    feature_gates: FeatureGatesOption = None
    workers: Annotated[
        int,
        typer.Option(
            "--cloneset-workers", metavar="N", min=1, help="How many CloneSets are worked on at once."
        ),
    ] = cloneset.WORKERS
    statefulset_workers: Annotated[
        int,
        typer.Option(
            "--statefulset-workers",
            metavar="N",
            min=1,
            help="How many Advanced StatefulSets are worked on at once.",
        ),
    ] = statefulset.WORKERS
    exclude_preparing_delete: Annotated[
        bool,
        typer.Option(
            "--cloneset-scaling-exclude-preparing-delete",
            help="Do not count pods in PreparingDelete when scaling, whatever a CloneSet says.",
        ),
    ] = False
    expectation_timeout: Annotated[
        str,
        typer.Option(
            "--expectation-timeout",
            metavar="DURATION",
            help="Longest wait for what was created or deleted to show in the cache.",
        ),
    ] = "5m"

    @property
    def tuning(self) -> cloneset.Tuning:
        """The manager's flags of these options; UsageError for a duration that is none."""
        patience = parse_timeout(self.expectation_timeout, "--expectation-timeout") or 0.0
        return cloneset.Tuning(self.workers, patience, exclude_preparing_delete=self.exclude_preparing_delete)


def run(ctx: typer.Context, how: Controlling) -> None:
    """Run controllers against the cluster, in the foreground.

    For a cluster that has the CRDs and no Kruise manager: one process, which logs to stderr and holds the lease
    kubectl-kruise-controller. It refuses to run beside a live manager, and stops when one comes up. With -n it
    controls one namespace, else all. Ctrl-C or SIGTERM ends it; the objects stay as they are.

    Examples:
      # Control the CloneSets of all namespaces
      kubectl kruise controller run --kinds clonesets
      # Advanced StatefulSets as well
      kubectl kruise controller run --kinds clonesets,statefulsets
      # Only CloneSets of one namespace, with lost races in the log too
      kubectl kruise controller run --kinds clonesets -n shop -v 4
      # With feature gates, as a manager would have them
      kubectl kruise controller run --kinds clonesets --feature-gates CloneSetPartitionRollback=true
    """
    session: Session = ctx.obj
    kinds = _parse_kinds(how.kinds)
    gates, tuning = read_gates(how.feature_gates), how.tuning
    namespace = session.flags.connection.get("namespace", "")
    cluster, clock = session.cluster, session.clock
    # For long: not what was served an hour ago.
    versions = {kind: served_version(cluster, kind, fresh=True) for kind in kinds}
    refuse_overlap(cluster, clock, namespace)
    identity = f"{socket.gethostname()}_{os.getpid()}_{secrets.token_hex(4)}"
    lease = OwnLease(cluster, clock, identity=identity, namespace=namespace or OWN_NAMESPACE)

    def build() -> Sequence[Controller]:
        where = f"namespace {namespace}" if namespace else "all namespaces"
        LOG.info("controls the %s of %s", " and ".join(kind.plural for kind in kinds), where)
        for name in filter(WITHOUT_EFFECT.__contains__, gates):
            LOG.warning("feature gate %s has no effect on the controllers of this process", name)
        return _build(
            cluster, clock, namespace, versions, resolve_gates(gates), tuning, how.statefulset_workers
        )

    with _log_on_stderr(session.flags.verbosity):
        Foreground(Tenure(cluster, clock, lease), build).run()


def _build(
    cluster: Cluster,
    clock: Clock,
    namespace: str,
    versions: Mapping[Kind, str],
    gates: Gates,
    tuning: cloneset.Tuning,
    statefulset_workers: int,
) -> list[Controller]:
    """Make the controllers of the kinds in `versions`, which share what they know of pods."""
    pods = Informer(cluster, POD.path(namespace))
    built: list[Controller] = []
    if CLONESET in versions:
        built += cloneset.build(
            cluster,
            clock,
            namespace=namespace,
            version=versions[CLONESET],
            gates=gates,
            tuning=tuning,
            parallel=PARALLEL_REQUESTS,
            pods=pods,
        )
    else:
        built += upkeep_of_pods(cluster, clock, pods)
    if STATEFULSET in versions:
        built.append(
            statefulset.build(
                cluster,
                clock,
                namespace=namespace,
                version=versions[STATEFULSET],
                gates=gates,
                workers=statefulset_workers,
                expectation_seconds=tuning.expectation_seconds,
                parallel=PARALLEL_REQUESTS,
                pods=pods,
            )
        )
    return built


def _parse_kinds(words: list[str]) -> list[Kind]:
    """Give the kinds that are named; only kinds of Kruise are meant here, so `statefulset` is the advanced one."""
    named = [(word, _parse_kind(word.strip().lower())) for text in words for word in text.split(",")]
    for word, kind in named:
        if kind is None:
            known = ",".join(kind.plural for kind in CONTROLLED)
            raise UsageError(f'no controller for "{word}"', hint=f"--kinds {known}")
    return [kind for kind in CONTROLLED if any(kind is found for _, found in named)]


def _parse_kind(word: str) -> Kind | None:
    for kind in CONTROLLED:
        if word in {kind.plural, kind.singular, kind.resource, *kind.short_names}:
            return kind
    return None


@contextmanager
def _log_on_stderr(verbosity: int) -> Iterator[None]:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.getLogger("kubectl_kruise")
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if verbosity >= 4 else logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
