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

from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.targets import parse_words
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.controllers.foreground import Foreground
from kubectl_kruise.controllers.lease import OWN_NAMESPACE, OwnLease, Tenure, refuse_overlap
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET

LOG = logging.getLogger(__name__)
PARALLEL_REQUESTS = 8


def run(
    ctx: typer.Context,
    kinds: Annotated[
        list[str],
        typer.Option("--kinds", metavar="KIND", help="Kinds to control; repeatable, or separated by commas."),
    ],
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
    """
    session: Session = ctx.obj
    _check_kinds(kinds)
    namespace = session.flags.connection.get("namespace", "")
    cluster, clock = session.cluster, session.clock
    version = served_version(cluster, CLONESET)
    refuse_overlap(cluster, clock, namespace)
    identity = f"{socket.gethostname()}_{os.getpid()}_{secrets.token_hex(4)}"
    lease = OwnLease(cluster, clock, identity=identity, namespace=namespace or OWN_NAMESPACE)

    def build() -> Sequence[Controller]:
        where = f"namespace {namespace}" if namespace else "all namespaces"
        LOG.info("controls the %s of %s", CLONESET.plural, where)
        return cloneset.build(
            cluster, clock, namespace=namespace, version=version, parallel=PARALLEL_REQUESTS
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
