"""Restart the pods of a workload."""

from typing import Annotated, Final, NamedTuple

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.rollouts.waiting import wait_for_end
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import Written, write
from kubectl_kruise.engine.changes.change import Decision
from kubectl_kruise.engine.changes.restarting import by_template, plan_restart_mark, plan_template_restart
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import ROLLED_OUT
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, owner_uid
from kubectl_kruise.objects.workload import Workload

IN_PLACE: Final = "In place"


class InPlace(NamedTuple):
    """How containers are restarted in their pods."""

    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            help="Restart containers and keep their pods; needs Kruise's node daemon.",
            rich_help_panel=IN_PLACE,
        ),
    ] = False
    containers: Annotated[
        list[str] | None,
        typer.Option(
            "-c",
            "--container",
            metavar="NAME",
            help="Only these containers, with --in-place; may be given several times.",
            show_default=False,
            rich_help_panel=IN_PLACE,
        ),
    ] = None
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="NUMBER|PERCENT",
            help="Fewer pods at a time than maxUnavailable, with --in-place.",
            show_default=False,
            rich_help_panel=IN_PLACE,
        ),
    ] = ""


def restart(ctx: typer.Context, which: Selection, place: InPlace, how: Writing) -> None:
    """Restart the pods of a workload.

    Where pods are recreated by updates, the template gets a new annotation, as with kubectl. Where updates are in
    place, the pods are replaced a few at a time instead, never more than maxUnavailable, and the template stays as it
    is; this runs until the last pod is replaced, and when interrupted goes on with the next run.

    With --in-place no pod is replaced: Kruise's node daemon restarts the containers in their pods, a few pods at a time
    and never more unavailable than maxUnavailable. This, too, runs to the end, and goes on where it was interrupted.

    Examples:
      # Restart, and wait for the end
      kubectl kruise rollout restart cloneset/web --wait --timeout 10m
      # Restart one container of every pod, and keep the pods
      kubectl kruise rollout restart cloneset/web --in-place -c app
    """
    session: Session = ctx.obj
    if not place.in_place and (place.containers or place.batch):
        raise UsageError("-c and --batch go with --in-place only", hint="add --in-place")

    def plan(target: Target, live: Raw) -> Decision:
        workload = Workload(live, target.kind)
        if by_template(workload):
            return plan_template_restart(workload, rfc3339(session.clock.time()))
        decision = plan_restart_mark(workload, _pods(session, workload))
        # It has begun with this write, and is done when the last pod is replaced.
        return decision if how.dry else decision._replace(did="restarting")

    targets = session.targets(which, ROLLED_OUT)
    deadline = session.deadline(how.timeout)
    if place.in_place:
        from kubectl_kruise.cli.rollouts.recreating import restart_in_place

        restart_in_place(session, targets, how, containers=place.containers or [], batch=place.batch)
        wait_for_end(session, targets, how, deadline=deadline)
        return
    written = write(session, targets, plan, how._replace(wait=False), doing="restart")
    if not how.dry:
        for done in written:
            _replace_pods(session, done, deadline, how)
    wait_for_end(session, targets, how, deadline=deadline)


def _pods(session: Session, workload: Workload) -> list[Raw]:
    from kubectl_kruise.operations.rollout.restart import list_pods

    listed = list_pods(session.cluster, workload)["items"]
    return [pod for pod in listed if owner_uid(pod) == workload.uid]


def _replace_pods(session: Session, done: Written, deadline: float | None, how: Writing) -> None:
    workload = Workload(done.live, done.target.kind)
    if by_template(workload):
        return
    from kubectl_kruise.operations.rollout.restart import restart_pods

    target = done.target
    again = f"kubectl kruise rollout restart {workload.arguments}"
    try:
        restart_pods(
            session.cluster,
            session.clock,
            session.path(target),
            target.kind,
            deadline=deadline,
            tell=session.note,
        )
    except KeyboardInterrupt:
        session.note(f"interrupted; to go on from here: {again}")
        raise
    if not how.output:
        session.say(f"{target.display} restarted")
