"""The options of `migrate`."""

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

from kubectl_kruise.cli.options import DryRunMode

OVERRIDES = "Overrides"


class ModeName(StrEnum):
    ADOPT = "adopt"


class Migrating(NamedTuple):
    """What to do with the workloads chosen, and what may be overlooked."""

    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="KIND",
            help="What it becomes: cloneset or deployment.",
            show_default="the other kind",
        ),
    ] = ""
    mode: Annotated[ModeName, typer.Option("--mode", help="adopt hands the running pods over.")] = (
        ModeName.ADOPT
    )
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Let the CloneSet update pods in place where possible.")
    ] = False
    to_name: Annotated[
        str,
        typer.Option("--to-name", metavar="NAME", help="Name of the new workload.", show_default="the same"),
    ] = ""
    resume: Annotated[bool, typer.Option("--resume", help="Go on only; begin nothing.")] = False
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Undo a migration, from wherever it stands.")
    ] = False
    settle: Annotated[
        str,
        typer.Option(
            "--settle", metavar="DURATION", help="How long to watch in the end that every pod stays."
        ),
    ] = "15s"
    timeout: Annotated[
        str,
        typer.Option("--timeout", metavar="DURATION", help="Longest wait in any one step."),
    ] = "5m"
    dry_run: Annotated[
        DryRunMode,
        typer.Option(
            "--dry-run",
            help="Only tell: client prints the converted manifest, server the plan. Without a value: server.",
        ),
    ] = DryRunMode.NONE
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="With --dry-run=client: yaml or json.",
            show_default="yaml",
        ),
    ] = ""
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are refusals.")] = False
    keep_helm: Annotated[bool, typer.Option("--keep-helm", help="Keep the marks of a Helm release.")] = False
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False
    allow_unready: Annotated[
        bool, typer.Option("--allow-unready", help="Pods may be unready.", rich_help_panel=OVERRIDES)
    ] = False
    allow_finalizers: Annotated[
        bool,
        typer.Option("--allow-finalizers", help="The source may have finalizers.", rich_help_panel=OVERRIDES),
    ] = False
    allow_hash_refs: Annotated[
        bool,
        typer.Option(
            "--allow-hash-refs",
            help="Others may select pods by the hash of a revision.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False
    ignore_gitops: Annotated[
        bool,
        typer.Option(
            "--ignore-gitops", help="GitOps or Helm may manage the source.", rich_help_panel=OVERRIDES
        ),
    ] = False

    @property
    def overrides(self) -> frozenset[str]:
        """The override flags given, as typed."""
        names = ("allow_unready", "allow_finalizers", "allow_hash_refs", "ignore_gitops")
        return frozenset(f"--{name.replace('_', '-')}" for name in names if getattr(self, name))
