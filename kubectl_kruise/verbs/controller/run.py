"""Run controllers against the cluster, in the foreground."""

import logging
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from kubectl_kruise.cli.finding.targets import parse_words
from kubectl_kruise.cli.gates import FeatureGatesOption, read_gates
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.controllers.foreground import Foreground
from kubectl_kruise.controllers.lease import OWN_NAMESPACE, OwnLease, Tenure, refuse_overlap
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.engine.gates import WITHOUT_EFFECT, resolve_gates
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.notation.number import parse_timeout

LOG = logging.getLogger(__name__)
PARALLEL_REQUESTS = 8


def run(
    ctx: typer.Context,
    kinds: Annotated[
        list[str],
        typer.Option("--kinds", metavar="KIND", help="Kinds to control; repeatable, or separated by commas."),
    ],
    feature_gates: FeatureGatesOption = None,
    workers: Annotated[
        int,
        typer.Option(
            "--cloneset-workers", metavar="N", min=1, help="How many CloneSets are worked on at once."
        ),
    ] = cloneset.WORKERS,
    exclude_preparing_delete: Annotated[
        bool,
        typer.Option(
            "--cloneset-scaling-exclude-preparing-delete",
            help="Do not count pods in PreparingDelete when scaling, whatever a CloneSet says.",
        ),
    ] = False,
    expectation_timeout: Annotated[
        str,
        typer.Option(
            "--expectation-timeout",
            metavar="DURATION",
            help="Longest wait for what was created or deleted to show in the cache.",
        ),
    ] = "5m",
) -> None:
    """Run controllers against the cluster, in the foreground.

    For a cluster that has the CRDs and no Kruise manager: one process, which logs to stderr and holds the lease
    kubectl-kruise-controller. It refuses to run beside a live manager, and stops when one comes up. With -n it
    controls one namespace, else all. Ctrl-C or SIGTERM ends it; the objects stay as they are.

    Examples:
      # Control the CloneSets of all namespaces
      kubectl kruise controller run --kinds clonesets
      # Only those of one namespace, with lost races in the log too
      kubectl kruise controller run --kinds clonesets -n shop -v 4
      # With feature gates, as a manager would have them
      kubectl kruise controller run --kinds clonesets --feature-gates CloneSetPartitionRollback=true
    """
    session: Session = ctx.obj
    _check_kinds(kinds)
    chosen = read_gates(feature_gates)
    patience = parse_timeout(expectation_timeout, "--expectation-timeout") or 0.0
    tuning = cloneset.Tuning(workers, patience, exclude_preparing_delete=exclude_preparing_delete)
    namespace = session.flags.connection.get("namespace", "")
    cluster, clock = session.cluster, session.clock
    version = served_version(cluster, CLONESET, fresh=True)  # for long: not what was so an hour ago
    refuse_overlap(cluster, clock, namespace)
    identity = f"{socket.gethostname()}_{os.getpid()}_{secrets.token_hex(4)}"
    lease = OwnLease(cluster, clock, identity=identity, namespace=namespace or OWN_NAMESPACE)

    def build() -> Sequence[Controller]:
        where = f"namespace {namespace}" if namespace else "all namespaces"
        LOG.info("controls the %s of %s", CLONESET.plural, where)
        for name in filter(WITHOUT_EFFECT.__contains__, chosen):
            LOG.warning("feature gate %s has no effect on the controllers of this process", name)
        return cloneset.build(
            cluster,
            clock,
            namespace=namespace,
            version=version,
            gates=resolve_gates(chosen),
            tuning=tuning,
            parallel=PARALLEL_REQUESTS,
        )

    with _log_on_stderr(session.flags.verbosity):
        Foreground(Tenure(cluster, clock, lease), build).run()


def _check_kinds(words: list[str]) -> None:
    for word in (part for text in words for part in text.split(",")):
        (named,) = parse_words([word])
        if named.kind is None or named.kind.kind is not CLONESET or named.name:
            raise UsageError(f'no controller for "{word}"', hint=f"--kinds {CLONESET.plural}")


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
