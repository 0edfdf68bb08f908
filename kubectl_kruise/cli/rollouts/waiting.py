"""`--wait`: follow what a write has started to its verdict, the same one that `rollout status` gives."""

import sys
from collections.abc import Sequence

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Writing
from kubectl_kruise.cli.session import Session


def wait_for_end(
    session: Session, targets: Sequence[Target], how: Writing, *, paused: bool = False, deadline: float | None
) -> None:
    """Wait where `--wait` asks for it, telling on stderr how it goes.

    `deadline` is in seconds since the epoch, None for ever; `paused` waits for the pause instead of the end. Raises typer.Exit with the verdict's exit code if it is not 0.
    """
    if not how.wait or how.dry or not targets:
        return
    from kubectl_kruise.cli.rollouts.following import exit_code, failures, wait_for
    from kubectl_kruise.engine.verdict import Until
    from kubectl_kruise.operations.rollout.follow import Followed, Terms
    from kubectl_kruise.operations.rollout.progress import Aim

    timeout = None if deadline is None else max(0.0, deadline - session.clock.time())
    aim = Aim(Until.PAUSED if paused else None)
    objects = [Followed(target.kind, session.fetch(target)) for target in targets]
    rollouts = wait_for(session, objects, Terms(aim, timeout), output=how.output, stream=sys.stderr)
    for text in failures(rollouts):
        print(f"error: {text}", file=sys.stderr)  # noqa: T201
    if code := exit_code(rollouts):
        raise typer.Exit(code)
