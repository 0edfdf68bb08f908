"""Watch a rollout until it is done."""

import sys

import typer

from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.rollouts.following import exit_code, failures, wait_for
from kubectl_kruise.cli.rollouts.looking import (
    Looking,
    one_look_code,
    open_stream,
    print_documents,
    print_look,
)
from kubectl_kruise.cli.session import Session
from kubectl_kruise.facts.kinds import ROLLED_OUT
from kubectl_kruise.operations.rollout.follow import Followed, read_rollouts
from kubectl_kruise.render.terminal import wants_live


def status(ctx: typer.Context, which: Selection, how: Looking) -> int:
    """Watch a rollout until it is done.

    Done means: the controller has seen the spec, the pods that shall carry the new revision carry it and are
    available, surplus pods are gone, and the status agrees. A partition's target is an end as well, unless
    --until=done asks for the whole rollout. A paused rollout ends the command with exit code 8, and so do pods that
    stay old until they are deleted (update type OnDelete). Of an Advanced StatefulSet it says what keeps it from going on.

    Examples:
      # Wait for the rollout of a CloneSet, at most five minutes
      kubectl kruise rollout status cloneset/web --timeout 5m
      # Look once
      kubectl kruise rollout status cloneset/web --watch=false
      # In a pipeline: JSON lines, and an end as soon as a pod is hopeless
      kubectl kruise rollout status cloneset/web deployment/cart -o jsonl --fail-fast
    """
    session: Session = ctx.obj
    terms = how.terms()
    targets = session.targets(which, ROLLED_OUT)
    objects = [Followed(target.kind, session.fetch(target)) for target in targets]
    if how.output == "jsonl":
        open_stream(session)
    if how.one_look:
        rollouts = [
            each.progress
            for each in read_rollouts(session.cluster, objects, terms.aim, session.clock, note=session.note)
        ]
        if how.output:
            print_documents(session, rollouts, how.output)
        else:
            print_look(session, rollouts, detail=how.detail)
        return one_look_code(session, rollouts, detailed=how.detailed_exitcode)
    rollouts = wait_for(session, objects, terms, output=how.output)
    if how.output in ("json", "yaml"):
        print_documents(session, rollouts, how.output)
    if not how.output and not wants_live(sys.stdout):
        for text in failures(rollouts):
            print(f"error: {text}", file=sys.stderr)
    return exit_code(rollouts)
