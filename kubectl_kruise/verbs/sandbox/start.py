"""Start the sandbox."""

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from kubectl_kruise.cli.gates import FeatureGatesOption, read_gates
from kubectl_kruise.cli.options import KruiseVersionOption
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.releases import Release

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.state import Record, Settings, State


class Kruise(StrEnum):
    """How much of Kruise the sandbox has."""

    NONE = "none"
    CRDS = "crds"
    CONTROLLERS = "controllers"


class Wanted(NamedTuple):
    """The cluster that is to be there."""

    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="PORT", help="Port on 127.0.0.1; 0: that of the last start, else any free one."
        ),
    ] = 0
    kruise: Annotated[
        Kruise,
        typer.Option(
            "--kruise", help="What of Kruise is there: none, its CRDs, or CRDs, webhooks and controllers."
        ),
    ] = Kruise.CONTROLLERS
    nodes: Annotated[int, typer.Option("--nodes", metavar="N", min=0, help="How many nodes there are.")] = 3
    start_delay: Annotated[
        float,
        typer.Option("--start-delay", metavar="SECONDS", min=0, help="From a pod's binding to its running."),
    ] = 0.05
    restart_delay: Annotated[
        float,
        typer.Option(
            "--restart-delay", metavar="SECONDS", min=0, help="How long a container's restart takes."
        ),
    ] = 0.05
    stop_delay: Annotated[
        float, typer.Option("--stop-delay", metavar="SECONDS", min=0, help="How long a pod takes to end.")
    ] = 0.05
    kruise_version: KruiseVersionOption = Release.V1_9_0
    feature_gates: FeatureGatesOption = None
    plain_http: Annotated[
        bool, typer.Option("--plain-http", help="No TLS and no token; for measurements.")
    ] = False

    @property
    def settings(self) -> "Settings":
        """These options as the processes are told them; UsageError for gates that are none."""
        from kubectl_kruise.sandbox.state import Settings

        return Settings(
            self.port,
            self.plain_http,
            self.kruise.value,
            self.nodes,
            self.start_delay,
            self.restart_delay,
            self.stop_delay,
            read_gates(self.feature_gates),
            self.kruise_version.value,
        )


def start(ctx: typer.Context, wanted: Wanted) -> None:
    """Start the sandbox.

    An API server on this machine with simulated nodes, in two processes in the background. It keeps everything in
    memory. Nothing is written to your own kubeconfig: use `sandbox exec`, or point KUBECONFIG at the file it prints.

    Examples:
      # Start it and look around with kubectl
      kubectl kruise sandbox start
      kubectl kruise sandbox exec -- kubectl get nodes
      # A slow cluster: every container takes five seconds to come up
      kubectl kruise sandbox start --start-delay 5 --restart-delay 5
      # The main branch of Kruise: CloneSets in v1alpha1 and v1beta1, converted into one another
      kubectl kruise sandbox start --kruise-version main
      # With deletion protection, as a manager with this gate would have it
      kubectl kruise sandbox start --feature-gates ResourcesDeletionProtection=true
    """
    from kubectl_kruise.sandbox import processes
    from kubectl_kruise.sandbox.state import State, state_folder

    session: Session = ctx.obj
    state = State(state_folder(os.environ))
    settings = wanted.settings
    health = processes.look(state)
    if health.running and health.record:
        _say_running(session, state, health.record, wanted.port)
        return
    if health.dead:
        session.warn(
            f"the former sandbox had ended (its {' and '.join(health.dead)} died); what was in it is gone"
        )
    former = state.read_port()
    record = processes.start(state, settings)
    if not wanted.port and former and not record.server.endswith(f":{former}"):
        session.warn(f"port {former} is taken by now: copies of the former kubeconfig do not lead here")
    _say(session, state, f"sandbox started at {record.server}")


def _say_running(session: Session, state: "State", record: "Record", port: int) -> None:
    """Point to the sandbox that runs; RefusedError where it was asked for at another port."""
    if port and not record.server.endswith(f":{port}"):
        raise RefusedError(f"a sandbox runs already at {record.server}", hint="kubectl kruise sandbox stop")
    _say(session, state, f"sandbox runs already at {record.server}")


def _say(session: Session, state: "State", text: str) -> None:
    session.say(text)
    session.say(f"export KUBECONFIG={state.kubeconfig}")
