"""`rollout restart --in-place`: from the command line to the restart of containers, and what is said on the way."""

from collections.abc import Sequence

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import DryRunMode, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import Written, write
from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.engine.changes.change import Decision, Unchanged
from kubectl_kruise.engine.changes.recreating import pick_run, plan_run, plan_wave
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.recreate import Restart, Terms, list_owned
from kubectl_kruise.operations.rollout.requests import Requests


def restart_in_place(
    session: Session, targets: Sequence[Target], how: Writing, *, containers: Sequence[str], batch: str
) -> None:
    """Restart containers of the pods of each workload, one workload after the other."""
    twice = sorted({name for name in containers if list(containers).count(name) > 1})
    if twice:
        raise UsageError(f"container {', '.join(twice)} is named twice")
    share = number.parse_int_or_percent(batch) if batch else None

    def limit(workload: Workload) -> int:
        allowed = workload.max_unavailable
        return allowed if share is None else min(allowed, max(1, number.legacy(share, workload.replicas)))

    def plan(target: Target, live: Raw) -> Decision:
        workload = Workload(live, target.kind)
        pods, _ = list_owned(session.cluster, workload)
        allowed = limit(workload)
        run = pick_run(workload, pods, containers, allowed)
        requests = Requests(session.cluster, workload, run)
        decision = plan_run(workload, pods, requests.all, run, allowed)
        if isinstance(decision, Unchanged):
            return decision
        wave = plan_wave(workload, pods, requests.all, run, allowed, session.clock.time())
        if wave.chosen and how.dry_run is not DryRunMode.CLIENT:
            requests.ask(wave.chosen[0], dry_run=DryRun.SERVER)  # nothing is begun that nobody can carry out
        return decision if how.dry else decision._replace(did="restarting in place")

    deadline = session.deadline(how.timeout)
    for done in write(session, targets, plan, how._replace(wait=False), doing="restart"):
        if done.changed and not how.dry:
            _carry_out(
                session, done, Terms(limit, deadline, session.note, _again(done, containers, batch)), how
            )


def _carry_out(session: Session, done: Written, terms: Terms, how: Writing) -> None:
    target = done.target
    try:
        Restart(session.cluster, session.clock, session.path(target), target.kind, terms).run()
    except KeyboardInterrupt:
        session.note(f"interrupted; to go on from here: {terms.again}")
        raise
    if not how.output:
        session.say(f"{target.display} restarted in place")


def _again(done: Written, containers: Sequence[str], batch: str) -> str:
    arguments = Workload(done.live, done.target.kind).arguments
    named = "".join(f" -c {name}" for name in containers) + (f" --batch {batch}" if batch else "")
    return f"kubectl kruise rollout restart {arguments} --in-place{named}"
